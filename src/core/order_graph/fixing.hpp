// Makes a component smaller before it is searched.
//
// A candidate whose choice alone lifts the cluster bound above the loss of a known network cannot be
// in a better one and is removed. Fewer candidates mean fewer arcs: the component is split again, and
// the bound is worked out anew for each part, until nothing more is removed. Only what is strictly
// worse goes, so the known network itself stays.
#pragma once

#include <functional>

#include "base/control.hpp"
#include "dual/cluster_bound.hpp"
#include "order_graph/by_component.hpp"
#include "order_graph/order_graph.hpp"

namespace bayesloom::order_graph {

using SolveFixed = std::function<ComponentResult(Component const&, ComponentResult const& known,
                                                 dual::ClusterBound const& clusters)>;

/// Throws InputError for options that cannot be.
void check_preparation(PreparationOptions const& options);

/// Removes candidates, splits, and has `solve` answer for what is left.
ComponentResult solve_after_fixing(Component const& component, ComponentResult const& known,
                                   PreparationOptions const& options, Control& control,
                                   SolveFixed const& solve);

}  // namespace bayesloom::order_graph
