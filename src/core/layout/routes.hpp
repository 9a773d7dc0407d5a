// Routes edges as curves that touch no box except their ends.
//
// An edge always goes down, so its curve is a function x(y): a monotone cubic spline through its bends
// [fritsch1980]. There are no boxes between two layers. In the band of a layer that it passes, the curve must stay in
// its channel: between the nearest boxes, and between the nearest edges that it does not cross elsewhere. Bends that
// this does not need are removed, all of them if a straight line fits. Where the curve would leave its channel, it
// passes the band vertically, which always fits.
#pragma once

#include <vector>

#include "layout/layered_graph.hpp"

namespace bayesloom::layout {

struct Point {
  double x, y;
};

/// Cubic Bezier curves one after the other: start, two control points, end, two control points, ...
using Route = std::vector<Point>;

/// What is known of a drawing before its edges are drawn.
struct Frame {
  std::vector<double> const& width;  ///< of the boxes
  double height;                     ///< of every box
  std::vector<double> const& x;      ///< middle of each vertex
  std::vector<double> const& top;    ///< of each layer
};

/// The top of each layer: further apart where edges run far sideways.
std::vector<double> tops_of(LayeredGraph const& graph, std::vector<double> const& x, double height);

/// The curve of each chain.
std::vector<Route> routes_of(LayeredGraph const& graph, Frame const& frame);

}  // namespace bayesloom::layout
