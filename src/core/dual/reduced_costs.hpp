// Reduced costs of candidates, and which candidates they take out (reduced-cost fixing).
//
// Dual prices of clusters [jaakkola2010] give a bound on every network, and the same prices one on
// the networks with candidate P of x: it is lower by what P stands below the best priced candidate
// of x, which is the reduced cost of P in the linear program. Where that is below the limit, P
// goes: no network of at least that score uses it. Fewer candidates part the variables into smaller
// strong components, whose bounds are tighter, and so on until nothing changes. What stays may
// still be of no use; what goes is proved to be. It costs milliseconds where completion values of
// all 2^n sets cost minutes, so credible sets begin with it.
//
// Unlike in a search for the best network, a candidate is never dropped because another is as good.
#pragma once

#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "dual/problem.hpp"

namespace bayesloom::dual {

/// What the bound says of each candidate. Every network has
///   sum of the reduced costs of its candidates <= gap + known - score of the network
/// so those of a network within `max_loss` of the known one add up to gap + max_loss at most.
struct ReducedCosts {
  std::vector<bool> keep;  ///< by candidate of the cache: may a network of that score use it?
  std::vector<Fixed> reduced_cost;  ///< by candidate, at least 0
  Fixed gap = 0;                    ///< of the bound over the known score
  std::vector<Cluster> clusters;    ///< with their prices, by variables of the cache
};

/// Where no prices close the gap, slow ones leave a smaller one. Quick ones take about half of
/// the time, rough ones a twentieth: enough for caches with few candidates.
enum class Pace : std::uint8_t { rough, quick, slow };

/// For networks with a score of at least `limit`. `known` is the score of some network, at least
/// `limit`: prices are moved until the bound is near it. If control says stop, the result is right
/// all the same, and weaker.
ReducedCosts reduced_cost_fixing(ScoreCache const& cache, Fixed known, Fixed limit, Pace pace,
                                 Control& control);

}  // namespace bayesloom::dual
