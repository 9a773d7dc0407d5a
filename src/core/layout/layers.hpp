// Layers: every edge points down, and the total length of all edges is minimal [gansner1993].
//
// Longest paths give valid layers, network simplex the shortest. Vertices with as many parents as children may fit
// into several layers, and go to the emptiest one.
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
