// The two loops in which smoothed steps (smoothed_bound.hpp) spend their time, over the candidates of one
// member of an inequality: the weight of those that it blocks and of those that it does not, and the
// product of either with a factor. With vector instructions where the machine has them; the result is the same bit
// for bit, since sums are taken in the same four parts.
#pragma once

#include <cstddef>

#include "dual/problem.hpp"

namespace bayesloom::dual {

struct WeightSums {
  double blocked = 0, free = 0;
};

/// Candidates are those from `weights` and `masks` on, `count` of them, each with `words` words; blocked by the
/// test in `local` (with_test in problem.hpp).
struct WeightKernel {
  char const* name;
  WeightSums (*sums)(double const* weights, Word const* masks, std::size_t count, Word const* local,
                     std::size_t words, BlockTest test);
  void (*scale)(double* weights, Word const* masks, std::size_t count, Word const* local,
                std::size_t words, BlockTest test, WeightSums by);
};

/// The kernel of this name, "plain" or "avx2"; null if this machine has none. Without a name the fastest.
WeightKernel const* weight_kernel(char const* name = nullptr);

}  // namespace bayesloom::dual
