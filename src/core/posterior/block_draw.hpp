// The parents of a few members at once, drawn exactly, given those of all others.
//
// Take a block B of k members of a part, and a network. The parents of the others stay; those of B are
// forgotten and drawn anew by posterior. Let reach(p) be the members of B from which a path leads to p
// through others only (p itself if it is in B). A family P of i in B makes i come after
//
//   D(P) = union over p in P of reach(p),
//
// is out of the question if i is in D(P), and a choice of families for all of B has no cycle if and only if
// the graph on B in which i follows D(P_i) has none. So what is left is a posterior over networks of k
// variables, in which "i has the parents S" weighs the sum over families P with D(P) = S: exact sums over
// layers as in exact_sums.hpp (3^k terms) and an exact draw as in exact_draws.hpp. Terms are sums of weights
// of networks that the sum counts, so k of the 53 bits are lost at most.
//
// [goudie2016] draws up to three members so, by going through all choices.
//
// The block must not depend on the parents of its members. Then the draw leaves exp(heat * score) as it is.
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

  /// Vectors to work with.
  struct Room {
    std::vector<std::uint32_t> left, first, at, children, order;
  };

  /// Throws InputError if the families make a cycle.
  PartNetwork(Part const& part, std::span<std::uint32_t const> families);
  /// Whether there is no cycle; room.order is then an order.
  bool acyclic(Part const& part, Room& room) const;
  /// Finds the order anew. Throws InputError if there is none.
  void sort(Part const& part);
  /// Less loss is more score.
  double loss(Part const& part) const;
};

class BlockDraw {
 public:
  explicit BlockDraw(Part const& part);

  /// Draws the parents of a block, of different members, anew. False, and nothing changed, if weights are beyond
  /// the range of doubles; that depends on the parents of the others alone.
  bool draw(PartNetwork& network, std::span<std::uint32_t const> block,
            HeatedWeights const& weights, Rng& random);

  /// Families looked at, and terms summed, so far.
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
  std::vector<Set> drawn_sets_;       // sets of those placed and others
  std::vector<Set> before_, last_;    // what was placed before its layer, and the layer before
  std::vector<std::uint32_t> keys_, sorted_, starts_;
  std::uint64_t work_ = 0;
};

/// Blocks that do not depend on the network: members that are likely to be joined.
class Blocks {
 public:
  explicit Blocks(Part const& part);

  /// `size` different members, or fewer where fewer hang together.
  void choose(std::size_t size, Rng& random, std::vector<std::uint32_t>& out) const;

 private:
  struct Around {
    std::vector<std::uint32_t> members;
    std::vector<double> up_to;  // sums of their shares
  };
  std::vector<Around> around_;
};

}  // namespace bayesloom::posterior
