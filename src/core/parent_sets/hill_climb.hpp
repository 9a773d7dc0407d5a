// Hill climbing over networks, with a tabu list [heckerman1995; glover1989].
//
// A step is the best of all moves that keep the network acyclic: add an edge, remove one, reverse
// one.
//
//   add u -> v       gains s(v, P_v + u) - s(v, P_v)
//   remove u -> v    gains s(v, P_v - u) - s(v, P_v)
//   reverse u -> v   gains both: u leaves P_v, v joins P_u
//
// After a step only the gains of one or two children change. The additions of a child are sorted, best first
// (neighbour_sets.hpp), so the best move over all children is found without visiting most of them: the scan of a child
// ends as soon as its next addition cannot beat the best move so far, and one number per child bounds the gain of its
// removals and reversals. Acyclicity is checked only for moves that would be taken. An addition that closes a cycle
// does so until an edge among the descendants of the child is removed, so each child caches how many of its best
// additions do; when u -> v is removed, the caches of u and its ancestors are cleared.
//
// Past a local optimum the best move is taken even if it loses. A pair of variables that was changed in the last `tabu`
// steps is not changed again, unless that gives the best network so far. The climb ends after `stall` steps without a
// new best network, or if no move is left.
//
// Beyond some hundred variables, distant steps do not affect each other. With `together` above 1, the climb to the
// first local optimum makes that many changes before all threads score the next moves of the changed variables; until
// then these variables do not move. It then continues from random members of the equivalence class, where other edges
// can be added or reversed, until `members` of them in a row bring no gain: a tenth of the cost of a tabu list with
// the same result. The steps do not depend on the number of threads.
//
// Difference from the usual form: all gaining moves are considered, but losing ones only among the best few additions
// of a child. Scores are exact, so reversals within an equivalence class gain exactly 0 and are taken before any losing
// move: the climb walks through the class.
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
