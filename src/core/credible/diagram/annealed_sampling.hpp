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
// A move redraws the parent sets P of x and Q of y from their exact conditional distribution, given all others.
// With the edges into x and y removed, let D(x) be the descendants of x. P and Q close no cycle if P misses D(x),
// Q misses D(y), and not both P meets D(y) and Q meets D(x). So one pass over each list is enough, and no move
// is rejected. Reversing an edge is one such move.
//
// Bias: networks that few moves within the limit lead to are sampled too rarely, so the estimate tends to be low:
// by 4 to 9 percent from F = 20 to 150 on three tables where both counts are known
// (benchmarks/tables/liao2018/table1). It is used only if sequential Monte Carlo, which is unbiased, has an
// effective sample size below a hundred: on bands at F = 20 none of its 3,500 particles reaches a network, and on
// lung-cancer at F = 150 it estimates 2e14 where there are 1e15.
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

/// Estimates how many networks a set has from a smaller set whose count is complete. Nothing if stopped before two
/// runs ended. Throws InputError if the smaller set is not counted, or is not a subset of the other.
std::optional<CountEstimate> annealed_count(CredibleSet const& set, CredibleSet& near,
                                            AnnealingOptions const& options, Control& control);

}  // namespace bayesloom::credible
