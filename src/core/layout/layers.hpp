// Layers: every edge points down, and all together are as short as can be [gansner1993].
//
// Longest paths give layers that are valid. Network simplex makes the sum of lengths least: a
// spanning tree of edges of length one decides all layers; an edge of the tree whose removal would
// let a side move and shorten the whole leaves it, the edge that stops the move enters. The cut value
// of a tree edge is the sum of (out-degree - in-degree) over the side of its tail, since edges within
// a side count once with each sign; so a pivot takes time in proportion to vertices and edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "layout/layered_graph.hpp"

namespace bayesloom::layout {

/// The layer of each of `vertices` vertices that the arcs, without a cycle, connect.
std::vector<std::uint32_t> layers_of(std::size_t vertices, std::vector<Arc> const& arcs,
                                     Control& control);

/// The graph with these layers and bends where an arc passes one; rows are in the order of vertices.
LayeredGraph layered_graph(std::size_t vertices, std::vector<Arc> const& arcs,
                           std::vector<std::uint32_t> const& layer);

}  // namespace bayesloom::layout
