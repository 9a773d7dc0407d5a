// Decides which blocks are in memory at a time.
//
// Blocks with equally many high members form a layer. A block is needed until all blocks with one high member more
// are computed, and two neighbouring layers are far fewer than all. The blocks of the last layers, from `keep_from`
// on, are few and are kept: the network is reconstructed backwards through them until it reaches a set U in the first
// kept layer; the rest is the same problem over U alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesloom::subsets {

struct BlockPlan {
  std::size_t keep_from = 0;
  std::size_t blocks = 0;  ///< the most that exist at once
};

/// The plan for 2^high blocks that are made in order of layer and number, by `threads` workers or,
/// with 0, strictly one after the other. Keeps all layers that hardly raise the peak.
BlockPlan plan_blocks(std::size_t high, std::size_t threads);

/// The high parts of each layer, ascending.
std::vector<std::vector<std::uint64_t>> block_layers(std::size_t high);

}  // namespace bayesloom::subsets
