// The network that a credible set begins with: what is far below it is not credible.
#pragma once

#include <cstddef>
#include <vector>

#include "cache/score_cache.hpp"

namespace bayesloom::credible {

/// The better of a greedy network and that of an order, if one is given. Throws InfeasibleError if
/// there is no network at all.
std::vector<std::size_t> good_network(ScoreCache const& cache, std::vector<Variable> const& order);

}  // namespace bayesloom::credible
