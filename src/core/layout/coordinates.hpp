// Where in its layer each vertex stands: edges straight, boxes over the middle of what they join
// [brandes2001].
//
// Four times, from the top or the bottom and from the left or the right, each vertex is put in line
// with a median neighbour of the layer before, unless that crosses a line that is there already or a
// long edge; lines are then pushed to one side. A vertex gets the mean of the middle two of its four
// places. Long edges are straight between their first and last bend wherever no two of them cross.
// The paper pushes lines together class by class, with mistakes that an erratum mends
// [brandes2020]; here all lines are pushed at once, along longest paths of the order of lines, and
// then back towards the next line, so classes, and the mistakes, do not arise.
// That makes long edges straight but leaves parts far from each other. So straight runs then move, all
// together, to where edges are shortest (network_simplex.hpp), and each to the middle of the places
// that are as good.
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
