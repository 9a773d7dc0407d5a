// The bound that costs nothing, and the network it suggests.
//
//   bound = sum over variables of the best local score of any candidate
//
// No network scores above it: each variable gets at best its best candidate [malone2011: the simple
// heuristic at the root]. The network places variables one by one, always the one that loses least
// against its best candidate when its parents must be among those already placed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/fixed_point.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom {

Fixed simple_bound(ScoreCache const& cache);

/// One candidate per variable, acyclic; nothing if the greedy placing gets stuck, which happens
/// only where variables lack the empty candidate. Looks at the candidates of a variable again only
/// when one of its possible parents was placed.
std::optional<std::vector<std::size_t>> greedy_network(ScoreCache const& cache);

}  // namespace bayesloom
