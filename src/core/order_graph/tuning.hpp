// Every tuned number of this room but those that a caller sets (PreparationOptions and ChangeOver in
// order_graph.hpp). They decide how long a search takes, never what is found. Run before and after a
// change what is named in brackets: `threads` is benchmarks/tables/order_graph/threads, `table1` and
// `generated33` are in benchmarks/tables/malone2011.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom::order_graph::tuning {

// Best first (astar.cpp)

/// Parts that nodes are split into, 1 or more: tasks of a round, so several for each thread. What is
/// found does not depend on the number of threads, but on this [astar steel in scaling/threads].
inline constexpr std::size_t astar_parts = 64;
/// In a round a part takes 1 / this of its open nodes, 1 or more, and so many at most, 1 or more: more
/// take nodes that the best first would have left, fewer make rounds too short to share.
inline constexpr std::size_t astar_share = 8, astar_most_taken = 256;

// Expanding a layer (layer_search.cpp)

/// Nodes that a thread reads and expands at a time, 1 or more [threads].
inline constexpr std::uint64_t chunk_nodes = 1024;
/// Nodes expanded, and nodes merged, between two checks of the clock, 1 or more [table1].
inline constexpr std::uint64_t expanded_between_looks = 256, merged_between_looks = 4096;

// Layers on disk (node_layer.cpp)

/// Nodes, 1 or more, that are sorted in one go: a tenth of a second without a look at the clock
/// [generated33].
inline constexpr std::size_t sorted_at_once = std::size_t{1} << 18;
/// Nodes of a thread's table, at least and at most, by the memory. Merging is cheap; in larger tables
/// growing and sorting would make Ctrl-C wait [generated33].
inline constexpr double least_table = 16, most_table = 3 << 23;
/// Nodes of the buffer of a file, 1 or more, at least and at most, by the memory [generated33].
inline constexpr double least_buffer = 64, most_buffer = 65536;
/// 1 or more: while the nodes of a layer are still in memory, buffers take 1 / this of it besides.
inline constexpr double spare_part = 16;
/// Files merged at a time, 2 or more, at least and at most; each shall have so many nodes of buffer
/// [generated33].
inline constexpr double least_fan_in = 4, most_fan_in = 256, nodes_per_run = 1024;
/// A layer is cut into at most so many ranges for each thread, 1 or more [threads].
inline constexpr std::size_t ranges_per_thread = 4;
/// Nodes below which a range is not worth a file: a part of a table, 1 / this, within limits. Bringing
/// a file to the disk takes longer than merging it [table1].
inline constexpr double range_part = 4, least_range = 16, most_range = 16384;

}  // namespace bayesloom::order_graph::tuning
