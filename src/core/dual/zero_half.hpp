// Zero-half cuts (cut.hpp) that a fractional network violates.
//
// Let o_i be the share of i's candidates for which the sum of the weights over R is odd. The cut of R,
// with the f that is best for it, is violated if
//
//   sum of the margins of R + sum over i of min(o_i, 1 - o_i) < 1
//
// and the sum of the needs and of f is odd; where it is even, one f is turned over, at a cost of
// |1 - 2 o_i|. From every inequality with little margin a local search puts that inequality into R or
// takes it out again which leaves the least sum, with a tabu list. Not all violated cuts are found.
#pragma once

#include <memory>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "dual/cut.hpp"
#include "dual/fractional_network.hpp"
#include "dual/options.hpp"

namespace bayesloom::dual {

/// Cuts of the inequalities and cuts of the shares' problem, with weights for the candidates of
/// `whole`, that the shares violate and the problem does not have; the most violated first.
std::vector<std::shared_ptr<CutRule const>> zero_half_cuts(FractionalNetwork const& shares,
                                                           Problem const& whole,
                                                           ZeroHalfOptions const& options, Rng& rng,
                                                           Control& control);

}  // namespace bayesloom::dual
