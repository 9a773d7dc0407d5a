// Strongly connected components of a directed graph [tarjan1972].
//
// Two vertices are in one component if each can be reached from the other. With arcs from child to
// parent, no cycle of parents leaves a component, so most problems on networks fall apart into one
// for each component [fan2014]. Components are numbered in the order in which they are closed: one
// that can be reached from another has the smaller number, so with such arcs parents come first.
//
// The algorithm has its own stack: thousands of variables in one chain must not exhaust the
// machine's. It takes time and memory in proportion to vertices and arcs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <utility>
#include <vector>

#include "base/var_set.hpp"

namespace bayesloom {

class StrongComponents {
 public:
  /// The component of a vertex that no root leads to.
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Arcs lead from v to each of next[v]: vectors of any integers, FlatLists, or VarSets. Of the
  /// vertices 0 .. next.size()-1 those are numbered that a root leads to.
  template <typename Lists, typename Roots>
  StrongComponents(Lists const& next, Roots const& roots) : component_(next.size(), none) {
    find(next, roots);
  }
  /// All vertices.
  template <typename Lists>
  explicit StrongComponents(Lists const& next)
      : StrongComponents(next, std::views::iota(std::size_t{0}, next.size())) {}

  std::size_t count() const { return count_; }
  std::uint32_t operator[](std::size_t v) const { return component_[v]; }

  /// The members of each component, ascending.
  std::vector<std::vector<std::size_t>> members() const {
    std::vector<std::vector<std::size_t>> out(count_);
    for (std::size_t v = 0; v < component_.size(); ++v)
      if (component_[v] != none) out[component_[v]].push_back(v);
    return out;
  }

  /// The same as sets, of at most 64 vertices.
  std::vector<VarSet> sets() const {
    std::vector<VarSet> out(count_);
    for (std::size_t v = 0; v < component_.size(); ++v)
      if (component_[v] != none) out[component_[v]].insert(v);
    return out;
  }

 private:
  template <typename Lists, typename Roots>
  void find(Lists const& next, Roots const& roots) {
    // A vertex is new (found 0), open (found, without a component) or closed.
    std::vector<std::uint32_t> found(next.size(), 0), low(next.size(), 0);
    std::vector<std::size_t> open;
    std::uint32_t clock = 0;
    using At = decltype(std::ranges::begin(next[0]));
    std::vector<std::pair<std::size_t, At>> path;
    auto const enter = [&](std::size_t v) {
      found[v] = low[v] = ++clock;
      open.push_back(v);
      path.emplace_back(v, std::ranges::begin(next[v]));
    };
    for (auto const root : roots) {
      if (found[static_cast<std::size_t>(root)] != 0) continue;
      enter(static_cast<std::size_t>(root));
      while (!path.empty()) {
        std::size_t const v = path.back().first;
        if (At& at = path.back().second; at != std::ranges::end(next[v])) {
          auto const w = static_cast<std::size_t>(*at);
          ++at;
          if (found[w] == 0) {
            enter(w);
          } else if (component_[w] == none) {
            low[v] = std::min(low[v], found[w]);
          }
          continue;
        }
        path.pop_back();
        if (!path.empty()) {
          std::uint32_t& above = low[path.back().first];
          above = std::min(above, low[v]);
        }
        if (low[v] == found[v]) close(v, open);
      }
    }
  }

  /// v is the first that was found of its component, which is what is open from v on.
  void close(std::size_t v, std::vector<std::size_t>& open) {
    for (std::size_t member = open.back();; member = open.back()) {
      open.pop_back();
      component_[member] = static_cast<std::uint32_t>(count_);
      if (member == v) break;
    }
    ++count_;
  }

  std::vector<std::uint32_t> component_;
  std::size_t count_ = 0;
};

}  // namespace bayesloom
