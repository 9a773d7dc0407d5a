// Random walks from the root to a network: unbiased estimates where counting does not end.
//
// A probe unpicks a network G as in live_sets.hpp, step i among those that fit taken with probability p_i.
// It never gets stuck: from every live set some step loses nothing. But G can be unpicked in many ways, one
// for each order of taking away variables without children. So a probe is weighted by
//
//   W = product over steps of  1 / (p_i * s_i),   s_i  the variables of G without children at that step
//
// The products of 1 / s_i over all ways to unpick G add up to 1 (take away one of the s_i at random), so W
// is on average over probes the number of networks [knuth1975: the tree is that of all ways].
// (Walking the states (U, R), which reach a network in one way only, is unbiased too, but most walks
// there end where no variable may go next, and the rest vary without measure.)
//
// Any p_i are right. Near the best ones are those in proportion to the ways that go on behind the step; how many
// there are with a loss of t left is found by a sweep over the live sets, with t rounded to a few steps.
//
// With W * exp(-loss) the same probes give masses; a posterior is then a ratio of two estimates, and as
// good as `effective` networks drawn by mass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "credible/count.hpp"
#include "credible/subset_dp/states.hpp"

namespace bayesloom::credible {

CountEstimate estimate_count(std::span<Part const> parts, Fixed slack, std::uint64_t probes,
                             Rng& rng, Control& control);

/// Masses of the choices, by part, variable and choice, over the mass of all; and what they are worth.
struct MassEstimate {
  std::vector<std::vector<std::vector<double>>> shares;
  double effective = 0;
};

MassEstimate estimate_masses(std::span<Part const> parts, Fixed slack, std::uint64_t probes,
                             Rng& rng, Control& control);

}  // namespace bayesloom::credible
