// Prices near the optimum of the cluster relaxation, by coordinate steps on a smoothed bound.
//
// Coordinate steps on the bound itself stop where no single price can lower it, often far above the
// relaxation's value. At temperature T > 0 replace each variable's maximum by
//
//   T ln sum over P of exp(priced(i, P) / T)
//
// which is smooth, so that steps on one price at a time reach its minimum, and which is at most
// T ln(candidates) above the maximum. With w = exp(priced / T), O_i the sum of w over candidates of i
// outside C and I_i over those that touch it, the best change d of the price of C solves
//
//   sum over i in C of  O_i f / (O_i f + I_i) = 1,     f = exp(d / T)          (need k: = k)
//
// and then multiplies w outside C by f: one exponential per step, not one per candidate. The shares
// w / sum w are a fractional network; a cluster whose members are outside it by a sum below 1 is
// violated. T is lowered step by step; candidates far below the best of their variable have weight 0
// and are left out. Whatever comes of it, prices are rounded to whole numbers and the bound is
// computed from them exactly.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/control.hpp"
#include "prices/node.hpp"

namespace bayesloom::prices {

/// A pair (i, C): i takes no parent from C, or it takes one.
struct Split {
  Index variable;
  Set cluster;
  std::size_t need = 1;  ///< with more: i takes fewer than that many from C, or at least as many
  friend bool operator==(Split const&, Split const&) = default;
};

/// One temperature: weights of the near-best candidates of a node, and clusters with real prices.
class Smooth {
 public:
  Smooth(Node const& node, double temperature);

  /// One step on each cluster of the node. Returns the largest change of a price, in temperatures.
  double sweep(Control& control);
  /// Prices have moved so far that candidates left out may matter again: apply, and begin anew.
  bool stale() const { return stale_; }
  /// Rules that the shares violate, with up to the given need, grown greedily from every variable and
  /// made smaller where that does not lessen the violation. Not all there are.
  std::vector<Cluster> violated(Node const& node, std::size_t most_need, Control& control);
  /// Pairs (i, C) on which the shares are divided: C one variable, or a priced cluster that holds i.
  /// The most evenly divided first, at most `most`.
  std::vector<Split> divided(Node const& node, std::size_t most);
  /// Writes the prices back into the node, rounded.
  void apply(Node& node) const;

 private:
  struct Member {
    Index variable;
    Word const* local;  // kept by the cluster
    BlockTest test;
  };
  double step(std::size_t k);
  void find_shares(Node const& node);
  double outside(Node const& node, Index i, Set const& cluster, std::size_t need);
  double outside(Node const& node, Set const& cluster, std::size_t need);
  std::vector<Set> starts(Node const& node, std::size_t need);
  Set grow(Node const& node, Set cluster, std::size_t need, double& best);
  /// The bit of a parent in the masks of i, if any candidate of i has it.
  std::size_t place_of(Index i, Index parent) const;
  /// Adds rules of four that the shares violate, on sets of variables that take each other as parents.
  void find_violated_fours(Node const& node, std::vector<Cluster>& found, Control& control);

  Universe const& universe_;
  double const temperature_;
  std::vector<std::size_t> begin_, end_;  // by variable, into the active candidates
  std::vector<double> weights_;           // by active candidate
  std::vector<Word> masks_;               // by active candidate
  std::vector<Member> members_;           // of all clusters
  std::vector<std::size_t> first_;        // by cluster, into members_
  std::vector<std::size_t> needs_;        // by cluster
  std::vector<std::shared_ptr<LocalRule const>> rules_;  // by cluster
  std::vector<double> prices_;            // by cluster
  std::vector<double> outside_, inside_, totals_;  // scratch, by member
  // The shares that count: candidates with more than a hundredth of their variable's weight.
  std::vector<std::size_t> share_begin_, share_end_;  // by variable
  std::vector<double> shares_;
  std::vector<Word> share_masks_;
  std::vector<double> drift_;             // by variable: how far prices paid to it have moved
  bool stale_ = false;
  std::vector<double> gain_;              // scratch, by variable
  std::vector<Word> local_;               // scratch
};

}  // namespace bayesloom::prices
