// The parent sets of one child that may matter, for scores with bounds by parent states. Private to the room.
//
// The other variables are numbered, each next the one that leaves the least joint entropy of all numbers
// so far: the low numbers, which are to come the longest, then keep most rows together. On insurance1000
// that takes 1/40 to 1/900 of the sets that the best single parents first took. A parent set grows by
// numbers below all it has:
//
//   {} -> {0}, {1}, {1, 0}, {2}, {2, 0}, {2, 1}, {2, 1, 0}, {3}, ...
//
// so every subset comes before the set, and a set P with least number k stands for all P + C', C'
// inside C = {0 .. k-1}. Rows that agree on all of C stay together for good: they are merged, and
// the bounds of cell_bounds.hpp, which are the sharper the fewer such atoms there are, cut off the
// whole branch if none of it can come within the margin of the best subset. Cells are split one by
// one, each bound replaced by those of its parts, and most branches are cut off before the last.
//
// Against the enumeration by levels: a set is counted for one child at a time, but far fewer are.
// There a set must be left alive for all supersets, whatever is added, and with all other variables
// to come most atoms are single rows.
//
// The best score of a subset of P + v is that of P, or that of a subset with v in it, whose least
// number then is v: sets that beat all their subsets are listed by least number, best first.
#pragma once

#include <cstdint>
#include <span>

#include "base/control.hpp"
#include "data/encoded_data.hpp"
#include "parent_sets/parent_sets.hpp"
#include "score/score.hpp"

namespace bayesloom {

struct ChildResult {
  CandidateList kept;        ///< in the order in which they were found
  std::uint64_t scored = 0;  ///< local scores computed
  bool cut = false;          ///< a set of max_parents might have grown further
};

/// Finds the sets of `useful` variables that may matter to a child. Stopped, it is without meaning.
ChildResult search_child(EncodedData const& data, ScoreSpec const& spec,
                         ExhaustiveOptions const& options, std::span<Variable const> useful,
                         Variable child, Control& control);

}  // namespace bayesloom
