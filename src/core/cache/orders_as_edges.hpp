// Compiles orders "a before b" into a score cache, as edges that cost nothing.
//
// A network keeps a set of orders if and only if it stays acyclic with one more edge a -> b for each of them. So a is
// added to every candidate of b, at the same score, and solvers, bounds and credible sets get the result. Candidates
// keep their numbers: a choice in the result is a choice in the original cache, which has the true parents.
//
// Two candidates of b, with and without a, then have equal parents. Both stay, the better first, because they are
// different networks: a search takes the first, a credible set counts both. So the result is not a cache for files,
// and its order among equal scores is not canonical.
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
