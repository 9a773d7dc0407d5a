// Random walks from the root to a network: unbiased estimates where counting does not end [knuth1975].
//
// A probe takes one step after the other, step i with probability p_i; the product W of all 1 / p_i is, on
// average over probes, the number of networks, for a network is reached in one way only. A probe that
// gets stuck counts 0, and one that meets a counted state can end there with the number that is known.
// Steps that lose much have fewer networks behind them, so p_i is proportional to exp(-2 delta): any
// probabilities are right, and these vary W less than equal ones.
//
// With W * exp(-loss) the same probes give masses; a posterior is then a ratio of two estimates, and as
// good as `effective` networks drawn by mass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "credible/states.hpp"

namespace bayesloom::credible {

/// An unbiased estimate of a number of networks, with its standard error.
struct CountEstimate {
  double count = 0;
  double error = 0;
  std::uint64_t probes = 0;
};

CountEstimate estimate_count(std::span<Part const> parts, Fixed slack, States const& states,
                             std::uint64_t probes, Rng& rng, Control& control);

/// Masses of the choices, by part, variable and choice, over the mass of all; and what they are worth.
struct MassEstimate {
  std::vector<std::vector<std::vector<double>>> shares;
  double effective = 0;
};

MassEstimate estimate_masses(std::span<Part const> parts, Fixed slack, std::uint64_t probes,
                             Rng& rng, States const& states, Control& control);

}  // namespace bayesloom::credible
