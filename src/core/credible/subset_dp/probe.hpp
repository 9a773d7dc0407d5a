// Random walks from the root to a network: unbiased estimates where counting does not end.
//
// A walk removes the sinks of a network G one after the other (live_sets.hpp), taking step i among those within the
// limit with probability p_i. It never gets stuck: from every live set some step has delta 0. But each order of
// removing the sinks of G is a different walk to the same network. So a walk is weighted by
//
//   W = product over steps of  1 / (p_i * s_i),   s_i  the number of sinks of G at that step
//
// The products of 1 / s_i over all ways to take G apart add up to 1 (remove one of the s_i at
// random), so the mean of W is the number of networks [knuth1975: the tree is that of all ways].
// (Walks over the states (U, R), which reach a network in one way only, are unbiased too, but most of
// them end where no variable may be removed next, and the weights of the rest vary beyond measure.)
//
// The estimate is unbiased for any p_i > 0; its variance is small if p_i is proportional to the number of walks
// behind step i. One pass over the live sets approximates these numbers, by the remaining loss t rounded to a few
// intervals.
//
// With W * exp(-loss) the same walks give weights; a posterior is then a ratio of two estimates, with
// the effective sample size `effective`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "credible/count.hpp"
#include "credible/subset_dp/states.hpp"

namespace bayesloom::credible {

CountEstimate estimate_count(std::span<Part const> parts, Fixed max_loss, std::uint64_t probes,
                             Rng& rng, std::size_t threads, Control& control);

/// Weights of the choices, by part, variable and choice, as shares of the total weight; and the effective sample
/// size.
struct WeightEstimate {
  std::vector<std::vector<std::vector<double>>> shares;
  double effective = 0;
};

WeightEstimate estimate_weights(std::span<Part const> parts, Fixed max_loss, std::uint64_t probes,
                                Rng& rng, std::size_t threads, Control& control);

}  // namespace bayesloom::credible
