// Prices near the optimum of the cluster relaxation, by coordinate steps on a smoothed bound.
//
// Coordinate steps on the bound itself stop where no single price can lower it, often far above the
// relaxation's value. At temperature T > 0 replace each variable's maximum by
//
//   T ln sum over P of exp(priced(i, P) / T)
//
// which is smooth, so that steps on one price at a time reach its minimum, and which is at most
// T ln(candidates) above the maximum. With w = exp(priced / T), O_i the sum of w over candidates of
// i outside C and I_i over those that touch it, the best change d of the price of C solves
//
//   sum over i in C of  O_i f / (O_i f + I_i) = 1,     f = exp(d / T)          (need k: = k)
//
// and then multiplies w outside C by f: one exponential per step, not one per candidate. For a cut
// (cut.hpp) the mean weights add up to the need, and w is multiplied by f to the weight. The shares
// w / sum w are a fractional network; a cluster whose members are outside it by a sum below 1 is
// violated. T is lowered step by step; candidates far below the best of their variable have weight
// 0 and are left out. A cluster is looked at again only when a price paid to one of its members has
// moved: after a small change to a large problem, such as a branching, only what is near it is
// worked on. Whatever comes of it, prices are rounded to whole numbers and the bound is computed
// from them exactly.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/control.hpp"
#include "dual/fractional_network.hpp"
#include "dual/problem.hpp"
#include "dual/weight_kernel.hpp"

namespace bayesloom::dual {

/// One temperature: weights of the near-best candidates of a problem, and clusters with real
/// prices.
class SmoothedBound {
 public:
  /// With `moved`, prices are taken to be balanced but for clusters that hold a variable of it.
  SmoothedBound(Problem const& problem, double temperature, WideVarSet const* moved = nullptr);

  /// One step on each cluster with a member that has moved since its last. Returns the largest
  /// change of a price, in temperatures.
  double pass(Control& control);
  /// Prices have moved so far that candidates left out may matter again: apply, and begin anew.
  bool stale() const { return stale_; }
  /// The fractional network of these prices; the problem must be the one it was made from.
  FractionalNetwork fractional_network(Problem const& problem) const;
  /// Adds the variables whose prices have changed.
  void add_moved(Problem const& problem, WideVarSet& moved) const;
  /// Writes the prices back into the problem, rounded.
  void apply(Problem& problem) const;

 private:
  struct Member {
    Index variable;
    Word const* local;  // kept by the cluster
    BlockTest test;
    double seen;  // drift of the variable when the cluster's price was changed last
  };
  /// A variable of a cut, with the weights of its active candidates one after the other.
  struct CutMember {
    Index variable;
    std::size_t first;
    unsigned least, most;
    double seen;
  };
  bool balanced(std::size_t k) const;
  double step(std::size_t k);
  void add_cuts(Problem const& problem, WideVarSet const* moved);
  bool cut_balanced(std::size_t k) const;
  /// The same for a cut: the sum of the mean weights is to be the need.
  double cut_step(std::size_t k);

  Universe const& universe_;
  double const temperature_;
  WeightKernel const& kernel_;
  std::vector<std::size_t> begin_, end_;  // by variable, into the active candidates
  std::vector<double> weights_;           // by active candidate
  std::vector<Word> masks_;               // by active candidate
  std::vector<Member> members_;           // of all clusters
  std::vector<std::size_t> first_;        // by cluster, into members_
  std::vector<std::size_t> needs_;        // by cluster
  std::vector<std::shared_ptr<LocalInequality const>> inequalities_;  // by cluster
  std::vector<double> prices_;                                        // by cluster
  std::vector<std::size_t> origin_;                                   // by active candidate
  std::vector<CutMember> cut_members_;                                // of all cuts
  std::vector<std::size_t> cut_first_;                                // by cut, into cut_members_
  std::vector<std::uint8_t> cut_weights_;       // by active candidate, for each member of each cut
  std::vector<double> cut_needs_, cut_prices_;  // by cut
  std::vector<double> outside_, inside_, totals_, powers_;  // scratch, by member
  std::vector<double> drift_;  // by variable: how far prices paid to it have moved
  bool stale_ = false;
};

}  // namespace bayesloom::dual
