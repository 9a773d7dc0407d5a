#include "layout/packing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "layout/tuning.hpp"

namespace bayesloom::layout {

namespace {

Packing in_rows(std::vector<Extent> const& parts, std::vector<std::size_t> const& order, double gap,
                double limit) {
  Packing out{{}, std::vector<Point>(parts.size())};
  double x = 0, y = 0, row = 0;
  for (std::size_t const i : order) {
    if (x > 0 && x + parts[i].width > limit) {
      y += row + gap;
      x = row = 0;
    }
    out.corners[i] = {x, y};
    out.whole.width = std::max(out.whole.width, x + parts[i].width);
    out.whole.height = std::max(out.whole.height, y + parts[i].height);
    row = std::max(row, parts[i].height);
    x += parts[i].width + gap;
  }
  return out;
}

}  // namespace

Packing pack(std::vector<Extent> const& parts, double gap, double least_width) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return parts[a].height > parts[b].height; });
  double area = 0, widest = least_width;
  for (Extent const& part : parts) {
    area += (part.width + gap) * (part.height + gap);
    widest = std::max(widest, part.width);
  }
  // The area that a drawing of the wanted shape needs to hold this one: less is better.
  auto const cost = [](Packing const& packing) {
    double const height = std::max(packing.whole.height, packing.whole.width / tuning::aspect);
    return height * height;
  };
  Packing best = in_rows(parts, order, gap, widest);
  double const guess = std::sqrt(area * tuning::aspect);
  for (int percent = 60; percent <= 200; percent += 5) {
    Packing const next = in_rows(parts, order, gap, std::max(widest, guess * percent / 100));
    if (cost(next) < cost(best)) best = next;
  }
  return best;
}

}  // namespace bayesloom::layout
