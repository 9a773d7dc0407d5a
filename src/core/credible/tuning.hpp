// Every tuned number of credible sets that is of neither backend: subset_dp/tuning.hpp and
// diagram/tuning.hpp have theirs. Run before and after a change what is named in brackets: `table1`
// and `listing` are in benchmarks/tables/liao2018.
#pragma once

#include <cstddef>
#include <cstdint>

#include "credible/count.hpp"

namespace bayesloom::credible::tuning {

/// Networks listed between two looks at the clock, 1 or more [listing].
inline constexpr std::uint64_t listed_between_looks = 256;

// Averages (averages/listed_sums.hpp)

/// Networks that a thread sums up at a time, and such blocks for each thread at a time, 1 or more. The
/// last bits of sums depend on the first [listing].
inline constexpr std::uint64_t block_networks = 1 << 13;
inline constexpr std::size_t blocks_per_thread = 16;

// Losses (loss_list.cpp)

/// 1 or more: a product of lists with more than so many times the longest list's pairs is rounded
/// before it is made, not after [table1].
inline constexpr std::size_t rounded_before = 16;

// Classes (classes/classes.cpp)

/// Classes, 0 or more, that are sorted before they are handed out: a second, and some hundred
/// megabytes [listing].
inline constexpr Count most_sorted = 1'000'000;

// Output (output/network_stream.cpp)

/// Networks, 1 or more, that stay in the nearest cache while the variables take turns [listing].
inline constexpr std::size_t near_networks = 256;

}  // namespace bayesloom::credible::tuning
