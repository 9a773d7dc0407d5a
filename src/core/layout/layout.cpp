#include "layout/layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "layout/coordinates.hpp"
#include "layout/crossings.hpp"
#include "layout/hanging_parts.hpp"
#include "layout/layers.hpp"
#include "layout/packing.hpp"
#include "layout/tuning.hpp"

namespace bayesloom::layout {

namespace {

/// Connected variables, with the arcs among them.
struct Part {
  std::vector<Vertex> members;
  std::vector<std::size_t> arcs;
};

std::vector<Part> parts_of(std::size_t vertices, std::vector<Arc> const& arcs) {
  std::vector<Vertex> leader(vertices);
  std::iota(leader.begin(), leader.end(), Vertex{0});
  auto const find = [&](Vertex v) {
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
  };
  for (Arc const& arc : arcs) {
    Vertex const a = find(arc.from), b = find(arc.to);
    leader[std::max(a, b)] = std::min(a, b);
  }
  std::vector<Part> parts;
  std::vector<std::size_t> number(vertices);
  for (Vertex v = 0; v < vertices; ++v) {
    if (find(v) == v) {
      number[v] = parts.size();
      parts.emplace_back();
    }
    parts[number[find(v)]].members.push_back(v);
  }
  for (std::size_t a = 0; a < arcs.size(); ++a) parts[number[find(arcs[a].from)]].arcs.push_back(a);
  return parts;
}

class Drawer {
 public:
  Drawer(std::vector<double> const& widths, double height, std::vector<Arc> const& arcs,
         Control& control)
      : widths_(widths), height_(height), arcs_(arcs), control_(control) {
    layout_.boxes.resize(widths.size());
    layout_.routes.resize(arcs.size());
  }

  Layout run() {
    std::vector<Part> const parts = parts_of(widths_.size(), arcs_);
    std::vector<Part const*> joined, single;
    for (Part const& part : parts) (part.arcs.empty() ? single : joined).push_back(&part);
    std::vector<Extent> extents;
    for (Part const* part : joined) extents.push_back(draw(*part));
    Packing const above = pack(extents, tuning::part_gap, 0);
    for (std::size_t k = 0; k < joined.size(); ++k) move(*joined[k], above.corners[k]);
    Extent whole = above.whole;
    if (!single.empty()) whole = put_below(single, whole);
    for (Part const& part : parts) move(part, {tuning::margin, tuning::margin});
    layout_.width = whole.width + 2 * tuning::margin;
    layout_.height = whole.height + 2 * tuning::margin;
    return std::move(layout_);
  }

 private:
  /// Draws a part with its upper left corner at (0, 0).
  Extent draw(Part const& part) {
    std::vector<double> width;
    std::vector<Vertex> number(widths_.size());
    for (Vertex const v : part.members) {
      number[v] = static_cast<Vertex>(width.size());
      width.push_back(std::ceil(widths_[v]));
    }
    std::vector<Arc> arcs;
    for (std::size_t const a : part.arcs)
      arcs.push_back({number[arcs_[a].from], number[arcs_[a].to]});
    auto graph = layered_graph(width.size(), arcs, layers_of(width.size(), arcs, control_));
    std::vector<double> const x = place(graph, width);
    layout_.crossings += crossings_of(graph);
    std::vector<double> const top = tops_of(graph, x, height_);
    auto routes = routes_of(graph, {width, height_, x, top});
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Vertex v = 0; v < graph.boxes; ++v) {
      low = std::min(low, x[v] - width[v] / 2);
      high = std::max(high, x[v] + width[v] / 2);
      layout_.boxes[part.members[v]] = {x[v] - width[v] / 2, top[graph.layer[v]]};
    }
    for (Route const& route : routes)
      for (Point const& point : route) {
        low = std::min(low, point.x);
        high = std::max(high, point.x);
      }
    for (std::size_t k = 0; k < part.arcs.size(); ++k)
      layout_.routes[part.arcs[k]] = std::move(routes[k]);
    move(part, {-low, 0});
    return {high - low, top.back() + height_};
  }

