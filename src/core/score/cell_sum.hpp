// Sums over cells that do not depend on the order of the cells.
//
// Every term is rounded to a whole number of fine units before it is added, so the sum is exact.
// The unit is as fine as 64 bits allow for a table of N rows: a sum over cells never exceeds
// N * (ln N + `largest_per_row`) nats, which must stay below 2^62 units. With N = 5,000 the unit
// is 2^-40 nat, a thousandth of the fixed-point unit that results are rounded to.
//
// N ln N nats are more than a Fixed holds where N is above 430 million. What is differenced is then differenced in
// fine units, and a component form has f({}) taken off: f(S) - f({}) is a sum of local scores, which are in range.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/errors.hpp"
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

  /// Whether `to_fixed` rounds nothing: a unit is that of Fixed, or coarser.
  bool coarse() const { return digits_ <= 30; }

  /// Throws InputError if that is no score.
  Fixed to_fixed(std::int64_t fine) const {
    int const excess = digits_ - 30;
    if (coarse()) {
      Fixed whole = 0;
      if (__builtin_mul_overflow(fine, std::int64_t{1} << -excess, &whole) || !is_score(whole))
        throw InputError(
            "the table has too many rows, weights included: scores of sets of variables are "
            "outside the range of "
            "-2^31 to 2^31 nats that Bayesloom works with.");
      return whole;
    }
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
