// Climbing over orders, for scores that read moments: every variable is tried in every place.
//
// Given an order of the variables, each takes its parents among those before it by growing and shrinking a set
// [lam2022: grow-shrink]. To move v through the order, one place at a time, means for each u that it passes
//
//   to the front   u may take v as a parent, v must do without u
//   to the back    u must do without v, v may take u as a parent
//
// and only parent sets that this touches are grown and shrunk again, from what they were [andrews2023;
// wienobst2025]. Bits say for every u which variables would raise its score as one more parent, so whom a move does
// not touch is passed at the price of reading two of them; they are found anew when the parents of u change. v stays
// where the sum of scores is largest; then the variables whose parents changed, and their parents, are tried again,
// until nobody gains. So an order has a local optimum in a few passes.
//
// Where the number of parents is limited and a set is full, one more drives out the one that is missed least.
//
// Then some variables are put elsewhere at random and the climb goes on from there, round after round; a round that
// ends lower is undone.
//
// Sums are of moments: with L the Cholesky factor of the parents P of i, and y = L^-1 M_Pu for all u at once,
//
//   R_uu = M_uu - y_u y_u    R_ui = M_ui - y_u y_i    v(i | P + u) = R_ii - R_ui^2 / R_uu
//
// where one more parent adds one row to y. Memory: n^2 numbers and as many bits twice.
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
