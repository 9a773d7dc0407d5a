// Finds the best place of a variable x in an order: evaluates all places at once, without moving anything.
//
// Let o be the order without x. With x before position p the score is
//
//   best_x(o[:p]) + sum over i < p of b_i(without x) + sum over i >= p of b_i(with x)
//
// with b_i the best local score of o_i from its predecessors in o, without or with x among them
// [lee2017 section 3; docs/papers/lee2017.md, 6]. Three facts make this cheap:
//
// 1. b_i(with) and b_i(without) differ only for w = o_i with x in some candidate at least as good
//    as the present choice of w (child_lists.hpp). Before x stands w that would gain if x came
//    earlier (`gains`); after x stands w that has x as a parent and would fall back (`losses`).
// 2. best_x is a step function: a candidate is available from the place after its last parent on.
// 3. An earlier place is best right before a child that gains, a later one right after the last
//    parent of a better candidate. So only those are looked at, nearest first, and the scan ends as
//    soon as the gain that is left to win cannot pay for what is lost.
//
// In a good order almost every evaluation ends after one comparison per pair of x.
//
// Which variables must be looked at again after a move follows from the same facts: `apply` adds to
// the dirty set every variable whose best gain may have risen, so when the set is empty the order
// is a local optimum of the whole insert neighbourhood. Here w is a child of the moved x.
//
//   - parents in the candidates of x up to its worse choice, old or new: x moved, or values them
//     anew;
//   - w that x has passed: w itself, and parents in its candidates up to its worse choice, unless x
//     went away and w had not chosen it (then nothing got better for anybody);
//   - if x came earlier: w before x with a better candidate that contains x, and w behind x if some
//     child pulls w forward (`OrderState::pull`).
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "orders/choice_memo.hpp"
#include "orders/dirty_set.hpp"
#include "orders/order_state.hpp"

namespace bayesloom::orders {

/// A new place for a variable, what it then chooses, and what the order gains.
struct Insert {
  Place place;
  Rank choice;
  Fixed gain;
};

inline constexpr Fixed impossible_gain = std::numeric_limits<Fixed>::min();

class InsertKernel {
 public:
  explicit InsertKernel(CandidateTable const& table);

  /// The best insert of x, the nearest among equals; its present place and a gain of 0 if none
  /// gains.
  Insert best(OrderState& state, Variable x);

  /// The gain of every place, that of place p at p - 1, `impossible_gain` where some variable
  /// would be left without a candidate. O(n) on top of an unpruned look at x.
  std::span<Fixed const> all(OrderState& state, Variable x);

  /// The insert of x at one place, gaining or not; its gain may be `impossible_gain`.
  Insert at(OrderState& state, Variable x, Place place);

  /// Moves x; the insert must be the answer to the latest `best` or `at`, for this x and state.
  void apply(OrderState& state, Variable x, Insert const& insert, DirtySet& dirty);

 private:
  struct Shift {
    Place place;
    Variable child;
    Rank choice;   // once x has passed
    Fixed amount;  // what the child gains or loses, never negative
  };

  Rank with(OrderState const& state, Variable x, std::size_t pair, Variable w);
  Rank without(OrderState& state, Variable x, Variable w);
  Insert best_earlier(OrderState const& state, Variable x, Fixed total);
  void improve_later(OrderState& state, Variable x, Insert& best);
  void find_steps(OrderState const& state, Variable x, Fixed least);
  void collect(OrderState& state, Variable x);
  std::size_t open_from(OrderState const& state, Variable x, Rank rank) const;
  void mark_candidates(Variable v, Rank last, DirtySet& dirty) const;

  CandidateTable const& table_;
  ChoiceMemo memo_;
  std::vector<Shift> gains_;   // children before x, nearest first
  std::vector<Shift> losses_;  // children after x, nearest first
  std::vector<std::pair<Place, Rank>> steps_;
  std::vector<Fixed> gain_;  // n, by place - 1
};

}  // namespace bayesloom::orders
