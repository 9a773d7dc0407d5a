// Hill climbing over networks, with a tabu list [heckerman1995; glover1989].
//
// A step is the best of all moves that keep the network acyclic: add an edge, remove one, reverse
// one.
//
//   add u -> v       gains s(v, P_v + u) - s(v, P_v)
//   remove u -> v    gains s(v, P_v - u) - s(v, P_v)
//   reverse u -> v   gains both: u leaves P_v, v joins P_u
//
// After a step only the gains of one or two children change. Additions of a child are kept best
// first (neighbour_sets.hpp), so the best move over all children is found without a look at most of
// them: a child is left as soon as its next addition cannot beat the best move so far, and one
// number per child says what its removals and reversals can gain. Whether a move closes a cycle is
// asked for those that would be taken only. An addition that closes one does so until an edge below
// the child is gone, so each child remembers how many of its best additions do; when u -> v goes, u
// and all above it forget.
//
// Past a local optimum the best move is taken although it loses. A pair of variables that was
// touched in the last `tabu` steps is left alone, unless the move leads to the best network so far.
// The climb ends after `stall` steps without a new best network, or where no move is left.
//
// Beyond some hundred variables steps far apart do not touch each other. With `together` above 1 the climb to
// the first local optimum takes so many changes before all threads score what the changed variables can do
// next; until then these rest. Then it goes on from other members of the equivalence class, drawn at random,
// where other edges can be added or turned, until `members` of them in a row have brought nothing: this costs
// a tenth of what the tabu list takes to get as far. Which steps are taken does not depend on the number of threads.
//
// Differs from the usual form: moves that lose are looked for among the best few additions of a
// child only; those that gain are all there. Scores are exact, so reversals within an equivalence
// class gain exactly 0 and are taken before anything that loses: the climb walks through the class.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/control.hpp"
#include "parent_sets/neighbour_sets.hpp"

namespace bayesloom {

struct ClimbOptions {
  std::size_t tabu = 20;
  std::size_t stall = 100;
  std::size_t together = 1;
  std::size_t members = 3;  ///< with `together` above 1
  std::uint64_t seed = 0;
};

struct ClimbResult {
  ParentSets parents;
  Fixed score = 0;
  std::uint64_t steps = 0;
};

/// Climbs from a network that keeps the rules; empty parents mean the required edges alone.
/// Throws InputError if the start has a cycle or breaks a rule.
ClimbResult hill_climb(NeighbourSets& sets, ParentSets start, ClimbOptions const& options,
                       Control& control);

}  // namespace bayesloom
