#include "layout/layers.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "layout/network_simplex.hpp"

namespace bayesloom::layout {

namespace {

using Pairs = std::vector<std::pair<Vertex, Vertex>>;

/// For each vertex the numbers of the arcs at it.
Neighbours arcs_at(std::size_t vertices, std::vector<Arc> const& arcs) {
  Pairs pairs;
  pairs.reserve(2 * arcs.size());
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    pairs.emplace_back(arcs[a].from, static_cast<Vertex>(a));
    pairs.emplace_back(arcs[a].to, static_cast<Vertex>(a));
  }
  return {vertices, pairs};
}

std::vector<std::int64_t> longest_paths(std::size_t vertices, std::vector<Arc> const& arcs) {
  Pairs pairs;
  std::vector<std::size_t> parents_left(vertices, 0);
  for (Arc const& arc : arcs) {
    pairs.emplace_back(arc.from, arc.to);
    ++parents_left[arc.to];
  }
  Neighbours const children(vertices, pairs);
  std::vector<Vertex> ready;
  for (Vertex v = 0; v < vertices; ++v)
    if (parents_left[v] == 0) ready.push_back(v);
  std::vector<std::int64_t> layer(vertices, 0);
  for (std::size_t done = 0; done < ready.size(); ++done) {
    Vertex const v = ready[done];
    for (Vertex const child : children[v]) {
      layer[child] = std::max(layer[child], layer[v] + 1);
      if (--parents_left[child] == 0) ready.push_back(child);
    }
  }
  if (ready.size() != vertices) throw InputError("the edges have a cycle.");
  return layer;
}

/// Vertices that any layer between parents and children suits, since as many edges get longer as
/// shorter, go to the one with the fewest vertices.
void spread(std::vector<std::int64_t>& layer, std::vector<Arc> const& arcs) {
  std::size_t const vertices = layer.size();
  std::vector<std::int64_t> surplus(vertices, 0), high(vertices, 0), low(vertices, 0);
  std::int64_t const last = *std::ranges::max_element(layer);
  std::vector<std::size_t> population(static_cast<std::size_t>(last) + 1, 0);
  for (std::int64_t const i : layer) ++population[static_cast<std::size_t>(i)];
  Neighbours const at = arcs_at(vertices, arcs);
  for (Arc const& arc : arcs) {
    ++surplus[arc.from];
    --surplus[arc.to];
  }
  for (Vertex v = 0; v < vertices; ++v) {
    if (surplus[v] != 0) continue;
    std::int64_t first = 0, end = last;
    for (Vertex const a : at[v]) {
      if (arcs[a].to == v) first = std::max(first, layer[arcs[a].from] + 1);
      if (arcs[a].from == v) end = std::min(end, layer[arcs[a].to] - 1);
    }
    --population[static_cast<std::size_t>(layer[v])];
    std::int64_t best = layer[v];
    for (std::int64_t i = first; i <= end; ++i)
      if (population[static_cast<std::size_t>(i)] < population[static_cast<std::size_t>(best)])
        best = i;
    ++population[static_cast<std::size_t>(best)];
    layer[v] = best;
  }
}

}  // namespace

std::vector<std::uint32_t> layers_of(std::size_t vertices, std::vector<Arc> const& arcs,
                                     Control& control) {
  if (vertices == 0) return {};
  std::vector<DistanceArc> distances;
  for (Arc const& arc : arcs) distances.push_back({arc.from, arc.to, 1, 1});
  auto layer = network_simplex(distances, longest_paths(vertices, arcs), control);
  std::int64_t const first = *std::ranges::min_element(layer);
  for (auto& i : layer) i -= first;
  spread(layer, arcs);
  return {layer.begin(), layer.end()};
}

LayeredGraph layered_graph(std::size_t vertices, std::vector<Arc> const& arcs,
                           std::vector<std::uint32_t> const& layer) {
  LayeredGraph graph;
  graph.boxes = vertices;
  graph.layer = layer;
  Pairs up, down;
  for (Arc const& arc : arcs) {
    auto& chain = graph.chains.emplace_back();
    chain.push_back(arc.from);
    for (std::uint32_t i = layer[arc.from] + 1; i < layer[arc.to]; ++i) {
      chain.push_back(static_cast<Vertex>(graph.layer.size()));
      graph.layer.push_back(i);
    }
    chain.push_back(arc.to);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      down.emplace_back(chain[i], chain[i + 1]);
      up.emplace_back(chain[i + 1], chain[i]);
    }
  }
  graph.up = Neighbours(graph.layer.size(), up);
  graph.down = Neighbours(graph.layer.size(), down);
  std::uint32_t const last = graph.layer.empty() ? 0 : *std::ranges::max_element(graph.layer);
  graph.rows.resize(last + 1);
  for (Vertex v = 0; v < graph.layer.size(); ++v) graph.rows[graph.layer[v]].push_back(v);
  return graph;
}

}  // namespace bayesloom::layout
