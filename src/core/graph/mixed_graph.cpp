#include "graph/mixed_graph.hpp"

#include <algorithm>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace bayesloom {

namespace {

enum Mark : std::uint64_t { forward, backward, undirected };

/// Every joined pair once, ascending: smaller index, larger index, and how they are joined.
std::vector<std::uint64_t> marked_pairs(MixedGraph const& graph) {
  std::vector<std::uint64_t> pairs;
  auto const add = [&](std::uint64_t a, std::uint64_t b, Mark mark) {
    pairs.push_back(a << 32 | b << 8 | mark);
  };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (Variable const parent : graph.parents[i])
      parent < i ? add(parent, i, forward) : add(i, parent, backward);
    for (Variable const other : graph.neighbours[i])
      if (other < i) add(other, i, undirected);
  }
  std::ranges::sort(pairs);
  return pairs;
}

FlatLists empty_lists(std::size_t variables) { return {variables, {}}; }

}  // namespace

std::vector<std::pair<Variable, Variable>> MixedGraph::directed_pairs() const {
  std::vector<std::pair<Variable, Variable>> pairs;
  for (std::size_t i = 0; i < size(); ++i)
    for (Variable const parent : parents[i]) pairs.emplace_back(parent, static_cast<Variable>(i));
  return pairs;
}

std::vector<std::pair<Variable, Variable>> MixedGraph::undirected_pairs() const {
  std::vector<std::pair<Variable, Variable>> pairs;
  for (std::size_t i = 0; i < size(); ++i)
    for (Variable const other : neighbours[i])
      if (i < other) pairs.emplace_back(static_cast<Variable>(i), other);
  return pairs;
}

MixedGraph mixed_graph(std::size_t size, EdgeList const& directed, EdgeList const& undirected) {
  std::vector<std::vector<std::uint32_t>> parents(size), neighbours(size), joined(size);
  auto const join = [&](std::uint32_t a, std::uint32_t b) {
    if (std::max(a, b) >= size)
      throw InputError("edge (" + std::to_string(a) + ", " + std::to_string(b) +
                       ") is outside the graph's " + std::to_string(size) + " variables.");
    joined[std::max(a, b)].push_back(std::min(a, b));
  };
  for (auto const& [from, to] : directed) {
    join(from, to);
    parents[to].push_back(from);
  }
  for (auto const& [a, b] : undirected) {
    join(a, b);
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  checked_parents(joined);  // refuses a pair joined twice and an edge from a variable to itself
  return {checked_parents(parents), checked_parents(neighbours)};
}

MixedGraph directed_graph(Network const& network) {
  return {network.parents(), empty_lists(network.size())};
}

MixedGraph moral_graph(Network const& network) {
  std::vector<std::pair<Variable, Variable>> arcs;
  for (std::size_t i = 0; i < network.size(); ++i) {
    auto const child = static_cast<Variable>(i);
    for (Variable const parent : network.parents(i)) {
      arcs.emplace_back(parent, child);
      arcs.emplace_back(child, parent);
      for (Variable const other : network.parents(i))
        if (other != parent) arcs.emplace_back(parent, other);
    }
  }
  std::ranges::sort(arcs);
  auto const repeated = std::ranges::unique(arcs);
  arcs.erase(repeated.begin(), repeated.end());
  return {empty_lists(network.size()), FlatLists(network.size(), arcs)};
}

std::size_t distance(MixedGraph const& a, MixedGraph const& b) {
  require_same_size(a.size(), b.size());
  auto const first = marked_pairs(a);
  auto const second = marked_pairs(b);
  std::size_t differences = 0;
  auto i = first.begin();
  auto j = second.begin();
  while (i != first.end() && j != second.end()) {
    std::uint64_t const left = *i >> 8;
    std::uint64_t const right = *j >> 8;
    differences += *i != *j;
    i += left <= right;
    j += right <= left;
  }
  return differences + static_cast<std::size_t>(first.end() - i + (second.end() - j));
}

// Take away, one after the other, a variable that can be last in the order: it has no child left,
// and each of its undirected neighbours is joined to all others it is joined to, so that directing
// those edges into it makes no new v-structure. [dor1992] prove that any such choice is safe. Only
// the surroundings of a variable just taken can change, so a worklist replaces their repeated scans:
// O(sum of squared degrees, up to a logarithm) for sparse graphs. Smallest index first.
std::optional<Network> extension(MixedGraph const& graph) {
  std::size_t const n = graph.size();
  FlatLists const children = transposed(graph.parents);
  std::vector<std::vector<Variable>> around(n);  // everything joined to i, ascending
  std::vector<std::size_t> children_left(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto const list : {graph.parents[i], graph.neighbours[i], children[i]})
      around[i].insert(around[i].end(), list.begin(), list.end());
    std::ranges::sort(around[i]);
    children_left[i] = children[i].size();
  }

  std::vector<bool> taken(n, false);
  auto const can_be_last = [&](Variable i) {
    if (children_left[i] > 0) return false;
    for (Variable const neighbour : graph.neighbours[i]) {
      if (taken[neighbour]) continue;
      for (Variable const other : around[i])
        if (!taken[other] && other != neighbour &&
            !std::ranges::binary_search(around[neighbour], other))
          return false;
    }
    return true;
  };

  std::vector<std::pair<Variable, Variable>> arcs;  // (child, parent)
  std::priority_queue<Variable, std::vector<Variable>, std::greater<>> worklist;
  for (std::size_t i = 0; i < n; ++i) worklist.push(static_cast<Variable>(i));
  std::size_t left = n;
  while (!worklist.empty()) {
    Variable const last = worklist.top();
    worklist.pop();
    if (taken[last] || !can_be_last(last)) continue;
    taken[last] = true;
    --left;
    for (Variable const other : around[last]) {
      if (taken[other]) continue;
      arcs.emplace_back(last, other);
      worklist.push(other);
    }
    for (Variable const parent : graph.parents[last]) --children_left[parent];
  }
  if (left > 0) return std::nullopt;
  std::ranges::sort(arcs);
  return Network(FlatLists(n, arcs));
}

}  // namespace bayesloom
