// The dual-potential bound: cluster constraints [jaakkola2010] priced once, used for every set.
//
// In an acyclic network every cluster C of members has a first one, whose parents lie outside C:
//
//   some x in C has a parent set S with S and C disjoint
//
// Price that constraint at lambda_C >= 0 and relax it. For the members R that are still to be placed,
// only clusters inside R bind, and
//
//   h(R) = sum over x in R of min over S of [ loss_x(S) - sum of lambda_C over C in R, x in C, S
//          disjoint from C ]  +  sum of lambda_C over C in R
//
// never exceeds the loss of placing R after all others. It is consistent: if y is placed first, its
// parents are outside R, so it gets all its clusters' prices back, and the others only lose clusters.
//
// The prices come from coordinate ascent for R = all. Call a candidate tight if it attains its
// member's minimum, and place members whose tight candidate has all its parents placed. If some stay
// unplaced they form a cluster whose price can rise, by the least distance of a member to its best
// candidate disjoint from it; otherwise no cluster helps. Clusters are shrunk before they are used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "subsets/components.hpp"

namespace bayesloom::dual {

using subsets::MemberLists;

class ClusterBound {
  static constexpr std::size_t words = 4;

 public:
  /// Prices clusters until none helps, `rounds` clusters have been tried, or control says stop: any
  /// prices are valid.
  ClusterBound(MemberLists const& lists, std::size_t rounds, Control& control);

  /// h(all).
  Fixed at_root() const { return root_; }

  /// How much the bound at the root rises if this candidate of x must be taken: a candidate for which
  /// that exceeds the loss of a known network cannot be in a better one.
  Fixed at_root_with(std::size_t x, std::size_t candidate) const {
    return root_ + reduced_[x][candidate] - least_[x];
  }

  std::size_t cluster_count() const { return clusters_.size(); }

  /// Evaluates h; holds a memory of recent values, so each thread has its own.
  class Evaluator {
   public:
    explicit Evaluator(ClusterBound const& bound);
    Fixed operator()(VarSet remaining);

   private:
    static constexpr std::size_t slots = 4096;  // the top 12 bits of a hash
    struct Entry {
      std::array<std::uint64_t, words> active{};
      Fixed value = 0;
      bool filled = false;
    };
    ClusterBound const& bound_;
    std::vector<std::vector<Entry>> memory_;  // per member, by hash of its active clusters
  };

 private:
  friend class Evaluator;
  static constexpr std::size_t max_clusters_each = 64 * words;
  using Bits = std::array<std::uint64_t, words>;

  struct Cluster {
    VarSet members;
    Fixed price;
  };
  /// What the evaluator needs of one member: its clusters, and its candidates in the order of `floor`,
  /// their loss with every cluster active. With fewer clusters no candidate falls below its floor.
  struct Prepared {
    std::vector<VarSet> clusters;
    std::vector<Fixed> prices;
    Bits lowest{};               // clusters of which it is the lowest member: it adds their price
    std::vector<Bits> disjoint;  // per candidate: clusters it is disjoint from
    std::vector<Fixed> loss, floor;
  };

  void raise(VarSet cluster);
  void find_tight(std::size_t x);
  VarSet unplaced(VarSet available) const;
  VarSet stuck_cluster() const;
  void limit_clusters();
  void prepare();
  Fixed value(Prepared const& p, Bits const& active) const;

  MemberLists const& lists_;
  std::vector<Cluster> clusters_;
  std::vector<std::vector<Fixed>> reduced_;
  std::vector<Fixed> least_;
  std::vector<std::vector<VarSet>> tight_;  // parents of the candidates that attain the least
  std::vector<Prepared> prepared_;
  Fixed root_ = 0;
};

}  // namespace bayesloom::dual
