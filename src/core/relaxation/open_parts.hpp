// What is open of a proof, as parts that others can go on with (subtree.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cache/score_cache.hpp"
#include "dual/problem.hpp"
#include "relaxation/relaxation.hpp"
#include "relaxation/tree.hpp"

namespace bayesloom::relaxation {

/// The components of a cache, their bounds, and what the best network known loses there.
struct Components {
  ScoreCache const& cache;
  std::span<dual::Problem const> problems;
  std::span<Fixed const> bounds, own;
  std::vector<std::size_t> const& network;
};

/// Component k by itself; `best` is what its variables score without any inequality.
OpenPart open_component(Components const& components, std::size_t k, Fixed best);

/// A node of component k with all of the other components; `trivial` is the bound without any inequality. A
/// component that is proved is decided: it counts with what it is worth, whatever else is taken.
OpenPart open_subtree(Components const& components, std::size_t k, OpenNode node, Fixed trivial);

/// All networks, with the prices that are known.
OpenPart open_whole(Components const& components, Fixed bound);

}  // namespace bayesloom::relaxation
