// Inequalities that a fractional network violates: the sum of shares that are not blocked is below
// the inequality's need.
//
// Plain inequalities are grown greedily from every variable, or from a variable and parents that it
// takes together, and made smaller where that does not lessen the violation. Inequalities of four
// (inequalities_of_four.hpp) are tried on sets of variables that take each other as parents. Not
// all violated inequalities are found.
#pragma once

#include <cstddef>
#include <vector>

#include "base/control.hpp"
#include "dual/fractional_network.hpp"
#include "dual/problem.hpp"

namespace bayesloom::dual {

/// How hard to look. While prices still move, a small violation is not worth an inequality.
struct Effort {
  double least = fractions.least_violation;  ///< a smaller violation, or share, does not count
  std::size_t starts = 1;  ///< of inequalities of need 2 and more, for each variable
};

/// Inequalities with up to the given need that are violated and that the problem does not have;
/// from 2 on inequalities of four as well. With `around`, only those found from the variables in
/// it.
std::vector<Cluster> violated_inequalities(FractionalNetwork const& shares, std::size_t most_need,
                                           WideVarSet const* around, Control& control,
                                           Effort effort = {});

/// Cycles of parents whose lengths add up to less than 1, where the length of an arc is the share
/// of the child's candidates without that parent: the inequality of need 1 of such a cycle's
/// variables is violated by what is missing to 1 or more [jaakkola2010, section 5.2]. The shortest
/// through each variable that is on none of those found before; with `around`, through those in it.
std::vector<WideVarSet> short_cycles(FractionalNetwork const& shares, WideVarSet const* around,
                                     Control& control, double least);

/// The inequalities of four among them, the most violated first, at most one for each variable of
/// the problem.
std::vector<Cluster> violated_fours(FractionalNetwork const& shares, WideVarSet const* around,
                                    Control& control, double least);

}  // namespace bayesloom::dual
