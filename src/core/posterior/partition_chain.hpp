// A Markov chain over ordered partitions of the members of a part [kuipers2017].
//
// State: the layers A_1 .. A_m in order. Every network belongs to exactly one partition: members of A_1 have no
// parents; members of A_t have all parents in earlier layers, at least one of them in A_(t-1). So
//
//   weight = product over layers t, members i of A_t of  tau_i(A_1 + .. + A_(t-1), A_(t-1))
//
// (local_sums.hpp) is the weight of all networks of the partition. Given the partition, a network is drawn member
// by member. The stationary distribution of the chain is proportional to the weight.
//
// A proposal is one of the following; it is accepted with probability min(1, weight'/weight * q / q'), where q' is
// the probability of proposing it and q that of proposing the way back:
//
//   move    a member to another layer, or to a new layer in any gap: 2m places, 2m - 2 if it was alone
//   near    the same, but only to the two places on each side
//   swap    two members of neighbouring layers
//   split   a layer into two: choose the layer, then the size of its first half, then the members, each uniformly
//   join    two neighbouring layers
//
// Difference from the paper: a split chooses the size uniformly, not one of all 2^|A| - 2 subsets, most of which
// cut a large layer in half and are never accepted.
//
// These moves seldom reverse an edge, since that may require moving its neighbours too. So each sweep also moves
// networks (network_moves.hpp), and goes from a network to its partition and back.
//
// After a move only those members are summed again whose earlier layers have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "posterior/local_sums.hpp"
#include "posterior/network_moves.hpp"

namespace bayesloom::posterior {

class PartitionChain {
 public:
  explicit PartitionChain(LocalSums const& sums);

  /// Sets the state to the layers of a network. False if the weight of that partition underflows to zero.
  bool begin(PartNetwork const& network);

  /// One move, accepted or not.
  void step(Rng& random, MoveCounts& counts);

  /// ln of the weight.
  double log_weight() const { return log_weight_; }
  /// The layer of each member, from 0.
  std::span<std::uint32_t const> layers() const { return layer_; }
  /// Draws a network of the current partition.
  void draw(PartNetwork& out, Rng& random);

 private:
  using Word = LocalSums::Word;

  /// Finds the member's candidate parents in earlier layers, and in the layer just before, into inside_ and
  /// before_; returns whether there is a layer before.
  bool look(std::size_t i, std::vector<std::uint32_t> const& layer);
  double local(std::size_t i, std::vector<std::uint32_t> const& layer);

  // Proposals write next_, moved_ (members that moved), and followers_ (layers of next_ whose preceding layer
  // has changed).
  bool propose_move(bool near, double& log_ratio);
  bool propose_swap();
  bool propose_split(double& log_ratio);
  bool propose_join(double& log_ratio);
  void place(std::size_t i, std::uint32_t target, bool fresh);
  bool accept(double log_ratio);
  void touch(std::size_t i);

  LocalSums const& sums_;
  Rng* random_ = nullptr;
  std::vector<std::uint32_t> layer_, next_;
  std::vector<std::uint32_t> layer_sizes_, next_sizes_;
  std::vector<double> local_;
  double log_weight_ = 0;
  std::vector<std::uint32_t> moved_, followers_, touched_;
  std::vector<double> new_local_;
  std::vector<std::uint64_t> stamp_;
  std::uint64_t now_ = 0;
  std::vector<Word> inside_, before_;
  std::vector<std::uint32_t> starts_;
};

}  // namespace bayesloom::posterior
