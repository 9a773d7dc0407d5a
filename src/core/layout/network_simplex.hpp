// Network simplex: assigns whole numbers to vertices such that every arc has at least its least length and the
// weighted sum of lengths is minimal [gansner1993]. Used for layers, and for coordinates within layers.
//
// A spanning tree of tight arcs (those of least length) determines all numbers. In a pivot, a tree arc leaves if
// moving one side of the tree apart lowers the sum; the arc that first becomes tight enters. The cut value of a tree
// arc is the sum of (weight out - weight in) over the vertices on the side of its tail, since arcs within a side
// cancel; so a pivot takes time in proportion to vertices and arcs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "layout/layered_graph.hpp"

namespace bayesloom::layout {

/// number[to] - number[from] >= length; each unit of it costs `weight`, 0 or more.
struct DistanceArc {
  Vertex from, to;
  std::int64_t length, weight;
};

/// Returns numbers of least cost for vertices that the arcs connect, starting from valid numbers; if
/// tuning::simplex_steps or the control ends it, the best valid numbers so far.
std::vector<std::int64_t> network_simplex(std::vector<DistanceArc> const& arcs,
                                          std::vector<std::int64_t> start, Control& control);

}  // namespace bayesloom::layout
