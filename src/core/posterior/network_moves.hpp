// Two moves of networks: redrawing the parents of a block (block_draw.hpp), and walking through an equivalence
// class.
//
// A walk reverses covered edges u -> v, those with parents(v) = parents(u) + u; the network stays in its
// equivalence class [chickering1995]. Each step picks an edge uniformly and, if it is covered, reverses it with
// probability min(1, (weight'/weight)^heat). The number of edges does not change, so proposals are symmetric.
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

  /// Chooses a block of `size` members and redraws their parents.
  void draw_block(PartNetwork& network, std::size_t size, HeatedWeights const& weights, Rng& random,
                  MoveCounts& counts);
  /// Walks through the equivalence class of the network.
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