  /// Orders the rows and places the vertices: of orders with as few crossings the one with short
  /// edges in a narrow drawing, and parts that hang on one variable next to it where that is worth
  /// what it crosses.
  std::vector<double> place(LayeredGraph& graph, std::vector<double> const& width) {
    bool const choice = graph.size() <= tuning::chosen_up_to;
    auto orders = orders_of(graph, choice ? tuning::orders : 1, control_);
    std::vector<double> best;
    double least = std::numeric_limits<double>::infinity();
    /// Whether the graph's rows make a better drawing than the best so far.
    auto const better = [&] {
      auto x = coordinates_of(graph, width, control_);
      auto const [low, high] = extent(graph, width, x);
      double const cost =
          length_of(graph, x) * (high - low) * (1 + static_cast<double>(crossings_of(graph)));
      if (cost >= least) return false;
      least = cost;
      best = std::move(x);
      return true;
    };
    std::size_t chosen = 0;
    for (std::size_t k = 0; k < orders.size(); ++k) {
      graph.rows = orders[k];
      if (better()) chosen = k;
    }
    graph.rows = std::move(orders[chosen]);
    if (choice) draw_near(graph, best, better);
    return best;
  }

  /// Tries the parts that hang on one variable next to it, on the side with fewer crossings, those
  /// farthest from it first.
  template <typename Better>
  void draw_near(LayeredGraph& graph, std::vector<double> const& x, Better const& better) {
    auto parts = hanging_parts_of(graph);
    auto const [low, high] = std::ranges::minmax(x);
    double const near = tuning::near * (high - low);
    for (std::size_t k = 0; k < tuning::parts_drawn_near && !parts.empty(); ++k) {
      auto const far = std::ranges::max_element(
          parts, {}, [&](HangingPart const& part) { return distance_of(graph, part, x); });
      if (distance_of(graph, *far, x) <= near) break;
      Rows left = rows_beside_anchor(graph, *far, true);
      Rows before = std::exchange(graph.rows, rows_beside_anchor(graph, *far, false));
      std::uint64_t const on_the_right = crossings_of(graph);
      std::swap(graph.rows, left);
      if (on_the_right < crossings_of(graph)) std::swap(graph.rows, left);
      if (!better()) graph.rows = std::move(before);
      parts.erase(far);
    }
  }

  void move(Part const& part, Point by) {
    for (Vertex const v : part.members) {
      layout_.boxes[v].x += by.x;
      layout_.boxes[v].y += by.y;
    }
    for (std::size_t const a : part.arcs)
      for (Point& point : layout_.routes[a]) {
        point.x += by.x;
        point.y += by.y;
      }
  }

  /// Variables without edges stand in columns of one width below the rest.
  Extent put_below(std::vector<Part const*> const& single, Extent whole) {
    std::vector<Extent> cells(single.size());
    double widest = 0;
    for (Part const* part : single) widest = std::max(widest, widths_[part->members[0]]);
    for (Extent& cell : cells) cell = {widest, height_};
    double const gap = tuning::single_gap;
    Packing const grid = pack(cells, gap, whole.width);
    double const down = whole.height > 0 ? whole.height + tuning::part_gap : 0;
    for (std::size_t k = 0; k < single.size(); ++k) {
      Vertex const v = single[k]->members[0];
      layout_.boxes[v] = {grid.corners[k].x + (widest - widths_[v]) / 2, grid.corners[k].y + down};
    }
    return {std::max(whole.width, grid.whole.width), grid.whole.height + down};
  }

  std::vector<double> const& widths_;
  double const height_;
  std::vector<Arc> const& arcs_;
  Control& control_;
  Layout layout_;
};

}  // namespace

Layout layered_layout(std::vector<double> const& widths, double height,
                      std::vector<Arc> const& arcs, Control& control) {
  for (Arc const& arc : arcs)
    if (arc.from >= widths.size() || arc.to >= widths.size())
      throw InputError("an edge names box " + std::to_string(std::max(arc.from, arc.to)) +
                       ", but there are " + std::to_string(widths.size()) + ".");
  return Drawer(widths, height, arcs, control).run();
}

}  // namespace bayesloom::layout
