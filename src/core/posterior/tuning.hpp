// Every tuned number of this room but those that a caller sets (posterior.hpp). Run
// benchmarks/tables/posterior/exact before and after a change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom::posterior::tuning {

/// Sums of one layer that are kept apart, 1 or more: so many threads can share a layer, and the result is
/// the same for any number of them (exact_sums.cpp).
inline constexpr std::size_t lanes = 4;
/// Products between two looks at the clock, 1 or more (exact_sums.cpp).
inline constexpr std::uint64_t products_between_looks = 1 << 20;
/// Networks drawn between two looks at the clock, 1 or more, and handed to one thread (exact_draws.cpp).
inline constexpr std::size_t draws_per_task = 16;
/// Candidate parents, 0 to 20, up to which the sums of a variable over all subsets of them are kept in a
/// table, if all tables fit `table_bytes` (local_sums.cpp).
inline constexpr std::size_t table_bits = 18;
/// Bytes for all tables of one cache, 0 or more (local_sums.cpp).
inline constexpr std::size_t table_bytes = std::size_t{1} << 28;
/// A difference of two table entries is taken if it is at least this share of the larger, above 0: at
/// 2^-20 its error is 2^-32; else the list is summed (local_sums.cpp).
inline constexpr double least_difference = 0x1.0p-20;
/// A list is summed until what is left is at most this share of the sum, 0 or more: far below any error
/// of the sampling (local_sums.cpp).
inline constexpr double left_out = 1e-13;
/// A sum of weights that were rounded down to the range of a double counts if it is at least this, above
/// 0; else it is summed by losses (local_sums.cpp).
inline constexpr double least_sum = 1e-250;
/// The least inverse temperature, above 0, at most 1 (chains.cpp).
inline constexpr double least_heat = 0.05;
/// Members of a part for each region that two temperatures try to exchange in a sweep, 1 or more (chains.cpp).
inline constexpr std::size_t members_per_exchange = 8;
/// Nats, 1 to 700, up to which weights are multiplied by what the best family that fits is below the best of
/// all; beyond, each is taken from its loss (block_draw.cpp).
inline constexpr double most_scaled = 300;
/// Nats, 20 or more: a family that lies this far below one that leaves all orders open is left out, e^-40 being
/// below the rounding of a double (block_draw.cpp).
inline constexpr double negligible = 40;
/// What two members that are joined in some family are likely to be joined at least, above 0, when blocks are
/// chosen (block_draw.cpp).
inline constexpr double least_share = 0.02;
/// Tries to find each member of a block, 1 or more (block_draw.cpp).
inline constexpr std::size_t tries_per_member = 4;
/// Moves between two looks at the clock, 1 or more (chains.cpp).
inline constexpr std::uint64_t moves_between_looks = 256;
/// Samples of a run between which all chains wait for each other, 1 or more, so that a run that time ends
/// has as many of each; and variables times samples that there are then at most, or else one sample: a
/// sample of a thousand variables takes a tenth of a second (chains.cpp).
inline constexpr std::size_t samples_per_round = 8, variables_per_round = 512;
/// Edges that a walk through an equivalence class tries to turn, as a multiple of those there are, 1 or
/// more: less than a sweep of moves takes (partition_chain.cpp).
inline constexpr std::size_t walk_length = 4;
/// Shares of the kinds of moves, in 256ths, ascending and at most 256: up to the first, one variable is
/// moved; up to the second, to a neighbouring place; up to the third, two are swapped; else a part is
/// split or two are joined (partition_chain.cpp).
inline constexpr unsigned move_share = 90, near_share = 170, swap_share = 205;

}  // namespace bayesloom::posterior::tuning
