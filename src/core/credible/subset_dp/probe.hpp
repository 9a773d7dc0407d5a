// Random walks from the root to a network: unbiased estimates where counting does not end.
//
// A walk removes the sinks of a network G as in live_sets.hpp, step i among those that fit taken with
// probability p_i. It never gets stuck: from every live set some step has delta 0. But G can be taken
// apart in many ways, one for each order of removing sinks. So a walk is weighted by
//
//   W = product over steps of  1 / (p_i * s_i),   s_i  the number of sinks of G at that step
//
// The products of 1 / s_i over all ways to take G apart add up to 1 (remove one of the s_i at
// random), so the mean of W is the number of networks [knuth1975: the tree is that of all ways].
// (Walks over the states (U, R), which reach a network in one way only, are unbiased too, but most of
// them end where no variable may be removed next, and the weights of the rest vary beyond measure.)
//
// Any p_i are right. Near the best ones are those in proportion to the number of ways behind the step;
// how many there are with a loss of t left is found by a pass over the live sets, with t rounded to a
// few steps.
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

/// Weights of the choices, by part, variable and choice, over the weight of all; and what they are worth.
struct WeightEstimate {
  std::vector<std::vector<std::vector<double>>> shares;
  double effective = 0;
};

WeightEstimate estimate_weights(std::span<Part const> parts, Fixed max_loss, std::uint64_t probes,
                                Rng& rng, std::size_t threads, Control& control);

}  // namespace bayesloom::credible
