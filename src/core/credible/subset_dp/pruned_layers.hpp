// Completion values of the sets that can remain of a credible network, and of few others.
//
// Beyond some thirty variables a component has too many sets to store them all, and most are of no use. Here sets
// grow from the empty set, one variable at a time: the layer of sets with k variables gives the layer with k + 1,
//
//   D[U + x] = min over x of  D[U] + loss*(x, U),      kept if  D[U] + h(V - U) <= limit
//
// where h bounds from below what the other variables lose, by dual prices (dual/remaining_bound.hpp). If a set
// remains of a network within the limit, D + h does not exceed that network's loss, so the set is kept, and so are
// all its predecessors: the values of such sets are exact. This is breadth-first search of the order graph
// [yuan2013] with the bound of the relaxation [jaakkola2010], for all networks near the best at once. On wdbc
// (31 variables, F = 3) 12,000 of 2^31 sets are kept.
//
// Threads share the sets of a layer and fill separate tables, which are merged by the least loss: values do not
// depend on the number of threads.
//
// Sparse networks of many variables have too many such sets for the memory; diagrams handle these
// (diagram/diagram.hpp).
#pragma once

#include <memory>

#include "base/control.hpp"
#include "credible/component.hpp"
#include "credible/diagram/subproblem_bound.hpp"
#include "credible/subset_dp/completion.hpp"

namespace bayesloom::credible {

/// Exact values of all sets that are live within `limit`, a loss of the component; no_loss for sets
/// that are not kept. Nothing if stopped or if more than `most_sets` are kept.
std::unique_ptr<Completion> pruned_layers(Component const& component, Prices const& prices,
                                          Fixed limit, std::size_t most_sets, std::size_t threads,
                                          Control& control);

}  // namespace bayesloom::credible
