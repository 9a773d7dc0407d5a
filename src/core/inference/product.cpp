#include "inference/product.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "inference/tuning.hpp"

namespace bayesloom {

namespace {

/// buffer = product of the operands along the last axis.
void multiply(std::span<Operand const> operands, std::span<std::size_t const> offsets,
              std::size_t last, std::span<double> buffer) {
  std::ranges::fill(buffer, 1.0);
  for (std::size_t f = 0; f < operands.size(); ++f) {
    double const* const values = operands[f].values + offsets[f];
    std::size_t const stride = operands[f].strides[last];
    if (stride == 0) {
      for (double& cell : buffer) cell *= *values;
    } else if (stride == 1) {
      for (std::size_t k = 0; k < buffer.size(); ++k) buffer[k] *= values[k];
    } else {
      for (std::size_t k = 0; k < buffer.size(); ++k) buffer[k] *= values[k * stride];
    }
  }
}

}  // namespace

bool project(std::span<std::size_t const> sizes, std::span<Operand const> operands, double* out,
             std::size_t const* out_strides, bool maximum, std::span<double> buffer,
             Control& control) {
  std::size_t const last = sizes.size() - 1;
  auto const products = buffer.first(sizes[last]);
  std::size_t const step = out_strides[last];
  std::vector<std::size_t> at(sizes.size(), 0);
  std::vector<std::size_t> offsets(operands.size(), 0);
  std::size_t place = 0;
  std::size_t since_poll = 0;
  for (;;) {
    multiply(operands, offsets, last, products);
    if (maximum) {
      for (std::size_t k = 0; k < products.size(); ++k)
        out[place + k * step] = std::max(out[place + k * step], products[k]);
    } else if (step == 0) {
      double sum = 0;
      for (double const product : products) sum += product;
      out[place] += sum;
    } else {
      for (std::size_t k = 0; k < products.size(); ++k) out[place + k * step] += products[k];
    }
    since_poll += products.size();
    if (since_poll >= tuning::cells_between_polls) {
      if (control.should_stop(since_poll)) return false;
      since_poll = 0;
    }
    std::size_t axis = last;
    for (;;) {  // the next cell, the last axis but one fastest
      if (axis == 0) return true;
      --axis;
      if (++at[axis] < sizes[axis]) {
        for (std::size_t f = 0; f < operands.size(); ++f) offsets[f] += operands[f].strides[axis];
        place += out_strides[axis];
        break;
      }
      at[axis] = 0;
      for (std::size_t f = 0; f < operands.size(); ++f)
        offsets[f] -= operands[f].strides[axis] * (sizes[axis] - 1);
      place -= out_strides[axis] * (sizes[axis] - 1);
    }
  }
}

double scale(std::span<double> table) {
  double top = 0;
  for (double const cell : table) top = std::max(top, cell);
  if (top >= tuning::tiny || top == 0) return 0;
  for (double& cell : table) cell /= top;
  return std::log(top);
}

}  // namespace bayesloom
