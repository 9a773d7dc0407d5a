// Blocked Gibbs sampling: draws the parents of a few members jointly and exactly, given those of all others.
//
// Take a block B of k members of a part, and a network. The parents of the other members stay; those of B are
// removed and redrawn. For a member p let reach(p) be the members of B from which a path leads to p through
// members outside B only (p itself if it is in B). If i in B takes the family P, it has the ancestors
//
//   D(P) = union over p in P of reach(p)
//
// within B. P makes a cycle by itself if i is in D(P). A choice of families for all of B has no cycle if and only
// if the graph on B with the parents D(P_i) of each i has none. So the joint draw is one over networks of k
// variables in which the parent set S of i weighs the sum over all families P with D(P) = S. It is computed by
// sums over layers as in exact_sums.hpp (3^k terms) and drawn as in exact_draws.hpp. Cancellation costs at most
// k of the 53 bits.
//
// [goudie2016] does this for up to three members by enumerating all choices.
//
// The choice of the block must not depend on the parents of its members; then the draw keeps the distribution
// proportional to exp(heat * score).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "posterior/parts.hpp"

namespace bayesloom::posterior {

/// Members of a block, at most.
inline constexpr std::size_t most_block = 12;

/// exp(-heat * loss) of each family of each member.
class HeatedWeights {
 public:
  HeatedWeights(Part const& part, double heat);

  double heat() const { return heat_; }
  std::span<double const> of(std::size_t member) const { return weights_[member]; }

 private:
  double heat_;
  std::vector<std::vector<double>> weights_;
};

/// A network over a part: a family for each member, and an order in which parents come first.
struct PartNetwork {
  std::vector<std::uint32_t> family;
  std::vector<std::uint32_t> order;

  /// Work space.
  struct Room {
    std::vector<std::uint32_t> left, first, at, children, order;
  };

  /// Throws InputError if the families make a cycle.
  PartNetwork(Part const& part, std::span<std::uint32_t const> families);
  /// Whether there is no cycle; room.order is then an order.
  bool acyclic(Part const& part, Room& room) const;
  /// Recomputes the order. Throws InputError if there is a cycle.
  void sort(Part const& part);
  /// Sum of the losses of the families: how far the score lies below the best of each variable.
  double loss(Part const& part) const;
};

class BlockDraw {
 public:
  explicit BlockDraw(Part const& part);

  /// Redraws the parents of a block of distinct members. Returns false and changes nothing if the weights leave
  /// the range of a double; whether they do depends only on the parents of the other members.
  bool draw(PartNetwork& network, std::span<std::uint32_t const> block,
            HeatedWeights const& weights, Rng& random);

  /// Families visited and terms summed so far.
  std::uint64_t work() const { return work_; }

 private:
  using Set = std::uint16_t;

  struct Row {
    std::uint32_t member = 0;
    double scale = 1;            // weights are multiplied by it
    double best = 0;             // loss of the best family that fits
    std::vector<Set> after;      // D of each family; all bits if it does not fit
    std::vector<double> inside;  // by set: the sum of weights of families with D inside it
  };

  void find_reach(PartNetwork const& network, std::span<std::uint32_t const> block);
  bool sum_families(std::span<std::uint32_t const> block, HeatedWeights const& weights);
  void sum_layers();
  bool draw_layers(Rng& random);
  double weight(Row const& row, std::size_t family, std::span<double const> weights,
                double heat) const;
  void sort(PartNetwork& network, std::span<std::uint32_t const> block);

  Part const& part_;
  std::size_t k_ = 0;
  std::size_t first_ = 0;             // place in the order of the first member of the block
  std::vector<Set> reach_;            // of each member; zero before first_ and between draws
  std::vector<std::uint32_t> place_;  // in the block, of its members
  std::vector<Row> rows_;
  std::vector<double> rest_;  // h of exact_sums.hpp, by set placed
  std::vector<double> folded_, mass_;
  std::vector<std::uint32_t> layer_;  // of each of the block, as drawn
  std::vector<Set> drawn_sets_;       // those placed together with each set of others
  std::vector<Set> before_,
      last_;  // of each of the block: all earlier layers, and the one just before
  std::vector<std::uint32_t> keys_, sorted_, starts_;
  std::uint64_t work_ = 0;
};

/// Chooses blocks of members that are likely to be joined, independently of the current network.
class Blocks {
 public:
  explicit Blocks(Part const& part);

  /// `size` distinct members, or fewer if fewer are found that families connect.
  void choose(std::size_t size, Rng& random, std::vector<std::uint32_t>& out) const;

 private:
  struct Around {
    std::vector<std::uint32_t> members;
    std::vector<double> up_to;  // cumulative probabilities
  };
  std::vector<Around> around_;
};

}  // namespace bayesloom::posterior
