#include "graph/equivalence.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace bayesloom {

namespace {

/// For each item of `network.parents()`, whether that edge is compelled.
std::vector<char> compelled_edges(Network const& network) {
  std::size_t const n = network.size();
  FlatLists const& parents = network.parents();
  std::vector<char> compelled(parents.item_count(), 0);
  std::vector<std::uint32_t> position(n);
  for (std::size_t k = 0; k < n; ++k) position[network.order()[k]] = static_cast<std::uint32_t>(k);

  // place[w] is the item of edge w -> y when owner[w] == y.
  std::vector<std::size_t> place(n);
  std::vector<std::uint32_t> owner(n, static_cast<std::uint32_t>(n));

  for (Variable const y : network.order()) {
    auto const into_y = parents[y];
    if (into_y.empty()) continue;
    std::size_t const begin = parents.offset(y);
    for (std::size_t k = 0; k < into_y.size(); ++k) {
      place[into_y[k]] = begin + k;
      owner[into_y[k]] = y;
    }
    Variable const x =
        *std::ranges::max_element(into_y, {}, [&](Variable p) { return position[p]; });

    bool all = false;
    std::size_t shared = 0;  // parents of x that are parents of y too
    for (std::size_t k = 0; k < parents[x].size(); ++k) {
      Variable const w = parents[x][k];
      bool const is_shared = owner[w] == y;
      shared += is_shared;
      if (!compelled[parents.offset(x) + k]) continue;
      if (is_shared)
        compelled[place[w]] = 1;
      else
        all = true;
    }
    if (all || shared + 1 < into_y.size())
      std::fill_n(compelled.begin() + static_cast<std::ptrdiff_t>(begin), into_y.size(), char{1});
  }
  return compelled;
}

bool same_skeleton(Network const& a, Network const& b) {
  if (a.edge_count() != b.edge_count()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (Variable const parent : a.parents(i))
      if (!b.adjacent(parent, static_cast<Variable>(i))) return false;
  return true;
}

/// Every v-structure of `a` is one of `b`; the skeletons are the same.
bool has_v_structures_of(Network const& a, Network const& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto const child = static_cast<Variable>(i);
    auto const parents = a.parents(i);
    for (std::size_t k = 1; k < parents.size(); ++k)
      for (std::size_t l = 0; l < k; ++l)
        if (!a.adjacent(parents[k], parents[l]) &&
            !(b.has_edge(parents[k], child) && b.has_edge(parents[l], child)))
          return false;
  }
  return true;
}

}  // namespace

MixedGraph cpdag(Network const& network) {
  std::size_t const n = network.size();
  std::vector<char> const compelled = compelled_edges(network);
  FlatLists directed;
  directed.reserve(n, network.edge_count());
  FlatLists reversible;
  for (std::size_t i = 0, edge = 0; i < n; ++i) {
    for (Variable const parent : network.parents(i))
      (compelled[edge++] ? directed : reversible).push_back(parent);
    directed.close();
    reversible.close();
  }
  // The neighbours of i are its reversible parents and its reversible children, merged.
  FlatLists const children = transposed(reversible);
  FlatLists neighbours;
  neighbours.reserve(n, 2 * reversible.item_count());
  for (std::size_t i = 0; i < n; ++i) {
    auto const up = reversible[i];
    auto const down = children[i];
    auto u = up.begin();
    auto d = down.begin();
    while (u != up.end() || d != down.end()) {
      bool const take_up = d == down.end() || (u != up.end() && *u < *d);
      neighbours.push_back(take_up ? *u++ : *d++);
    }
    neighbours.close();
  }
  return {std::move(directed), std::move(neighbours)};
}

bool is_equivalent(Network const& a, Network const& b) {
  require_same_size(a.size(), b.size());
  return same_skeleton(a, b) && has_v_structures_of(a, b) && has_v_structures_of(b, a);
}

bool is_covered(Network const& network, std::size_t from, std::size_t to) {
  if (from >= network.size() || to >= network.size() ||
      !network.has_edge(static_cast<Variable>(from), static_cast<Variable>(to)))
    throw InputError("there is no edge from " + std::to_string(from) + " to " + std::to_string(to) +
                     ".");
  auto const into_to = network.parents(to);
  auto const into_from = network.parents(from);
  return into_to.size() == into_from.size() + 1 && std::ranges::includes(into_to, into_from);
}

}  // namespace bayesloom
