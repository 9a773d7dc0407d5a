// Every tuned number of dense dynamic programming over subsets. Run benchmarks/tables/order_graph/dense
// and benchmarks/tables/order_graph/threads before and after a change. Which of equally good networks
// is found depends on the shape of the blocks and on what is kept of them.
#pragma once

#include <cstddef>

namespace bayesloom::subsets::tuning {

/// Members, 3 or more, whose losses stay in the nearest cache: 2^12 of them are 32 KB
/// (block_kernel.cpp).
inline constexpr std::size_t near_bits = 12;
/// Low members of a block (block_maker.hpp): all up to `fewest_low`, beyond that all but `high_kept`,
/// and `most_low` at most; 3 or more, in this order. Large blocks are read less often from memory,
/// small ones let threads share a small component.
inline constexpr std::size_t fewest_low = 12, most_low = 16, high_kept = 8;
/// Where there are few candidates, blocks are halved as long as these, `put_cost` times (1 or more), are no more than the
/// losses in a worker's tables, and no more than `most_high` members (0 to 16) are left out.
inline constexpr std::size_t put_cost = 6, most_high = 15;
/// 1 or more: 1 / this more memory than the least is given for blocks that need not be made again
/// (block_plan.cpp).
inline constexpr std::size_t extra_part = 50;

}  // namespace bayesloom::subsets::tuning
