// Makes a problem smaller without losing any network that scores above the floor.
//
//   fixing       If the bound less the reduced cost of candidate P (what it stands below the best
//                priced one of its variable) is at most the floor, no better network uses P.
//   propagation  Let Q be the variables that can be placed without j, with whatever candidates are
//                left. A candidate of j with a parent outside Q needs j before j: it goes. If Q for
//                no j at all is not everything, there is no network.
//   placing      A variable whose best candidate has no parent left to place is placed at once: it
//                cannot do better later, and the others only gain by having it early.
//   dominance    What comes after an empty parent set in a list is never used.
#pragma once

#include <vector>

#include "dual/ascent.hpp"
#include "dual/problem.hpp"

namespace bayesloom::dual {

/// All of the above until nothing changes. Returns the number of candidates and variables taken
/// out. The problem is infeasible afterwards if no network is left.
std::size_t reduce(Problem& problem, Fixed floor);

/// ReducedCosts alone; the bound stays as it is.
std::size_t fix_by_reduced_cost(Problem& problem, Fixed floor);

/// Takes those candidates out of `problem` that `smaller` does not have.
void keep_only(Problem& problem, Problem const& smaller);
/// Takes out candidates by their numbers in the cache, ascending.
void take_out(Problem& problem, std::vector<std::size_t> const& gone);

}  // namespace bayesloom::dual
