// The order of vertices within layers: few crossings of edges [sugiyama1981, gansner1993].
//
// Each start takes some order and sweeps down and up: each layer is sorted by the mean or the median place of its
// neighbours in the layer before, then adjacent vertices are swapped while that removes crossings. The best order of
// the start is sifted: each vertex moves to the place in its layer with the fewest crossings. Finally the best order
// of all starts is repeatedly perturbed in a few places and sifted again. Limits count work, not time, so that the
// same network has the same drawing everywhere.
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
