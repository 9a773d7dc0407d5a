// The drawing of a network: boxes in layers, edges that point down. The steps are those of
// [sugiyama1981]: layers (layers.hpp), the order within layers (crossings.hpp), coordinates
// (coordinates.hpp), curves (routes.hpp), for each connected part by itself; the parts then stand side
// by side (packing.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "layout/layered_graph.hpp"
#include "layout/routes.hpp"

namespace bayesloom::layout {

struct Layout {
  double width = 0, height = 0;
  std::vector<Point> boxes;     ///< the upper left corner of each
  std::vector<Route> routes;    ///< of each arc, from the bottom of a box to the top of another
  std::uint64_t crossings = 0;  ///< of edges as lines between layers
};

/// Lays out boxes of these widths and one height. Arcs have no cycle and do not repeat.
Layout layered_layout(std::vector<double> const& widths, double height,
                      std::vector<Arc> const& arcs, Control& control);

}  // namespace bayesloom::layout
