// Every tuned number of counting. Run benchmarks/micro/counting.py before and after a change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom::tuning {

// The cost model (set_counter.cpp): nanoseconds, above 0; only their ratios matter. It decides which
// form counts, never what is counted.

inline constexpr double ns_per_cell_word = 0.16;  ///< bits: one AND + popcount of 64 rows
inline constexpr double ns_per_cell = 0.8;        ///< bits: overhead per cell and state
inline constexpr double ns_per_split_word = 0.2;  ///< bits: one AND kept
inline constexpr double ns_per_row = 0.7;         ///< groups: one look-up
inline constexpr double ns_per_group = 2.0;       ///< groups: overhead per cell
inline constexpr double ns_per_histogram = 6.0;   ///< groups: the same for more than two states
inline constexpr double ns_per_split_row = 4.0;   ///< groups: one row moved
inline constexpr double ns_per_split_cell = 8.0;  ///< groups: one cell made
inline constexpr double ns_per_start_row = 6.0;   ///< groups: one row of bits made a row
/// Sets, 1 or more, that are expected to be counted from one level where nothing is known.
inline constexpr double leaves_expected = 8;

/// States, 2 or more, up to which a group is split with a pointer for each state and no histogram
/// (row_groups.cpp).
inline constexpr std::uint32_t few_states = 4;

// Moments (moments.cpp)

/// Bytes, 1 or more, of rows that are multiplied with each other at a time: what a cache holds.
inline constexpr std::size_t moment_block_bytes = 262144;
/// Above 0: a product of pivots below this becomes a logarithm; the next pivot must not vanish in it.
inline constexpr double least_product = 1e-200;
/// Above 0: a pivot, as a share of the variance of its column, less than this makes a set singular.
/// The error of ln det is about 4e-16 / pivot.
inline constexpr double singular_pivot = 1e-8;

}  // namespace bayesloom::tuning
