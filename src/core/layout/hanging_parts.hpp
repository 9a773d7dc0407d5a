// Parts of a drawing that hang on a single variable, and their places beside it.
//
// Few crossings do not say where such a part stands: at the far end of its layers it crosses as little as next to
// the variable it hangs on, and moving one vertex at a time never brings it there.
#pragma once

#include <vector>

#include "layout/layered_graph.hpp"

namespace bayesloom::layout {

/// Vertices that are joined to the rest by edges of one variable alone.
struct HangingPart {
  Vertex anchor = 0;
  std::vector<Vertex> members;
};

/// All parts of two vertices or more, each at most half of the graph.
std::vector<HangingPart> hanging_parts_of(LayeredGraph const& graph);

/// How far the part's nearest variable stands from the anchor, sideways.
double distance_of(LayeredGraph const& graph, HangingPart const& part,
                   std::vector<double> const& x);

/// The rows of the graph with the part next to its anchor, on its left or its right.
Rows rows_beside_anchor(LayeredGraph const& graph, HangingPart const& part, bool left);

}  // namespace bayesloom::layout
