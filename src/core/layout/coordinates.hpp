// Horizontal coordinates: straight edges, and boxes centred over their neighbours [brandes2001].
//
// Four passes, from the top or the bottom and from the left or the right, align each vertex with a median neighbour
// of the layer before, unless that crosses an earlier alignment or a long edge; aligned vertices form lines, which
// are pushed to one side. A vertex gets the mean of the middle two of its four places. Long edges are straight
// between their first and last bend wherever no two of them cross.
// Difference from the paper: it pushes lines together class by class, with errors that an erratum corrects
// [brandes2020]; here all lines are pushed at once, along longest paths of the order of lines, and then back towards
// the next line.
// The result has straight long edges, but some parts are far from each other. So network simplex
// (network_simplex.hpp) then moves all straight lines to minimise the total length of edges, and each line moves to
// the middle of the places of equal cost.
#pragma once

#include <utility>
#include <vector>

#include "base/control.hpp"
#include "layout/layered_graph.hpp"

namespace bayesloom::layout {

/// The middle of each vertex from left to right; `width` has the boxes', whole numbers.
std::vector<double> coordinates_of(LayeredGraph const& graph, std::vector<double> const& width,
                                   Control& control);

/// How far all edges run sideways, straight ones between bends counting most.
double length_of(LayeredGraph const& graph, std::vector<double> const& x);

/// The left end and the right end of what stands at x.
std::pair<double, double> extent(LayeredGraph const& graph, std::vector<double> const& width,
                                 std::vector<double> const& x);

/// The least distance between the middles of two neighbours of a layer.
double least_distance(LayeredGraph const& graph, std::vector<double> const& width, Vertex left,
                      Vertex right);

}  // namespace bayesloom::layout
