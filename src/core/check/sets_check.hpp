// The record `sets` of a certificate (docs/certificate.md): going through the sets of variables that can come
// first, layer by layer, and giving up those from which no network above a goal can be reached. Plain loops, whole
// numbers of 128 bits, no code shared with the solvers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/control.hpp"

namespace bayesloom::check {

/// The choices of variable v are first[v] .. first[v + 1] - 1, for at most 64 variables.
struct Choices {
  std::span<std::uint64_t const> first;
  std::span<std::int64_t const> scores;
  std::span<std::uint64_t const> parents;  ///< bit v: variable v is one
};

/// Rules with prices: in every network the weights of the choices made add up to `need` at least.
struct PricedRules {
  std::span<std::int64_t const> prices, needs;
  std::span<std::int16_t const>
      weights;  ///< of all choices for the first rule, then for the second ...
};

struct SetsVerdict {
  std::string problem;     ///< empty if no network scores above the goal
  std::uint64_t sets = 0;  ///< that were looked at
};

SetsVerdict check_sets(Choices const& choices, PricedRules const& rules, std::int64_t goal,
                       double memory_bytes, Control& control);

}  // namespace bayesloom::check
