// A bound on what is still to come when some variables are placed, by cluster prices.
//
// With U the variables placed so far and R the rest, and an inequality on a cluster C active while
// fewer than `need` of its members are placed,
//
//   h(R) = sum over x in R of max over P of [ value(x, P) + prices of the active inequalities that hold x
//          and do not block it with P ]  -  sum over active C of (need - placed members) * price
//
// never falls below what R can still add: the first `need` members of C in any order have fewer
// than need parents inside, and those already placed are among them; an inequality of four counts
// each member placed as not blocked. With plain inequalities h is consistent: placing x with
// parents in U gives it the price of every active inequality that holds it, and takes one price off
// each.
//
// Placing one more variable ends few inequalities, and only the members of these have another
// maximum: `after` costs what that touches. Maxima are remembered by the active inequalities on
// their variable.
//
// At most 64 variables, and of the inequalities the 511 dearest: more would make every step slower
// for little.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dual/problem.hpp"

namespace bayesloom::dual {

class RemainingBound {
 public:
  struct Candidate {
    VarSet parents;
    Fixed value;  ///< minus the loss: at most 0
  };
  struct Inequality {
    VarSet members;
    std::size_t need;
    Fixed price;
    std::array<std::uint8_t, 4> blocks;
  };

  /// Candidates by variable.
  RemainingBound(std::vector<std::vector<Candidate>> const& lists,
                 std::vector<Inequality> inequalities);

  /// h of the rest once `placed` is placed; it is looked at from now on.
  Fixed of(VarSet placed);
  /// The same once x is placed too, after the set looked at; or, where that is at most `least`,
  /// some number that is so too and not below it.
  Fixed after(std::size_t x, Fixed least = nothing);
  /// The variables in those candidates of x that are less than `margin` below its maximum, for the
  /// set looked at.
  VarSet parents_within(std::size_t x, Fixed margin) const;

 private:
  /// What bounds one variable: candidates by their priced value with all inequalities active, which
  /// no other set of active inequalities exceeds.
  struct Priced {
    std::vector<Fixed> full;
    std::vector<Word> paid;     // by candidate: inequalities that pay it, `words_` each
    std::vector<VarSet> reach;  // by candidate: parents in it and all before it
    std::vector<Word> members;  // inequalities that hold the variable
    std::size_t last = 0;       // the candidate that was best the last time
  };
  void prepare(std::size_t x, std::vector<Candidate> const& list);
  static bool blocked(Inequality const& inequality, std::size_t x, VarSet parents);
  Fixed evaluate(std::size_t x, std::vector<Word> const& active);
  Word* slot_of(std::size_t x, std::vector<Word> const& active);
  Fixed best_of(std::size_t x, std::vector<Word> const& active, Word* slot);

  std::vector<Inequality> inequalities_;  // dearest first
  std::vector<Fixed> prices_;             // theirs, close together
  std::size_t words_;                     // of a set of inequalities
  VarSet all_;
  std::vector<Priced> priced_;
  std::vector<Word> slots_;  // recent maxima by variable: active inequalities on it, value
  VarSet placed_;            // the set looked at
  Fixed sum_ = 0;
  std::vector<Word> active_, after_;  // inequalities, for it and for one more variable
  std::vector<Fixed> bests_;
};

/// The bound for a cache of at most 64 variables once some are placed, then for each variable that is
/// not, ascending, the bound once it is placed too. Throws InputError for more variables.
std::vector<Fixed> remaining_bounds(ScoreCache const& cache, std::span<Cluster const> clusters,
                                    VarSet placed);

}  // namespace bayesloom::dual
