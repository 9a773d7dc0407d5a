// The undirected edges of a network's CPDAG while they are being directed: closed under the rules
// that hold within chain components and under limits on parents (directions.hpp), with a trail to
// take steps back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "graph/mixed_graph.hpp"
#include "graph/network.hpp"

namespace bayesloom {

class ChainEdges {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// Numbered as they come in `network.parents()`. `most` is empty without limits. Steps are added
  /// to `work`.
  ChainEdges(Network const& network, std::vector<std::size_t> const& most, std::uint64_t& work);

  std::size_t size() const { return from_.size(); }
  std::size_t variable_count() const { return near_.size(); }
  Variable from(std::size_t e) const { return from_[e]; }  ///< in the network
  Variable to(std::size_t e) const { return to_[e]; }
  bool is_along(std::size_t e, Variable tail) const { return from_[e] == tail; }
  bool is_open(std::size_t e) const { return way_[e] == open; }
  bool is_turned(std::size_t e) const { return way_[e] == turned; }
  /// Whether the edge leads away from this end of it, if open ones are as in the network.
  bool leads_from(std::size_t e, Variable end) const { return (from_[e] == end) != is_turned(e); }
  /// The edge that joins two variables, if it is one of these.
  std::size_t find(Variable a, Variable b) const;
  MixedGraph const& picture() const { return picture_; }  ///< the CPDAG

  /// Directs an edge as in the network, or against it. False if it has the other direction.
  bool direct(std::size_t e, bool along);
  /// Directs what follows from the rules and the limits. False if they contradict each other.
  bool close();

  /// Directs so many edges that, with all open ones as in the network, there is no cycle and no
  /// v-structure; the edges up to the mark are as in the network. False on a contradiction.
  bool settle_cycles(std::size_t mark);
  /// Whether limits hold, if open edges are as in the network, of which no edge before the mark is
  /// turned.
  bool keeps_limits(std::size_t mark) const;

  std::size_t mark() const { return trail_.size(); }
  /// The edges directed since a mark.
  std::span<std::size_t const> since(std::size_t mark) const {
    return std::span(trail_).subspan(mark);
  }
  void undo(std::size_t mark);
  /// Of directed edges.
  Variable tail(std::size_t e) const { return way_[e] == along ? from_[e] : to_[e]; }
  Variable head(std::size_t e) const { return way_[e] == along ? to_[e] : from_[e]; }

  /// The open edges of variables that could still get more parents than they may have.
  template <typename Wanted>
  std::vector<std::size_t> unsettled(Wanted wanted) const {
    std::vector<std::size_t> found;
    for (Variable const v : limited_) {
      if (!wanted(v)) continue;
      std::size_t const before = found.size();
      for (auto const& [other, e] : near_[v])
        if (is_open(e)) found.push_back(e);
      work_ += near_[v].size();
      if (found.size() - before + parents_[v].size() <= room_[v]) found.resize(before);
    }
    return found;
  }

 private:
  enum Way : std::uint8_t { open, along, turned };
  struct Near {
    Variable other;
    std::size_t edge;
  };

  bool direct_from(std::size_t e, Variable tail) { return direct(e, is_along(e, tail)); }
  bool follow(Variable u, Variable v);
  bool follow_pair(Variable c, Variable d, Variable b);

  MixedGraph picture_;
  std::vector<Variable> from_, to_;
  std::vector<Way> way_;
  std::vector<std::vector<Near>> near_;         // of each variable, ascending
  std::vector<std::vector<Variable>> parents_;  // by edges directed so far
  std::vector<std::size_t> room_;               // for parents of the same component
  std::vector<Variable> limited_;               // variables whose limit can matter
  std::vector<bool> is_limited_;
  std::vector<std::size_t> trail_;
  bool begun_ = false;
  std::size_t followed_ = 0;  // edges of the trail whose consequences were drawn
  std::uint64_t& work_;
};

}  // namespace bayesloom
