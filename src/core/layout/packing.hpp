// Rectangles side by side, in rows from the tallest to the lowest, in a pleasant shape.
#pragma once

#include <vector>

#include "layout/routes.hpp"

namespace bayesloom::layout {

struct Extent {
  double width = 0, height = 0;
};

struct Packing {
  Extent whole;
  std::vector<Point> corners;  ///< the upper left one of each rectangle
};

/// Rows as wide as gives the wanted shape, or `least_width` if that is more.
Packing pack(std::vector<Extent> const& parts, double gap, double least_width);

}  // namespace bayesloom::layout
