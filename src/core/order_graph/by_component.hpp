// Splits a score cache into components, solves each, and combines the results: shared by all solvers of this room.
//
// Preparation first removes candidates that no network as good as a known one uses (reduced-cost fixing,
// dual/reduced_costs.hpp). Fewer candidates mean fewer arcs and smaller components, and the same dual prices bound
// the search of each component.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "dual/remaining_bound.hpp"
#include "graph/solve_result.hpp"
#include "order_graph/order_graph.hpp"
#include "subsets/components.hpp"

namespace bayesloom::order_graph {

using namespace subsets;

/// The result for one component. Both losses are valid even if the search was stopped: no network of the component
/// loses less than `bound`, and the chosen one loses exactly `loss`.
struct ComponentResult {
  std::vector<std::size_t> candidates;  ///< of the score cache, one per member
  Fixed loss = 0;
  Fixed bound = 0;
};

/// A known network of a component, as losses and candidates.
ComponentResult greedy_component(Component const& component);

/// Splits the cache, calls `solve` for each component in turn, and combines the results.
/// `start` is a known network, one candidate per variable, or empty for the greedy one. Components
/// that were not reached when `control` said stop get the greedy network and the simple bound.
SolveResult solve_by_component(
    ScoreCache const& cache, std::vector<std::size_t> const& start, char const* solver,
    Control& control,
    std::function<ComponentResult(Component const&, ComponentResult const& known)> const& solve);

/// Throws InputError for options that cannot be.
void check_preparation(PreparationOptions const& options);

using SolvePrepared = std::function<ComponentResult(Component const&, ComponentResult const& known,
                                                    dual::RemainingBound const& remaining)>;

/// The same after preparation; `remaining` bounds what the members not placed can add, and minus
/// that is the least they lose.
SolveResult solve_prepared(ScoreCache const& cache, std::vector<std::size_t> const& start,
                           char const* solver, PreparationOptions const& options, Control& control,
                           SolvePrepared const& solve);

}  // namespace bayesloom::order_graph
