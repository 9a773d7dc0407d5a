// A network: one parent set per variable, without a cycle.
//
// The constructor is the border: whoever holds a Network holds lists that are ascending, in range,
// without repetition and acyclic, and the rest of the core relies on it.
//
// `order` puts parents first and, among the variables that could come next, the smallest index first
// [kahn1962, with a heap]: the same network always has the same order. Cost O(E + n log n).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/variable.hpp"
#include "graph/flat_lists.hpp"

namespace bayesloom {

/// Parents as given, checked for range, repetition and self-parents and sorted, cycles still
/// possible. Throws InputError.
FlatLists checked_parents(std::vector<std::vector<std::uint32_t>> const& parents);

/// Variables of one directed cycle, each a parent of the next and the last of the first; empty if
/// there is none.
std::vector<Variable> find_cycle(FlatLists const& parents);

/// Parents first, smallest index first; nothing if there is a cycle.
std::optional<std::vector<Variable>> topological_order(FlatLists const& parents);

/// Throws InputError for networks or graphs of different numbers of variables.
void require_same_size(std::size_t a, std::size_t b);

class Network {
 public:
  /// Lists must be ascending and in range, as `checked_parents` returns them.
  /// Throws InputError if they hold a cycle.
  explicit Network(FlatLists parents);

  std::size_t size() const { return parents_.size(); }
  std::size_t edge_count() const { return parents_.item_count(); }
  std::span<Variable const> parents(std::size_t variable) const { return parents_[variable]; }
  FlatLists const& parents() const { return parents_; }
  std::span<Variable const> order() const { return order_; }

  /// The parents of each variable, ascending.
  std::vector<std::vector<Variable>> parent_sets() const;
  /// The children of each variable, ascending.
  std::vector<std::vector<Variable>> child_sets() const;

  bool has_edge(Variable from, Variable to) const;
  bool adjacent(Variable a, Variable b) const { return has_edge(a, b) || has_edge(b, a); }

  bool operator==(Network const& other) const { return parents_ == other.parents_; }

 private:
  FlatLists parents_;
  std::vector<Variable> order_;
};

}  // namespace bayesloom
