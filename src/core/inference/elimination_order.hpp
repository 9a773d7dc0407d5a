// The order in which variables are summed out.
//
// Eliminating v makes a table over its neighbours, which become pairwise adjacent. The order is greedy:
// the next variable is the one with the least
//   weight  cells of the table over v and its neighbours [zhang1994], or
//   fill    edges that it adds, by number or by the cells of their ends.
// None is always best; if tables are large, all are tried and the cheapest order is taken.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/variable.hpp"

namespace bayesloom {

/// A graph over places 0 .. n-1: which variables stand in a table together.
struct EliminationGraph {
  std::vector<double> sizes;                           // states of each
  std::vector<std::vector<std::uint32_t>> neighbours;  // ascending
};

/// An order of all places whose `stage` is below `stages`; smaller stages come first.
std::vector<std::uint32_t> elimination_order(EliminationGraph const& graph,
                                             std::span<std::uint8_t const> stage,
                                             std::uint8_t stages);

}  // namespace bayesloom
