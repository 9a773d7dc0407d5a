// The number of networks in an equivalence class, in polynomial time [wienobst2023].
//
// Directing the undirected edges of a CPDAG without a cycle or a new v-structure is possible in each
// chordal component by itself, so the size is a product. For a connected chordal graph G with a rooted
// tree of its maximal cliques,
//
//   #(G) = sum over cliques K of  phi(|K|, FP(K)) * product over H in C_G(K) of #(H)
//
//   C_G(K)   the undirected parts that are left when the variables of K come first in the order
//   FP(K)    the separators on the path from the root to K that lie inside K; they form a chain
//   phi      orders of K none of whose beginnings is a set in FP(K): each network is counted only at
//            the clique nearest to the root that can begin it.
//            phi(S; X_1 < ... < X_l) = |S|! - sum over i of |S - X_i|! * phi(X_i; X_1 .. X_{i-1})
//
// Subgraphs come back often and are remembered by their set of variables.
#pragma once

#include "credible/count.hpp"
#include "graph/network.hpp"

namespace bayesloom::credible {

/// The number of networks equivalent to this one, itself included. Throws ResourceError for 2^128 or
/// more, and for a class with more than 64 variables in one chordal component.
Count class_size(Network const& network);

}  // namespace bayesloom::credible
