// The known network that a credible set starts from: networks far below it cannot be credible.
#pragma once

#include <cstddef>
#include <vector>

#include "cache/score_cache.hpp"

namespace bayesloom::credible {

/// The better of a greedy network and `known`, one candidate per variable, which may be empty. Throws
/// InfeasibleError if no network exists, and InputError if the given one is not a network.
std::vector<std::size_t> known_network(ScoreCache const& cache,
                                       std::vector<std::size_t> const& given);

Fixed score_of(ScoreCache const& cache, std::vector<std::size_t> const& network);

}  // namespace bayesloom::credible
