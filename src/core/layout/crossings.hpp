// The order of vertices within layers: few crossings of edges [sugiyama1981, gansner1993].
//
// A start takes some order and sweeps down and up: each layer is sorted by the mean or the median
// place of its neighbours in the layer before, then neighbours change places as long as that removes
// crossings. The best order of the start is sifted: each vertex goes to the place of its layer where
// it causes the fewest crossings. The best of several starts counts. Work is counted, not time, so
// that the same network has the same drawing everywhere.
#pragma once

#include <cstdint>

#include "base/control.hpp"
#include "layout/layered_graph.hpp"

namespace bayesloom::layout {

/// Crossings of straight segments between the layers, as the rows stand.
std::uint64_t crossings_of(LayeredGraph const& graph);

/// Reorders the rows.
void reduce_crossings(LayeredGraph& graph, Control& control);

}  // namespace bayesloom::layout
