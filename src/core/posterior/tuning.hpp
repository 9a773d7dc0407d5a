// The tuned numbers of this room, except those that callers set (posterior.hpp). Run
// benchmarks/tables/posterior/exact before and after a change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom::posterior::tuning {

/// Partial sums of one layer, 1 or more: up to so many threads can share a layer, and the result does not
/// depend on their number (exact_sums.cpp).
inline constexpr std::size_t lanes = 4;
/// Products computed between two checks of the clock, 1 or more (exact_sums.cpp).
inline constexpr std::uint64_t products_between_looks = 1 << 20;
/// Sets between two checks of the clock where units are found, 1 or more: some milliseconds (exact_sums.cpp).
inline constexpr std::size_t sets_between_looks = 1 << 15;
/// A variable with at most this many candidate parents, 0 to 20, gets a table of its sums over all subsets of
/// them, if all tables fit into `table_bytes` (local_sums.cpp).
inline constexpr std::size_t table_bits = 18;
/// Bytes for all tables of one cache, 0 or more (local_sums.cpp).
inline constexpr std::size_t table_bytes = std::size_t{1} << 28;
/// The difference of two table entries is used if it is at least this share of the larger one, above 0: at
/// 2^-20 its relative error is 2^-32. Below, the list is summed instead (local_sums.cpp).
inline constexpr double least_difference = 0x1.0p-20;
/// Summing a list stops when the rest is at most this share of the sum, 0 or more: far below the sampling
/// error (local_sums.cpp).
inline constexpr double left_out = 1e-13;
/// A plain sum of weights, or a table entry, is used if it is at least this, above 0; below, weights may have
/// underflowed, and the sum is computed relative to its largest term (local_sums.cpp).
inline constexpr double least_sum = 1e-250;
/// The least inverse temperature, above 0, at most 1 (chains.cpp).
inline constexpr double least_heat = 0.05;
/// In a sweep two temperatures try one exchange of a region for every so many members of a part, 1 or more
/// (chains.cpp).
inline constexpr std::size_t members_per_exchange = 8;
/// Nats, 1 to 700. If the best family that fits loses less than this, all weights of the member are scaled up by
/// its loss; if more, each weight is computed from its own loss, since scaling would underflow (block_draw.cpp).
inline constexpr double most_scaled = 300;
/// Nats, 20 or more: a family is skipped if it lies this far below one that allows every order of the block;
/// e^-40 is below the rounding of a double (block_draw.cpp).
inline constexpr double negligible = 40;
/// Added to the probability of an edge between two members, above 0, when blocks are chosen: members joined in
/// any family can share a block (block_draw.cpp).
inline constexpr double least_share = 0.02;
/// Attempts per member when a block is chosen, 1 or more (block_draw.cpp).
inline constexpr std::size_t tries_per_member = 4;
/// Moves between two checks of the clock, 1 or more (chains.cpp).
inline constexpr std::uint64_t moves_between_looks = 256;
/// All chains wait for each other after a round of samples, so that a run ended by time has equally many of
/// each. A round has at most `samples_per_round` samples, 1 or more, and at most `variables_per_round` samples
/// times variables, but at least one sample: that of a thousand variables takes a tenth of a second (chains.cpp).
inline constexpr std::size_t samples_per_round = 8, variables_per_round = 512;
/// Edge reversals tried in a walk through an equivalence class, as a multiple of the number of edges, 1 or more:
/// costs less than a sweep of moves (network_moves.cpp).
inline constexpr std::size_t walk_length = 4;
/// Cumulative shares of the kinds of moves, in 256ths, ascending and at most 256: move a variable anywhere, move
/// it to a neighbouring place, swap two; the rest splits a layer or joins two (partition_chain.cpp).
inline constexpr unsigned move_share = 90, near_share = 170, swap_share = 205;

}  // namespace bayesloom::posterior::tuning
