// A Markov chain over ordered partitions of the members of a part [kuipers2017].
//
// State: layers A_1 .. A_m in order. A network belongs to exactly one partition: members of A_1 have no
// parents, those of A_t have all parents in the layers before, at least one of them in A_(t-1). So
//
//   weight = product over layers t, members i of A_t of  tau_i(A_1 + .. + A_(t-1), A_(t-1))
//
// (local_sums.hpp) is the weight of all networks of the partition, and a network given the partition is
// drawn member by member. The chain is stationary for the weight.
//
// Moves, each with its own neighbours, accepted with min(1, weight'/weight * q / q'), where q is the
// probability of going back and q' that of going there:
//
//   move    a member to another layer, or to a new one in any gap: 2m places, 2m - 2 if it was alone
//   near    the same to the places next to it only
//   swap    two members of neighbouring layers
//   split   a layer into two: the layer, then the size, then the members evenly; or
//   join    two neighbouring layers
//
// Differs from the paper: splits are by layer and size, not evenly over all 2^|A| - 2 ways, most of which
// cut the largest layer in half and are never accepted where layers are large.
//
// These seldom turn an edge, which may have to bring its neighbours along: between them networks are moved
// (network_moves.hpp), from a network of the partition to the partition of another.
//
// After a move only the members are summed anew whose layers before them have changed.
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

  /// Goes on from the layers of a network. False if the partition has no weight, up to rounding.
  bool begin(PartNetwork const& network);

  /// One move, accepted or not.
  void step(Rng& random, MoveCounts& counts);

  /// ln of the weight.
  double log_weight() const { return log_weight_; }
  /// The layer of each member, from 0.
  std::span<std::uint32_t const> layers() const { return layer_; }
  /// Draws a network of the partition.
  void draw(PartNetwork& out, Rng& random);

 private:
  using Word = LocalSums::Word;

  /// What the member's candidate parents before it are, by given layers; whether there is a layer before.
  bool look(std::size_t i, std::vector<std::uint32_t> const& layer);
  double local(std::size_t i, std::vector<std::uint32_t> const& layer);

  // Proposals write next_, which members moved, and the layers (of next_) with another layer before them.
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
