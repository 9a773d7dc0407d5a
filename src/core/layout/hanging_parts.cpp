#include "layout/hanging_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace bayesloom::layout {

namespace {

/// The vertices that are joined to `start` by ways that avoid those marked; marks them.
std::vector<Vertex> joined_to(LayeredGraph const& graph, Vertex start, std::vector<bool>& marked) {
  std::vector<Vertex> found{start};
  marked[start] = true;
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (Neighbours const* side : {&graph.up, &graph.down}) {
      for (Vertex const u : (*side)[found[k]]) {
        if (marked[u]) continue;
        marked[u] = true;
        found.push_back(u);
      }
    }
  }
  return found;
}

/// Where a part goes into a row if it goes in at `beside` in the row next to it: the place with the
/// fewest segments between the rows' other vertices in its way, of these the one nearest the anchor.
std::size_t place_in(std::vector<Vertex> const& row, Neighbours const& side,
                     std::vector<std::size_t> const& place, std::size_t beside, bool left) {
  // What is in the way of place 0: segments of the row's vertices to the left side of the other row.
  std::ptrdiff_t in_the_way = 0;
  for (Vertex const v : row)
    in_the_way += std::ranges::count_if(side[v], [&](Vertex u) { return place[u] < beside; });
  std::ptrdiff_t least = in_the_way;
  std::size_t best = 0;
  for (std::size_t p = 1; p <= row.size(); ++p) {
    for (Vertex const u : side[row[p - 1]]) in_the_way += place[u] < beside ? -1 : 1;
    if (in_the_way < least || (left && in_the_way == least)) {
      least = in_the_way;
      best = p;
    }
  }
  return best;
}

}  // namespace

std::vector<HangingPart> hanging_parts_of(LayeredGraph const& graph) {
  std::vector<HangingPart> parts;
  for (Vertex a = 0; a < graph.boxes; ++a) {
    std::vector<bool> marked(graph.size(), false);
    marked[a] = true;
    for (Neighbours const* side : {&graph.up, &graph.down}) {
      for (Vertex const u : (*side)[a]) {
        if (marked[u]) continue;
        auto members = joined_to(graph, u, marked);
        if (members.size() > 1 && 2 * members.size() <= graph.size())
          parts.push_back({a, std::move(members)});
      }
    }
  }
  return parts;
}

double distance_of(LayeredGraph const& graph, HangingPart const& part,
                   std::vector<double> const& x) {
  double least = std::numeric_limits<double>::infinity();
  for (Vertex const v : part.members)
    if (!graph.is_bend(v)) least = std::min(least, std::abs(x[v] - x[part.anchor]));
  return least;
}

Rows rows_beside_anchor(LayeredGraph const& graph, HangingPart const& part, bool left) {
  std::vector<bool> inside(graph.size(), false);
  for (Vertex const v : part.members) inside[v] = true;
  Rows rows(graph.rows.size()), moved(graph.rows.size());
  std::vector<std::size_t> place(graph.size(), 0);
  std::vector<std::pair<Vertex, Vertex>> up, down;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (Vertex const v : graph.rows[i]) {
      if (!inside[v]) place[v] = rows[i].size();
      (inside[v] ? moved : rows)[i].push_back(v);
      if (inside[v]) continue;
      for (Vertex const u : graph.up[v])
        if (!inside[u]) up.emplace_back(v, u);
      for (Vertex const u : graph.down[v])
        if (!inside[u]) down.emplace_back(v, u);
    }
  }
  Neighbours const above(graph.size(), up), below(graph.size(), down);
  std::size_t const layer = graph.layer[part.anchor];
  std::vector<std::size_t> at(rows.size(), 0);
  at[layer] = place[part.anchor] + (left ? 0 : 1);
  for (std::size_t i = layer + 1; i < rows.size() && !moved[i].empty(); ++i)
    at[i] = place_in(rows[i], above, place, at[i - 1], left);
  for (std::size_t i = layer; i-- > 0 && !moved[i].empty();)
    at[i] = place_in(rows[i], below, place, at[i + 1], left);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].insert(rows[i].begin() + static_cast<std::ptrdiff_t>(at[i]), moved[i].begin(),
                   moved[i].end());
  return rows;
}

}  // namespace bayesloom::layout
