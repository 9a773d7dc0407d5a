// Orders among the variables of a network while edges are being directed (directions.hpp).
//
// "a before b" acts as a hidden edge a -> b that may be part of a cycle. Only cycles with such an edge matter here;
// chain_edges.hpp handles the others. Take all edges, open ones in both directions: only strong components that hold
// an order matter, and their variables are *active*.
//
// An edge u - v must point to v if a path from u to v holds an order. For every variable the set of
// orders' first ends that it leads to, and that of those whose order leads to it, are found in one
// pass along an order of the variables; u leads to v by an order if the two sets meet.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "graph/chain_edges.hpp"
#include "graph/network.hpp"
#include "graph/strong_components.hpp"

namespace bayesloom {

class OrderPaths {
 public:
  /// The group of all chain components with an active variable: they are decided together.
  static constexpr std::size_t together = std::numeric_limits<std::size_t>::max();
  enum class Outcome { same, more, broken };

  /// `along` is an order of all variables that network and orders agree with. Steps are added to
  /// `work`.
  OrderPaths(std::vector<std::pair<Variable, Variable>> const& orders,
             std::vector<Variable> const& along, ChainEdges const& edges, std::uint64_t& work);

  /// Chain components that no order joins are decided one by one: the component's number, or
  /// `together`.
  std::size_t group(Variable v) const { return group_[v]; }
  /// Directs every open edge that paths with an order direct; what follows from it is not drawn.
  Outcome direct(ChainEdges& edges);
  /// Whether no cycle holds an order, if open edges are as in the network; no edge before the mark
  /// is turned. A cycle needs a turned edge; all others lead onward in the order of the network: so
  /// only what the heads of turned edges lead to, up to the last of their tails, is looked at.
  bool keeps_orders(ChainEdges const& edges, std::size_t mark);
  /// The open edges on which it depends whether a cycle holds an order.
  std::vector<std::size_t> unsettled(ChainEdges const& edges) const;

 private:
  static constexpr std::size_t none = ChainEdges::none;
  struct Arc {
    Variable to;
    std::size_t edge;   // of the chain edges, or none: always there
    std::size_t first;  // the number of the order's first end, or none: no order
  };

  bool there(Variable from, Arc const& arc, ChainEdges const& edges) const;
  StrongComponents strong_components(ChainEdges const& edges) const;
  std::vector<bool> with_orders(StrongComponents const& part) const;
  void keep_active(StrongComponents const& part);
  void make_groups(ChainEdges const& edges);

  std::vector<std::vector<Arc>> arcs_;  // by variable; open edges from both ends
  std::vector<Variable> active_;
  std::vector<std::size_t> local_;  // number among the active
  std::size_t words_ = 0;           // of a set of first ends
  std::vector<std::size_t> group_;
  std::vector<std::size_t> place_;   // in the order of the network
  std::vector<std::uint64_t> seen_;  // by variable: when; of `keeps_orders`
  std::uint64_t clock_ = 0;
  std::uint64_t& work_;
};

}  // namespace bayesloom
