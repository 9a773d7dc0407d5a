// Orders as edges that cost nothing: "a before b" for whoever only knows acyclic networks.
//
// A network keeps a set of orders if and only if it stays acyclic with an edge a -> b more for each
// of them. So a is added to every candidate of b, at the same score, and solvers, bounds and credible
// sets are shown the result. Candidates keep their numbers: what is chosen there means the candidate
// of the plain cache, whose parents are the true ones.
//
// Two candidates of b, with and without a, come to have equal parents. Both stay, the better first,
// because they are different networks: a search takes the first, a credible set counts both. So the
// result is no cache for files, and its order among equal scores is not canonical.
#pragma once

#include <span>
#include <utility>

#include "base/variable.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom {

/// The first comes before the second.
using Order = std::pair<Variable, Variable>;

/// Throws InputError for an order of what is no variable, or of a variable with itself.
ScoreCache with_orders(ScoreCache const& cache, std::span<Order const> orders);

}  // namespace bayesloom
