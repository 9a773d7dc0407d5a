// The network that a credible set begins with: what is far below it is not credible.
#pragma once

#include <cstddef>
#include <vector>

#include "cache/score_cache.hpp"

namespace bayesloom::credible {

/// The better of a greedy network and the given one, a candidate per variable, or none. Throws
/// InfeasibleError if there is no network at all, and InputError if the given one is none.
std::vector<std::size_t> known_network(ScoreCache const& cache,
                                       std::vector<std::size_t> const& given);

Fixed score_of(ScoreCache const& cache, std::vector<std::size_t> const& network);

}  // namespace bayesloom::credible
