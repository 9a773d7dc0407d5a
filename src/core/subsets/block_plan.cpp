#include "subsets/block_plan.hpp"

#include <algorithm>
#include <bit>

#include "subsets/tuning.hpp"

namespace bayesloom::subsets {

namespace {

std::size_t peak_blocks(std::size_t high, std::size_t keep_from) {
  std::size_t const blocks = std::size_t{1} << high;
  if (keep_from == 0) return blocks;
  std::vector<std::uint8_t> waiting(blocks);
  std::size_t live = 0, peak = 0;
  for (std::size_t layer = 0; layer <= high; ++layer)
    for (std::size_t h = 0; h < blocks; ++h) {
      if (static_cast<std::size_t>(std::popcount(h)) != layer) continue;
      waiting[h] = static_cast<std::uint8_t>(high - layer);
      peak = std::max(peak, ++live);
      for (std::size_t left = h; left != 0; left &= left - 1)
        if (--waiting[h & ~(left & -left)] == 0 && layer - 1 < keep_from) --live;
    }
  return peak;
}

}  // namespace

BlockPlan plan_blocks(std::size_t high, std::size_t threads) {
  std::size_t const all = std::size_t{1} << high;
  if (high < 2) return {0, all};
  // The choice must not depend on the threads: among equally good networks it decides which is
  // found.
  BlockPlan plan{high - 1, peak_blocks(high, high - 1)};
  std::size_t const least = plan.blocks;
  for (std::size_t k = high - 1; k-- > 1;) {
    std::size_t const peak = peak_blocks(high, k);
    if (peak > least + least / tuning::extra_part) break;
    plan = {k, peak};
  }
  // Tasks start in order, so at most `threads` of them are ahead of their time, and each delays the
  // end of at most `high` blocks.
  plan.blocks = std::min(plan.blocks + threads * (high + 1), all);
  return plan;
}

std::vector<std::vector<std::uint64_t>> block_layers(std::size_t high) {
  std::vector<std::vector<std::uint64_t>> layers(high + 1);
  for (std::uint64_t h = 0; h < std::uint64_t{1} << high; ++h)
    layers[static_cast<std::size_t>(std::popcount(h))].push_back(h);
  return layers;
}

}  // namespace bayesloom::subsets
