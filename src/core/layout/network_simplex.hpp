// Network simplex: whole numbers for vertices, least distances along arcs, the weighted sum of all
// distances as small as can be [gansner1993]. Layers come from it, and coordinates within layers.
//
// A spanning tree of arcs that are as short as they may be decides all numbers. An arc of the tree
// whose removal would let a side move and lower the sum leaves it; the arc that stops the move
// enters. The cut value of a tree arc is the sum of (weight out - weight in) over the vertices on the
// side of its tail, since arcs within a side count once with each sign; so a pivot takes time in
// proportion to vertices and arcs.
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

/// Numbers of least cost for vertices that the arcs connect, from numbers that keep all lengths; after
/// tuning::simplex_steps, or when told to stop, numbers that keep them and are the best so far.
std::vector<std::int64_t> network_simplex(std::vector<DistanceArc> const& arcs,
                                          std::vector<std::int64_t> start, Control& control);

}  // namespace bayesloom::layout
