// Completion values of the sets that a credible network can leave, and of few others.
//
// All 2^m sets of a component are out of reach beyond some thirty variables, and most of them lead
// nowhere. Here sets grow from none, one variable at a time: a layer of sets with k variables gives
// that with k + 1,
//
//   D[U + x] = min over x of  D[U] + loss*(x, U),      kept if  D[U] + h(V - U) <= limit
//
// with h the remaining bound, on what the other variables lose at least, by dual prices
// (dual/remaining_bound.hpp). A set that remains in a network within the limit is kept, since D + h
// never exceeds the network's loss, and all its predecessors are kept with it: values of such sets
// are exact. It is the search of the order graph [yuan2013] with the bound of the relaxation
// [jaakkola2010], breadth first and for all networks near the best at once. On wdbc (31 variables,
// F = 3) 12,000 of 2^31 sets are kept.
//
// Threads take sets of a layer and fill tables of their own, which are put together by the least
// loss: values do not depend on their number.
//
// Sparse networks of many variables have too many such sets; there the memory ends it, and diagrams
// serve (diagram/diagram.hpp).
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
