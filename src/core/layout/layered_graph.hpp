// A connected part of a network in layers: the data that layering, crossing reduction and coordinates share.
//
// Vertices 0 .. boxes-1 are variables; the others are bends, one for each layer that a long edge
// passes. Every segment joins a vertex to one of the next layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bayesloom::layout {

using Vertex = std::uint32_t;

/// From a parent to a child.
struct Arc {
  Vertex from, to;
};

/// For each vertex a list of others, all in one array.
class Neighbours {
 public:
  Neighbours() = default;
  /// For each pair (a, b) puts b into the list of a, in the order of the pairs.
  Neighbours(std::size_t vertices, std::vector<std::pair<Vertex, Vertex>> const& pairs)
      : start_(vertices + 1, 0), items_(pairs.size()) {
    for (auto const& [a, b] : pairs) ++start_[a + 1];
    for (std::size_t v = 0; v < vertices; ++v) start_[v + 1] += start_[v];
    auto next = start_;
    for (auto const& [a, b] : pairs) items_[next[a]++] = b;
  }
  std::span<Vertex const> operator[](std::size_t v) const {
    return {items_.data() + start_[v], start_[v + 1] - start_[v]};
  }

 private:
  std::vector<std::size_t> start_;
  std::vector<Vertex> items_;
};

using Rows = std::vector<std::vector<Vertex>>;

struct LayeredGraph {
  std::size_t boxes = 0;
  std::vector<std::uint32_t> layer;  ///< of each vertex, the top one is 0
  Neighbours up, down;               ///< in the layer above and the one below
  Rows rows;                         ///< the vertices of each layer, from left to right
  Rows chains;                       ///< of each arc: parent, bends, child

  std::size_t size() const { return layer.size(); }
  bool is_bend(Vertex v) const { return v >= boxes; }
};

}  // namespace bayesloom::layout
