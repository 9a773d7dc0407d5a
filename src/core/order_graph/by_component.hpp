// From one component to the whole: what every solver of this room shares.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/control.hpp"
#include "subsets/components.hpp"
#include "cache/score_cache.hpp"
#include "graph/solve_result.hpp"

namespace bayesloom::order_graph {

using namespace subsets;

/// The answer for one component. Both losses hold whatever happened: no network of the component
/// loses less than `bound`, and the chosen one loses exactly `loss`.
struct ComponentResult {
  std::vector<std::size_t> candidates;  ///< of the score cache, one per member
  Fixed loss = 0;
  Fixed bound = 0;
};

/// A known network of a component, as losses and candidates.
ComponentResult greedy_component(Component const& component);

/// Splits the cache, has `solve` answer for each component in turn, and puts the answers together.
/// `start` is a known network, one candidate per variable, or empty for the greedy one. Components
/// that were not reached when `control` said stop get the greedy network and the simple bound.
SolveResult solve_by_component(
    ScoreCache const& cache, std::vector<std::size_t> const& start, char const* solver,
    Control& control,
    std::function<ComponentResult(Component const&, ComponentResult const& known)> const& solve);

}  // namespace bayesloom::order_graph
