// Tuned numbers of credible sets that belong to neither backend (theirs are in subset_dp/tuning.hpp and
// diagram/tuning.hpp). Before and after a change run the benchmark named in brackets: `table1` and `listing` are
// in benchmarks/tables/liao2018.
#pragma once

#include <cstddef>
#include <cstdint>

#include "credible/count.hpp"

namespace bayesloom::credible::tuning {

/// Networks listed between two checks of the clock, 1 or more [listing].
inline constexpr std::uint64_t listed_between_looks = 256;

// Averages (averages/listed_sums.hpp)

/// Networks in a block that one thread sums, and blocks per thread in flight, 1 or more. The block size affects
/// the last bits of sums [listing].
inline constexpr std::uint64_t block_networks = 1 << 13;
inline constexpr std::size_t blocks_per_thread = 16;

// Losses (loss_list.cpp)

/// 1 or more: a product of lists with more pairs than this times `longest` is rounded before it is computed,
/// not after [table1].
inline constexpr std::size_t rounded_before = 16;

// Classes (classes/classes.cpp)

/// Classes, 0 or more, that are sorted before they are handed out: a second, and some hundred
/// megabytes [listing].
inline constexpr Count most_sorted = 1'000'000;

// Output (output/network_stream.cpp)

/// Networks in a batch, 1 or more, that fits into the L1 cache while it is processed variable by variable
/// [listing].
inline constexpr std::size_t near_networks = 256;

}  // namespace bayesloom::credible::tuning
