// Every tuned number of the subset DP backend but those that a caller sets (SubsetDpOptions). Run
// before and after a change what is named in brackets: `table1`, `table2` and `listing` are in
// benchmarks/tables/liao2018.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom::credible::tuning {

// Completion values (subset_dp_set.cpp, pruned_layers.cpp)

/// Variables, 0 or more: larger components go by pruned layers where there are prices [table2].
inline constexpr std::size_t layers_from = 14;
/// 1 or more: a set of a pruned layer takes so many times as long as one among all [table1].
inline constexpr double layer_cost = 256;
/// Bytes: a set of a layer and of the live sets among them, about [table1].
inline constexpr double bytes_per_layer_set = 128;
/// Sets that a thread grows at a time, 1 or more [table2].
inline constexpr std::size_t grown_per_task = 256;

// Live sets (live_sets.cpp)

/// Bytes, 0 or more, that are at hand whatever the memory allowed.
inline constexpr double at_hand = 1e6;
/// Sets of a layer that a thread looks at at a time, 1 or more [table1].
inline constexpr std::size_t live_per_task = 256;
/// The next layer is put together in so many shards at most, 1 or more, cut where every
/// `sets_between_samples`-th set of each task lies [table1].
inline constexpr std::size_t live_shards = 64, sets_between_samples = 16;

// Counting (states.hpp)

/// Variables, 0 or more: with fewer left, what lies behind a state is gone through faster than it is
/// looked up [table1].
inline constexpr std::size_t few_left = 5;
/// Steps whose weights a thread works out at a time, 1 or more [table1].
inline constexpr std::size_t weights_per_task = 16384;
/// States counted between two checks of the clock, 1 or more.
inline constexpr std::uint64_t states_between_looks = 16;
/// States, 0 or more, that are counted on one thread before others are started: some milliseconds.
inline constexpr std::uint64_t states_alone = 20'000;
/// States, 1 or more, that are handed out to threads, at least: some dozens for each of 64. Benchmark:
/// liao2018/table1, hepatitis at F = 150 on 1 to 16 threads.
inline constexpr std::size_t open_states = 4096;

// Estimates (probe.cpp)

/// Intervals of the loss that is left, 1 or more, for which ways are counted apart [table1].
inline constexpr std::size_t bins = 16;

// Classes (class_listing.cpp)

/// The first steps of a listing, at most so many, are gone through until there are so many pieces for
/// each thread; 0 and 1 or more [listing].
inline constexpr int most_split = 8;
inline constexpr std::size_t pieces_per_thread = 64;

}  // namespace bayesloom::credible::tuning
