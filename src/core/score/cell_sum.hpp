// Sums over cells that do not depend on the order of the cells.
//
// Every term is rounded to a whole number of fine units before it is added, so the sum is exact.
// The unit is as fine as 64 bits allow for a table of N rows: a sum over cells never exceeds
// N * (ln N + `largest_per_row`) nats, which must stay below 2^62 units. With N = 5,000 the unit
// is 2^-40 nat, a thousandth of the fixed-point unit that results are rounded to.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/fixed_point.hpp"
#include "data/cells.hpp"

namespace bayesloom {

class FineUnit {
 public:
  FineUnit(std::uint32_t rows, double largest_per_row) {
    double const nats = rows * (std::log(static_cast<double>(rows)) + largest_per_row + 1);
    digits_ = std::min(40, 62 - static_cast<int>(std::ceil(std::log2(nats))));
  }

  std::int64_t from_nats(double nats) const { return std::llround(std::ldexp(nats, digits_)); }

  Fixed to_fixed(std::int64_t fine) const {
    int const excess = digits_ - 30;
    if (excess <= 0) return fine * (std::int64_t{1} << -excess);
    return (fine + (std::int64_t{1} << (excess - 1))) >> excess;
  }

  /// One unit, in nats.
  double nats() const { return std::ldexp(1.0, -digits_); }

 private:
  int digits_;
};

/// Sum of `term(count)` over the cells, in fine units; term(0) is never used.
template <typename Term>
std::int64_t sum_over_cells(Cells const& cells, Term&& term) {
  std::int64_t sum = cells.ones > 0 ? cells.ones * term(1U) : 0;
  for (auto const count : cells.counts)
    if (count > 0) sum += term(count);
  return sum;
}

}  // namespace bayesloom
