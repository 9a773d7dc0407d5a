// Best-first search over sets of placed variables, bounded by the prices of a node.
//
// With g(U) the best value of placing U first and h(R) the bound on what the rest can still add
// (dual/remaining_bound.hpp), f = g + h never falls below what a set can lead to, and the first set
// that is complete when it has the largest f is the best network. With plain inequalities h is
// consistent; with inequalities of four a set may be reached by a better way after it was expanded,
// and is then expanded again. This is the search of the order graph [yuan2013] with the bound of the
// relaxation.
//
// Two things keep sets apart that need not be visited. A variable whose best candidate is available
// is placed at once. Otherwise let i point to j if a candidate of j that can still be part of a
// network above the floor contains i: a set of variables that nothing outside points to is placed
// first, the smallest one found. So parts that do not depend on each other are not mixed in every
// possible way.
//
// Nodes of up to 64 variables. Memory: about 60 bytes for each set that may lead above the floor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/control.hpp"
#include "base/set_table.hpp"
#include "dual/problem.hpp"
#include "dual/remaining_bound.hpp"
#include "relaxation/node_result.hpp"

namespace bayesloom::relaxation {

using namespace dual;

class OrderProof {
 public:
  static constexpr std::size_t most_variables = 64;

  /// Of a node with at most `most_variables` variables; only networks above the floor count.
  OrderProof(Problem const& node, Fixed floor, double memory_bytes);

  /// Goes on until proved, out of memory, or control says stop. Work: sets looked at.
  void run(Control& control);

  /// There is nothing above the floor, or the best of it was found.
  bool proved() const { return proved_; }
  /// It holds all the sets it may hold: running it again is of no use.
  bool full() const { return full_; }
  /// What is known now. If proved, its bound is the value found, or the floor.
  NodeResult result() const;
  std::size_t expanded() const { return expanded_; }

 private:
  struct Candidate {
    VarSet parents;
    Fixed value;
    std::size_t origin;
  };
  struct Reached {
    Fixed value;        // the best way to place the set
    Fixed remaining;    // h of the rest
    std::uint8_t last;  // placed last
    bool expanded;
    friend constexpr bool operator==(Reached const& a, Reached const& b) {
      return a.value == b.value;
    }
  };
  struct Open {
    Fixed total;
    Fixed value;
    VarSet set;
  };

  void number_variables(Problem const& node);
  RemainingBound bound_of(Problem const& node) const;
  void expand(Open const& node);
  void place(Open const& node, std::size_t x, Candidate const& candidate);
  Candidate const* available(std::size_t x, VarSet placed) const;
  VarSet closed_set(VarSet rest, Fixed margin);
  bool over_memory() const;

  static bool later(Open const& a, Open const& b);

  Fixed const floor_;
  double const memory_;
  Fixed base_ = 0;
  std::vector<std::pair<Index, std::size_t>> placed_;
  std::vector<Index> variables_;               // by number
  std::vector<std::vector<Candidate>> lists_;  // by number, best loss first
  std::optional<RemainingBound> remaining_;
  VarSet all_;
  std::vector<VarSet> parents_;  // scratch: by variable
  SetTable<Reached, Reached{nothing, 0, 0, false}> reached_;
  std::vector<Open> open_;
  bool proved_ = false, full_ = false;
  Fixed value_ = nothing;
  std::size_t expanded_ = 0;
};

}  // namespace bayesloom::relaxation
