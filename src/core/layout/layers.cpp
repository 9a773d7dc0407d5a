#include "layout/layers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "layout/tuning.hpp"

namespace bayesloom::layout {

namespace {

using Pairs = std::vector<std::pair<Vertex, Vertex>>;
constexpr std::size_t no_arc = std::numeric_limits<std::size_t>::max();

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

class Simplex {
 public:
  Simplex(std::size_t vertices, std::vector<Arc> const& arcs)
      : arcs_(arcs),
        at_(arcs_at(vertices, arcs)),
        layer_(longest_paths(vertices, arcs)),
        surplus_(vertices, 0),
        in_tree_(arcs.size(), false),
        upper_(vertices),
        upper_arc_(vertices),
        below_(vertices) {
    for (Arc const& arc : arcs) {
      ++surplus_[arc.from];
      --surplus_[arc.to];
    }
  }

  std::vector<std::int64_t> run(Control& control) {
    grow_tight_tree();
    std::uint64_t const pivot = layer_.size() + arcs_.size();
    for (std::uint64_t steps = 0; steps < tuning::simplex_steps; steps += pivot) {
      root_tree();
      auto const [vertex, leaves] = leaving();
      if (leaves == no_arc || control.should_stop()) break;
      exchange(vertex, leaves);
    }
    return std::move(layer_);
  }

 private:
  std::int64_t slack(std::size_t a) const {
    return layer_[arcs_[a].to] - layer_[arcs_[a].from] - 1;
  }

  /// A spanning tree of arcs of length one: grown from vertex 0; where it cannot grow, it moves until
  /// the nearest arc to the rest has length one.
  void grow_tight_tree() {
    std::vector<bool> inside(layer_.size(), false);
    std::vector<Vertex> members{0};
    inside[0] = true;
    for (std::size_t done = 0; members.size() < layer_.size();) {
      for (; done < members.size(); ++done) {
        for (Vertex const a : at_[members[done]]) {
          Vertex const other = arcs_[a].from == members[done] ? arcs_[a].to : arcs_[a].from;
          if (inside[other] || slack(a) != 0) continue;
          inside[other] = in_tree_[a] = true;
          members.push_back(other);
        }
      }
      std::size_t nearest = no_arc;
      for (std::size_t a = 0; a < arcs_.size(); ++a)
        if (inside[arcs_[a].from] != inside[arcs_[a].to] &&
            (nearest == no_arc || slack(a) < slack(nearest)))
          nearest = a;
      if (nearest == no_arc) break;  // all are in
      std::int64_t const move = inside[arcs_[nearest].from] ? slack(nearest) : -slack(nearest);
      for (Vertex const v : members) layer_[v] += move;
      // The arcs of every member may be tight now; the one that is surely so is at hand.
      Vertex const joined = inside[arcs_[nearest].from] ? arcs_[nearest].to : arcs_[nearest].from;
      inside[joined] = in_tree_[nearest] = true;
      members.push_back(joined);
    }
  }

  /// Hangs the tree from vertex 0 and sums the surplus of what is below each vertex.
  void root_tree() {
    order_.assign(1, 0);
    upper_[0] = 0;
    upper_arc_[0] = no_arc;
    for (std::size_t done = 0; done < order_.size(); ++done) {
      Vertex const v = order_[done];
      below_[v] = surplus_[v];
      for (Vertex const a : at_[v]) {
        if (!in_tree_[a] || a == upper_arc_[v]) continue;
        Vertex const other = arcs_[a].from == v ? arcs_[a].to : arcs_[a].from;
        upper_[other] = v;
        upper_arc_[other] = a;
        order_.push_back(other);
      }
    }
    for (std::size_t i = order_.size(); i-- > 1;) below_[upper_[order_[i]]] += below_[order_[i]];
  }

  /// The tree arc of the most negative cut value, with the vertex below it.
  std::pair<Vertex, std::size_t> leaving() const {
    std::int64_t least = 0;
    std::pair<Vertex, std::size_t> found{0, no_arc};
    for (std::size_t i = 1; i < order_.size(); ++i) {
      Vertex const v = order_[i];
      std::int64_t const cut = arcs_[upper_arc_[v]].from == v ? below_[v] : -below_[v];
      if (cut < least) {
        least = cut;
        found = {v, upper_arc_[v]};
      }
    }
    return found;
  }

  void exchange(Vertex top, std::size_t leaves) {
    std::vector<bool> part(layer_.size(), false);  // what hangs from `top`
    part[top] = true;
    for (Vertex const v : order_)
      if (v != order_[0] && part[upper_[v]]) part[v] = true;
    bool const tail_side = arcs_[leaves].from == top;
    // Arcs from the side of the head to that of the tail stop the move.
    std::size_t enters = no_arc;
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      bool const crosses =
          part[arcs_[a].from] != tail_side && part[arcs_[a].to] == tail_side && !in_tree_[a];
      if (crosses && (enters == no_arc || slack(a) < slack(enters))) enters = a;
    }
    if (enters == no_arc) throw InternalError("network simplex is unbounded");
    // The entering arc runs from the head's side to the tail's: shorten it to one.
    std::int64_t const move = tail_side ? -slack(enters) : slack(enters);
    for (Vertex v = 0; v < layer_.size(); ++v)
      if (part[v]) layer_[v] += move;
    in_tree_[leaves] = false;
    in_tree_[enters] = true;
  }

  std::vector<Arc> const& arcs_;
  Neighbours at_;
  std::vector<std::int64_t> layer_;
  std::vector<std::int64_t> surplus_;  // out-degree - in-degree
  std::vector<bool> in_tree_;
  std::vector<Vertex> order_, upper_;
  std::vector<std::size_t> upper_arc_;
  std::vector<std::int64_t> below_;
};

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
  auto layer = Simplex(vertices, arcs).run(control);
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
