// Climbing over orders, for scores that read moments: every variable is tried in every place.
//
// Given an order of the variables, each takes its parents among those before it by growing and shrinking a set
// [lam2022: grow-shrink]. To move v through the order, one place at a time, means for each u that it passes
//
//   to the front   u may take v as a parent, v must do without u
//   to the back    u must do without v, v may take u as a parent
//
// and only parent sets that this touches are grown and shrunk again, from what they were [andrews2023;
// wienobst2025]. v stays where the sum of scores is largest; then the variables whose parents changed, and their
// parents, are tried again, until nobody gains. So an order has a local optimum in a few passes.
//
// Then some variables are put elsewhere at random and the climb goes on from there, round after round; a round that
// ends lower is undone.
//
// Sums are of moments: with L the Cholesky factor of the parents P, one more parent u costs one forward substitution,
//
//   y = L^-1 M_Pu    R_uu = M_uu - y y    R_uv = M_uv - y z    v(i | P + u) = R_vv - R_uv^2 / R_uu
//
// A network that is returned has its scores from NeighbourSets, like any other: what is summed here decides only which
// one that is, and differs by rounding. Runs on one thread; work: parent sets scored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/control.hpp"
#include "parent_sets/hill_climb.hpp"
#include "parent_sets/neighbour_sets.hpp"

namespace bayesloom {

struct OrderClimbOptions {
  /// After the first climb it goes on until so many rounds in a row found nothing better; 0: no
  /// round.
  std::uint64_t patience = 0;
  std::uint64_t seed = 0;
};

/// Whether it can be used: the score reads the moments of one column for each variable, and the rules ask for nothing
/// but a number of parents.
bool climbs_orders(NeighbourSets const& sets);

/// Climbs from the order of a network, and from its parent sets; from the empty network if there are none.
/// Throws InputError if it cannot be used.
ClimbResult climb_orders(NeighbourSets& sets, ParentSets start, OrderClimbOptions const& options,
                         Control& control);

}  // namespace bayesloom
