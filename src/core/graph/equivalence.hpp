// Equivalence classes: networks that say the same about independence.
//
// Two networks are equivalent if and only if they have the same skeleton and the same v-structures
// a -> c <- b with a, b not adjacent [verma1990]. The CPDAG is the picture of the class: an edge is
// compelled (directed) if it points the same way in every member, else reversible (undirected).
//
// `cpdag` labels the edges as [chickering1995]. Variables y are visited parents first; let x be the
// parent of y that comes last in the order.
//
//   1. For every compelled w -> x: if w is not a parent of y, all edges into y are compelled;
//      otherwise w -> y is compelled.
//   2. If some parent z != x of y is not a parent of x, all edges into y are compelled;
//      otherwise the edges into y without a label are reversible.
//
// The paper states it edge by edge; as both steps end with a label on every edge into y, one x per y
// is enough, and with one array of marks the whole costs O(n + E).
#pragma once

#include "graph/mixed_graph.hpp"
#include "graph/network.hpp"

namespace bayesloom {

/// The picture of the network's equivalence class; equal for equivalent networks and only for them.
MixedGraph cpdag(Network const& network);

/// Same skeleton and same v-structures, looked at directly: O(sum of squared parent counts), up to a
/// logarithm, and most pairs of networks part at the skeleton in O(E). Throws InputError for networks of different
/// size.
bool is_equivalent(Network const& a, Network const& b);

/// Whether reversing the edge gives an equivalent network: the parents of `to` are `from` and the
/// parents of `from` [chickering1995]. Throws InputError if there is no such edge.
bool is_covered(Network const& network, std::size_t from, std::size_t to);

}  // namespace bayesloom
