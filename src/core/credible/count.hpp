// Numbers of networks: whole numbers of 128 bits, proved intervals, and estimates.
#pragma once

#include <cstdint>

#include "base/errors.hpp"

namespace bayesloom::credible {

__extension__ using Count = unsigned __int128;

[[noreturn]] inline void too_many_to_count() {
  throw ResourceError("there are more than 2^128 credible networks: too many to count.");
}

/// a + b and a * b. Throw ResourceError for 2^128 or more.
inline Count checked_sum(Count a, Count b) {
  Count sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) too_many_to_count();
  return sum;
}
inline Count checked_product(Count a, Count b) {
  Count product = 0;
  if (__builtin_mul_overflow(a, b, &product)) too_many_to_count();
  return product;
}

/// How many networks there are: at least `low` and, if the count is complete, at most `high`.
struct NetworkCount {
  Count low = 0, high = 0;
  Count nearest = 0;   ///< the same as both if exact, else by rounded losses
  double weight = 0;   ///< sum of exp(score - best), as far as counted and rounded
  bool whole = false;  ///< whether the count is complete, so that `high` holds
  bool exact() const { return whole && low == high; }
};

/// An unbiased estimate of a number of networks, with its standard error.
struct CountEstimate {
  double count = 0;
  double error = 0;
  std::uint64_t probes = 0;
  double effective = 0;  ///< effective sample size
};

}  // namespace bayesloom::credible
