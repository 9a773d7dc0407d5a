// Orders as edges that cost nothing: which paths a choice makes, where "a before b" is to hold.
//
// A network keeps a set of orders if and only if it stays acyclic with an edge a -> b more for each
// of them. So a is added to every candidate of b, at the same score, and whoever asks only whether
// choices are acyclic (components, bounds, the search for the best) is shown the result. Candidates
// keep their numbers: what is chosen there means the candidate of the plain cache, whose parents
// are those that are listed and averaged over.
//
// Two candidates of b, with and without a, come to have equal parents. Both stay, unlike in a cache
// for a search (constrained.py), because they are different networks; so the result is no cache for
// files, and its order among equal scores is not canonical.
#pragma once

#include <span>
#include <utility>

#include "base/variable.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom::credible {

/// The first comes before the second.
using Order = std::pair<Variable, Variable>;

/// Throws InputError for an order of what is no variable, or of a variable with itself.
ScoreCache with_orders(ScoreCache const& cache, std::span<Order const> orders);

}  // namespace bayesloom::credible
