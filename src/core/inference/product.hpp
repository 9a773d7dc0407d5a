// The one loop of inference: multiply a few tables cell by cell, and add the products up, or take
// their maximum, in another table. Every table is read by strides; an axis that it lacks has stride 0.
#pragma once

#include <cstddef>
#include <span>

#include "base/control.hpp"

namespace bayesloom {

struct Operand {
  double const* values;
  std::size_t const* strides;
};

/// out[cell] += (or max=) product of operands[cell], over all cells of `sizes`, at least one axis. The
/// buffer holds `sizes.back()` numbers. Returns false if the control said stop.
bool project(std::span<std::size_t const> sizes, std::span<Operand const> operands, double* out,
             std::size_t const* out_strides, bool maximum, std::span<double> buffer,
             Control& control);

/// Scales a table up if all of it is tiny; returns the logarithm of what it was divided by.
double scale(std::span<double> table);

}  // namespace bayesloom
