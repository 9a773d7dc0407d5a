#include "layout/network_simplex.hpp"

#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "layout/tuning.hpp"

namespace bayesloom::layout {

namespace {

constexpr std::size_t no_arc = std::numeric_limits<std::size_t>::max();

class Simplex {
 public:
  Simplex(std::vector<DistanceArc> const& arcs, std::vector<std::int64_t> start)
      : arcs_(arcs),
        number_(std::move(start)),
        surplus_(number_.size(), 0),
        tree_(number_.size()),
        in_tree_(arcs.size(), false),
        upper_(number_.size()),
        upper_arc_(number_.size()),
        below_(number_.size()) {
    for (DistanceArc const& arc : arcs) {
      surplus_[arc.from] += arc.weight;
      surplus_[arc.to] -= arc.weight;
    }
  }

  std::vector<std::int64_t> run(Control& control) {
    if (grow_tight_tree(control)) {
      while (!out_of_steps(control)) {
        root_tree();
        Vertex const below = leaving();
        if (below == order_[0]) break;
        exchange(below);
      }
    }
    return std::move(number_);
  }

 private:
  /// Counts a pass over vertices and arcs; at any time the numbers keep all lengths.
  bool out_of_steps(Control& control) {
    std::uint64_t const pass = number_.size() + arcs_.size();
    steps_ += pass;
    bool const told = control.should_stop(pass);
    return steps_ > tuning::simplex_steps || (told && steps_ > tuning::least_steps);
  }

  std::int64_t room(std::size_t a) const {
    return number_[arcs_[a].to] - number_[arcs_[a].from] - arcs_[a].length;
  }
  Vertex other_end(std::size_t a, Vertex v) const {
    return arcs_[a].from == v ? arcs_[a].to : arcs_[a].from;
  }

  void put_in(std::size_t a) {
    in_tree_[a] = true;
    tree_[arcs_[a].from].push_back(a);
    tree_[arcs_[a].to].push_back(a);
  }
  void take_out(std::size_t a) {
    in_tree_[a] = false;
    for (Vertex const v : {arcs_[a].from, arcs_[a].to}) std::erase(tree_[v], a);
  }

  /// A spanning tree of arcs as short as may be: grown from vertex 0; where it cannot grow, it moves
  /// until the nearest arc to the rest is as short. Returns whether there was time for it.
  bool grow_tight_tree(Control& control) {
    std::vector<std::pair<Vertex, Vertex>> pairs;
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      pairs.emplace_back(arcs_[a].from, static_cast<Vertex>(a));
      pairs.emplace_back(arcs_[a].to, static_cast<Vertex>(a));
    }
    Neighbours const at(number_.size(), pairs);
    std::vector<bool> inside(number_.size(), false);
    std::vector<Vertex> members{0};
    inside[0] = true;
    for (std::size_t done = 0; members.size() < number_.size();) {
      for (; done < members.size(); ++done)
        for (Vertex const a : at[members[done]]) {
          Vertex const next = other_end(a, members[done]);
          if (inside[next] || room(a) != 0) continue;
          inside[next] = true;
          put_in(a);
          members.push_back(next);
        }
      std::size_t nearest = no_arc;
      for (std::size_t a = 0; a < arcs_.size(); ++a)
        if (inside[arcs_[a].from] != inside[arcs_[a].to] &&
            (nearest == no_arc || room(a) < room(nearest)))
          nearest = a;
      if (nearest == no_arc) break;  // all are in
      if (out_of_steps(control)) return false;
      bool const forwards = inside[arcs_[nearest].from];
      std::int64_t const move = forwards ? room(nearest) : -room(nearest);
      for (Vertex const v : members) number_[v] += move;
      Vertex const joined = forwards ? arcs_[nearest].to : arcs_[nearest].from;
      inside[joined] = true;
      put_in(nearest);
      members.push_back(joined);
    }
    if (members.size() != number_.size()) throw InternalError("network simplex: not connected");
    return true;
  }

  /// Hangs the tree from vertex 0 and sums the surplus of what is below each vertex.
  void root_tree() {
    order_.assign(1, 0);
    upper_arc_[0] = no_arc;
    for (std::size_t done = 0; done < order_.size(); ++done) {
      Vertex const v = order_[done];
      below_[v] = surplus_[v];
      for (std::size_t const a : tree_[v]) {
        if (a == upper_arc_[v]) continue;
        Vertex const next = other_end(a, v);
        upper_[next] = v;
        upper_arc_[next] = a;
        order_.push_back(next);
      }
    }
    for (std::size_t i = order_.size(); i-- > 1;) below_[upper_[order_[i]]] += below_[order_[i]];
  }

  /// The vertex below the tree arc of the most negative cut value; the root if there is none.
  Vertex leaving() const {
    std::int64_t least = 0;
    Vertex found = order_[0];
    for (std::size_t i = 1; i < order_.size(); ++i) {
      Vertex const v = order_[i];
      std::int64_t const cut = arcs_[upper_arc_[v]].from == v ? below_[v] : -below_[v];
      if (cut < least) {
        least = cut;
        found = v;
      }
    }
    return found;
  }

  /// Takes the arc above a vertex out of the tree.
  void exchange(Vertex top) {
    std::size_t const leaves = upper_arc_[top];
    part_.assign(number_.size(), 0);  // what hangs from `top`
    part_[top] = 1;
    for (std::size_t i = 1; i < order_.size(); ++i)
      if (part_[upper_[order_[i]]] != 0) part_[order_[i]] = 1;
    char const tail = arcs_[leaves].from == top ? 1 : 0;
    // Arcs from the side of the head to that of the tail stop the move.
    std::size_t enters = no_arc;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      if (part_[arcs_[a].from] == tail || part_[arcs_[a].to] != tail || in_tree_[a]) continue;
      if (room(a) < least) {
        least = room(a);
        enters = a;
      }
    }
    if (enters == no_arc) throw InternalError("network simplex: unbounded");
    std::int64_t const move = tail == 1 ? -least : least;
    if (move != 0)
      for (Vertex v = 0; v < number_.size(); ++v)
        if (part_[v] != 0) number_[v] += move;
    take_out(leaves);
    put_in(enters);
  }

  std::vector<DistanceArc> const& arcs_;
  std::vector<std::int64_t> number_;
  std::vector<std::int64_t> surplus_;           // weight out - weight in
  std::vector<std::vector<std::size_t>> tree_;  // arcs of the tree at each vertex
  std::vector<bool> in_tree_;
  std::vector<Vertex> order_, upper_;
  std::vector<std::size_t> upper_arc_;
  std::vector<std::int64_t> below_;
  std::vector<char> part_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::vector<std::int64_t> network_simplex(std::vector<DistanceArc> const& arcs,
                                          std::vector<std::int64_t> start, Control& control) {
  if (start.empty()) return start;
  return Simplex(arcs, std::move(start)).run(control);
}

}  // namespace bayesloom::layout
