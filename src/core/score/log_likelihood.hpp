// The maximised log-likelihood in component form [malone2011 section 2, algorithms by set].
//
//   l(S) = sum over cells of n ln n        L(i | P) = l(P + i) - l(P) = sum n_ijk ln(n_ijk / n_ij)
//
// n ln n is looked up: one table of N + 1 entries, for tables of up to a million rows; counts
// beyond that are rare enough to be computed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "score/cell_sum.hpp"
#include "score/tuning.hpp"

namespace bayesloom {

class LogLikelihood {
 public:
  explicit LogLikelihood(std::uint32_t rows) : unit_(rows, 0) {
    terms_.resize(std::min<std::size_t>(rows, tuning::most_in_logarithms) + 1);
    for (std::uint32_t n = 1; n < terms_.size(); ++n) terms_[n] = n_ln_n(n);
    if (unit_.coarse()) all_ = n_ln_n(rows);
  }

  /// l(S), rounded once; less l({}) where that may be out of range.
  Fixed operator()(Cells const& cells) const { return unit_.to_fixed(sum(cells.counts) - all_); }

  /// L(i | P), from the counts of cells of P + i and of P.
  Fixed operator()(std::span<std::uint32_t const> family,
                   std::span<std::uint32_t const> parents) const {
    if (unit_.coarse()) return unit_.to_fixed(sum(family) - sum(parents));
    return unit_.to_fixed(sum(family)) - unit_.to_fixed(sum(parents));
  }

 private:
  std::int64_t sum(std::span<std::uint32_t const> counts) const {
    std::int64_t sum = 0;  // a cell of one row adds nothing, and an empty one neither
    for (auto const count : counts) sum += count < terms_.size() ? terms_[count] : n_ln_n(count);
    return sum;
  }
  std::int64_t n_ln_n(std::uint32_t n) const {
    return unit_.from_nats(n * std::log(static_cast<double>(n)));
  }

  FineUnit unit_;
  std::int64_t all_ = 0;
  std::vector<std::int64_t> terms_;
};

}  // namespace bayesloom
