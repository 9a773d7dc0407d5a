// A network that changes edge by edge: its children, and whether a path leads from one variable to another.
//
// An order is kept in which parents come before children. A path only leads forward in it, so that most
// questions are answered by two places, and the others by a search that stays between the two. An edge u -> v whose
// v stands before u moves v, and what is below v up to the place of u, behind u [pearce2006]; an edge that goes
// leaves the order as it is. A search among all that is below a variable would take most of a climb's time beyond
// ten thousand variables.
//
// Lists of children are ascending; an edge may stand in them more than once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/variable.hpp"

namespace bayesloom {

class ChangingNetwork {
 public:
  /// The children of each variable. Throws InputError if there is a cycle.
  explicit ChangingNetwork(std::vector<std::vector<Variable>> children);

  std::span<Variable const> children(Variable v) const { return children_[v]; }

  /// Whether a path leads from one variable to another; `around` leaves a direct edge out.
  bool leads(Variable from, Variable to, bool around = false);

  /// Adds an edge that closes no cycle.
  void add(Variable from, Variable to);
  void remove(Variable from, Variable to);

  /// Goes over to another network, given as its children.
  void replace(std::vector<std::vector<Variable>> children);

 private:
  void find_order();
  /// Marks what is below a variable and not behind a place.
  void mark_below(Variable v, std::uint32_t last);

  std::vector<std::vector<Variable>> children_;
  std::vector<Variable> order_;
  std::vector<std::uint32_t> place_;  // of each variable in it
  std::vector<std::uint64_t> seen_;   // with the number of the search that marked it
  std::uint64_t search_ = 0;
  std::vector<Variable> stack_, moved_;
};

}  // namespace bayesloom
