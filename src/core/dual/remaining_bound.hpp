// A bound on what is still to come when some variables are placed, by cluster prices.
//
// With U the variables placed so far and R the rest, and a rule on a cluster C active while fewer
// than `need` of its members are placed,
//
//   h(R) = sum over x in R of max over P of [ loss(x, P) + prices of the active rules that hold x
//          and do not block it with P ]  -  sum over active C of (need - placed members) * price
//
// never falls below what R can still add: the first `need` members of C in any order have fewer
// than need parents inside, and those already placed are among them; a rule of four counts each
// member placed as not blocked. With plain rules h is consistent: placing x with parents in U gives
// it the price of every active rule that holds it, and takes one price off each.
//
// Placing one more variable ends few rules, and only the members of these have another maximum:
// `after` costs what that touches. Maxima are remembered by the active rules on their variable.
//
// At most 64 variables, and of the rules the 511 dearest: more would make every step slower for
// little.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dual/problem.hpp"

namespace bayesloom::prices {

class Ahead {
 public:
  struct Candidate {
    VarSet parents;
    Fixed loss;  ///< at most 0, as in a node
  };
  struct Rule {
    VarSet members;
    std::size_t need;
    Fixed price;
    std::array<std::uint8_t, 4> blocks;
  };

  /// Candidates by variable.
  Ahead(std::vector<std::vector<Candidate>> const& lists, std::vector<Rule> rules);

  /// h of the rest once `placed` is placed; it is looked at from now on.
  Fixed of(VarSet placed);
  /// The same once x is placed too, after the set looked at; or, where that is at most `least`,
  /// some number that is so too and not below it.
  Fixed after(std::size_t x, Fixed least = nothing);
  /// The variables in those candidates of x that are less than `slack` below its maximum, for the
  /// set looked at.
  VarSet parents_within(std::size_t x, Fixed slack) const;

 private:
  /// What bounds one variable: candidates by their priced value with all rules active, which no
  /// other set of active rules exceeds.
  struct Priced {
    std::vector<Fixed> full;
    std::vector<Word> paid;     // by candidate: rules that pay it, `words_` each
    std::vector<VarSet> reach;  // by candidate: parents in it and all before it
    std::vector<Word> members;  // rules that hold the variable
  };
  void prepare(std::size_t x, std::vector<Candidate> const& list);
  static bool blocked(Rule const& rule, std::size_t x, VarSet parents);
  Fixed evaluate(std::size_t x, std::vector<Word> const& active) const;
  Fixed best_of(std::size_t x, std::vector<Word> const& active);

  std::vector<Rule> rules_;  // dearest first
  std::size_t words_;        // of a set of rules
  VarSet all_;
  std::vector<Priced> priced_;
  std::vector<Word> slots_;  // recent maxima by variable: active rules on it, value
  VarSet placed_;            // the set looked at
  Fixed sum_ = 0;
  std::vector<Word> active_, after_;  // rules, for it and for one more variable
  std::vector<Fixed> bests_;
};

}  // namespace bayesloom::prices
