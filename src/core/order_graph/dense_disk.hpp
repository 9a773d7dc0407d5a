// Dense dynamic programming with blocks on disk, for components where bounds prune little.
//
// A piece fixes which of the highest `top` members are placed: one file of 2^(n - top) losses, computed in memory
// block by block as in subset_dp.cpp. A piece reads, once and in order, the pieces with one top member less (section
// 6 of [malone2011] without hash tables: no sorting, no duplicates). Pieces are computed layer by layer and removed
// when all their successors exist; those of the last layers are kept to reconstruct the network (block_plan.hpp).
//
// A piece is finished when the list of its blocks' checksums is written: a search that was stopped or killed resumes
// with the first unfinished piece.
#pragma once

#include <optional>
#include <string>

#include "base/control.hpp"
#include "order_graph/scratch.hpp"
#include "order_graph/subset_dp.hpp"
#include "subsets/pattern_database.hpp"

namespace bayesloom::order_graph {

using namespace subsets;

/// The most disk it holds at once, in bytes; nothing if n is beyond all reach or memory too small.
std::optional<double> dense_disk_bytes(std::size_t n, std::size_t threads, double memory_bytes);

/// As solve_dense; `patterns` may be null. Works in memory if that suffices.
std::optional<DenseResult> solve_dense_on_disk(Component const& component, Fixed most,
                                               PatternDatabase const* patterns,
                                               SubsetDpOptions const& options,
                                               std::string const& directory, Scratch& scratch,
                                               Control& control);

}  // namespace bayesloom::order_graph
