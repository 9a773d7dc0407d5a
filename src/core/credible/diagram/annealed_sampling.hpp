// Annealed sampling: an estimate of the number of networks from a smaller set that is counted.
//
// Let  Z(b) = sum over credible G of exp(-b * loss(G)),  where the loss is best - score >= 0. Z(0)
// is the number of networks. At a high rate b most of Z(b) lies in networks near the best, which
// form a smaller set that can be counted. From there to rate 0, with networks sampled at rate b,
//
//   Z(b)          =  Z(b) of the smaller set / share of samples that are in the smaller set
//   Z(b') / Z(b)  =  mean of exp((b - b') * loss)
//
// Particles, each a network, follow the falling rate [delmoral2006]: they are drawn from the smaller
// set, weighted, resampled by weight, and moved by a Markov chain that leaves the distribution of
// the rate as it is. Independent runs give the standard error.
//
// A move draws the parent sets P of x and Q of y anew, all others given, from exactly their
// conditional distribution. With the edges into x and y taken out, let D(x) be the descendants of x.
// Then P and Q close no cycle if P misses D(x), Q misses D(y), and not both P meets D(y) and Q meets
// D(x): so one pass over either list is enough, and no move is rejected. Turning an edge is one such
// move.
//
// Bias: networks that few moves within the limit lead to are found too seldom, so the estimate tends
// to be low. From F = 20 to 150 it is so by 4 to 9 percent on three tables where both counts are
// known (benchmarks/tables/liao2018/table1). It is used only where sequential Monte Carlo, which is
// unbiased, has an effective sample size below a hundred: on bands at F = 20 none of 3,500 particles
// of that comes to an end, and on lung-cancer at F = 150 it gives 2e14 where there are 1e15.
#pragma once

#include <cstdint>
#include <optional>

#include "base/control.hpp"
#include "credible/credible.hpp"

namespace bayesloom::credible {

struct AnnealingOptions {
  std::size_t runs = 16;         ///< independent particle systems, 2 or more
  std::size_t particles = 1000;  ///< networks in each
  std::size_t threads = 1;
  std::uint64_t seed = 0;
};

/// How many networks a set has, from a smaller set that is counted to the end. Nothing if stopped
/// before two runs came to an end. Throws InputError if the smaller set is not counted, or is no
/// part of the other.
std::optional<CountEstimate> annealed_count(CredibleSet const& set, CredibleSet& near,
                                            AnnealingOptions const& options, Control& control);

}  // namespace bayesloom::credible
