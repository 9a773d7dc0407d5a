// A bound on what is left to choose, by cluster prices handed down from the whole.
//
// Subproblem::bound adds prices where the prices of the whole stand, and can take none back: what
// the whole is short of, its gap, stays in every part of it. Here the prices themselves are handed
// down and moved up and down until they fit (dual/ascent.hpp), as in a search for the best
// network. It takes a hundred times as long and is worth it for all but small problems: of bands at
// F = 3, 98 of 100 nodes that Subproblem::bound lets through have no network within the limit, and
// this bound sees it where they have 25 variables, not 15.
//
// Eliminate x with parents P. The inequality of a cluster without x holds as before. One with x becomes
// one of the others: if P has members in it, whoever was blocked by x is blocked by these now and the
// price stays; if not, x was the one that is not blocked, and the price is dropped. Any prices are
// right: a bound follows from each.
#pragma once

#include <memory>
#include <vector>

#include "base/control.hpp"
#include "credible/component.hpp"
#include "credible/diagram/subproblem.hpp"
#include "dual/problem.hpp"

namespace bayesloom::credible {

/// Clusters with prices, by local variable of a component; shared by the parts that inherit them.
using Prices = std::shared_ptr<std::vector<dual::Cluster> const>;

/// The prices of the whole cache that are on variables of one component.
Prices prices_of(std::vector<dual::Cluster> const& clusters, Component const& component);

/// What is left of the prices when x has everything in `mask` above it.
Prices eliminated(Prices const& before, std::size_t x, VarSet mask);

struct PriceBound {
  Fixed least;               ///< no choice of the problem has a smaller loss
  std::vector<Fixed> above;  ///< by entry: with it, the loss is so much higher at least
  Prices prices;
};

/// The bound of a problem; prices are moved until it is above `most`, or near the best there is.
PriceBound price_bound(Subproblem const& problem, std::vector<Fixed> const& loss, Fixed most,
                       Prices const& inherited, Control& control);

}  // namespace bayesloom::credible
