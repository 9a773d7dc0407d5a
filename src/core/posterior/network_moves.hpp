// Moves of networks: blocks drawn anew, and walks through equivalence classes.
//
// A walk turns covered edges u -> v, those with parents(v) = parents(u) + u, which leaves the class as it is
// [chickering1995]: edges are drawn among all, and those that can be turned are, accepted by their weight,
// min(1, (weight'/weight)^heat). The number of edges stays, so the way back is as likely.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "posterior/block_draw.hpp"
#include "posterior/local_sums.hpp"

namespace bayesloom::posterior {

enum class Move : std::uint8_t { move, near, swap, split, join, walk, block };
inline constexpr std::size_t move_kinds = 7;

struct MoveCounts {
  std::array<std::uint64_t, move_kinds> tried{}, accepted{};
};

class NetworkMoves {
 public:
  NetworkMoves(LocalSums const& sums, Blocks const& blocks);

  /// Draws the parents of a block of so many members anew.
  void draw_block(PartNetwork& network, std::size_t size, HeatedWeights const& weights, Rng& random,
                  MoveCounts& counts);
  /// Walks through the equivalence class of a network.
  void walk(PartNetwork& network, double heat, Rng& random, MoveCounts& counts);
  std::uint64_t work() const { return draw_.work(); }

 private:
  LocalSums const& sums_;
  Blocks const& blocks_;
  BlockDraw draw_;
  std::vector<std::uint32_t> block_, old_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

}  // namespace bayesloom::posterior
