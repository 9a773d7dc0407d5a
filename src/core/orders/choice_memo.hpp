// What a variable chooses from a set of predecessors, remembered.
//
// A search around one good order asks for the same (variable, predecessors) again and again. Where
// the candidate lists are long (tens of thousands for a dense BDeu cache) and at most 64 variables
// fit one word, an answer is looked up here before a list is scanned, and a candidate costs one
// `and`:
//
//   available  <=>  predecessors contain all parents
//
// The memo is a plain table with one entry per slot, the later answer taking the place of the
// earlier one; it never changes an answer. One memo per island: no locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orders/order_state.hpp"
#include "orders/tuning.hpp"

namespace bayesloom::orders {

class ChoiceMemo {
 public:
  explicit ChoiceMemo(CandidateTable const& table);

  /// Whether lists of this length are to be asked for here; short ones are scanned by the caller.
  bool serves(std::size_t length) const { return !entries_.empty() && length > tuning::short_list; }

  /// The first rank of v whose parents are all among the predecessors, count(v) if there is none.
  /// No rank before `from` may be available.
  Rank first(Variable v, Rank from, VarSet predecessors);

 private:
  struct Entry {
    VarSet predecessors;
    Rank rank;
    Variable variable;
  };

  CandidateTable const& table_;
  std::vector<Entry> entries_;
  int shift_ = 0;
};

}  // namespace bayesloom::orders
