// Prices for a cache of very many candidates that grows, worked on over those that matter.
//
// Any prices give a bound over all candidates (problem.hpp), but few candidates decide where good ones lie:
// those whose priced score is near the best of their variable. So prices are moved over these few alone,
//
//   1. by candidates within  the `top` best priced ones of each variable, and the empty set, which stay
//   2. steps                 on their prices, smoothed, at one temperature
//   3. bound                 of these prices over all candidates, in whole numbers; a variable whose best is now
//                            outside gets it in 1
//
// and so on, colder each time, as columns come into a linear program. Steps cost what few candidates cost, and
// the bound is that of all. On half a million candidates of a hundred variables that gives in three seconds
// what steps over all give in fifteen.
//
// A cache that has grown goes on from the prices of before: they cover new candidates that are no better
// priced than the best of their variable, and are moved for the others. Colder and colder steps end near the
// candidates they were made for, so it begins hot again each time; what was moved last is gone on from even
// where its bound is not the least yet.
#pragma once

#include <span>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "dual/problem.hpp"

namespace bayesloom::dual {

struct RestrictedPrices {
  Fixed gap = 0;                    ///< of the least bound over the known score
  std::vector<Fixed> reduced_cost;  ///< by candidate of the cache, at least 0, of that bound
  std::vector<Cluster> clusters;    ///< with the prices of that bound
  std::vector<Cluster> last;        ///< with the prices moved last, to go on from
};

/// `known` is the score of some network of the cache. Each of `given` is tried, and the last is gone on from.
/// Ends when control says stop, when the bound is that score, or when cold steps gain nothing.
RestrictedPrices restricted_prices(ScoreCache const& cache, Fixed known,
                                   std::span<std::vector<Cluster> const> given, Control& control);

}  // namespace bayesloom::dual
