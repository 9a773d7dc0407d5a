// A network that changes edge by edge: its children, and whether a path leads from one variable to another.
//
// An order is kept in which parents come before children. A path only leads forward in it, so that most
// questions are answered by two places, and the others by a search between the two from both ends at once, which
// is over when either has nothing more to look at. Where v stands before u,
// an edge u -> v gives what is above u, down to the place of v, and what is below v, up to the place of u, their own
// places anew, the former first [pearce2006]; others stay where they are, however many stand between. An edge that goes
// leaves the order as it is. A search among all that is below a variable, or moving all between two places, would take
// most of a climb's time beyond ten thousand variables.
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
  /// What is next to v by `next`, and next to that, as far as `allowed` says; v first.
  template <typename Allowed>
  void collect(Variable v, std::vector<std::vector<Variable>> const& next, Allowed const& allowed,
               std::vector<Variable>& found);

  std::vector<std::vector<Variable>> children_, parents_;  // the latter in any order
  std::vector<std::uint32_t> place_;                       // of each variable in the order
  std::vector<std::uint64_t> seen_, seen_above_;  // with the number of the search that marked it
  std::uint64_t search_ = 0;
  std::vector<Variable> above_, below_;
  std::vector<std::uint32_t> free_;  // places to give anew
};

}  // namespace bayesloom
