// The order of vertices within layers: few crossings of edges [sugiyama1981, gansner1993].
//
// A start takes some order and sweeps down and up: each layer is sorted by the mean or the median
// place of its neighbours in the layer before, then neighbours change places as long as that removes
// crossings. The best order of the start is sifted: each vertex goes to the place of its layer where
// it causes the fewest crossings. Then the best order of all starts is disturbed in a few places and
// sifted again, many times over. Work is counted, not time, so that the same network has the same
// drawing everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "layout/layered_graph.hpp"

namespace bayesloom::layout {

/// Crossings of straight segments between the layers, as the rows stand.
std::uint64_t crossings_of(LayeredGraph const& graph);

/// Rows in up to `most` different orders, all with the same number of crossings, few.
std::vector<Rows> orders_of(LayeredGraph const& graph, std::size_t most, Control& control);

}  // namespace bayesloom::layout
