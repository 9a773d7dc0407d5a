// A bound for subproblems by cluster prices inherited from the whole problem.
//
// Subproblem::bound only raises prices on top of those of the whole, so the gap of the whole stays in every part.
// Here the prices themselves are inherited and reoptimized (dual/ascent.hpp), as in branch and bound. This takes a
// hundred times as long and pays for all but small problems: on bands at F = 3, 98 of 100 nodes that pass
// Subproblem::bound contain no network within the limit, and this bound detects it at 25 variables instead of 15.
//
// Eliminating x with parents P keeps the inequality of a cluster without x. In a cluster with x: if P meets the
// cluster, a variable that had x as its parent in the cluster now has a member of P there, so the inequality holds
// for the other variables and keeps its price; otherwise x itself satisfied it, and the price is dropped. Every
// choice of prices gives a valid bound.
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

/// The prices after eliminating x with the ancestors `mask`.
Prices eliminated(Prices const& before, std::size_t x, VarSet mask);

struct PriceBound {
  Fixed least;               ///< no choice of the problem has a smaller loss
  std::vector<Fixed> above;  ///< by entry: with it, the loss is so much higher at least
  Prices prices;
};

/// The bound of a subproblem; prices are optimized until it exceeds `most` or hardly improves.
PriceBound price_bound(Subproblem const& problem, std::vector<Fixed> const& loss, Fixed most,
                       Prices const& inherited, Control& control);

}  // namespace bayesloom::credible
