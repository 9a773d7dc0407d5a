#include "dual/reduction.hpp"

#include <algorithm>

namespace bayesloom::prices {

namespace {

/// The variables of the node that can be placed without `avoid` (n for none), in any way left.
WideVarSet placeable(Node const& node, std::size_t avoid) {
  std::size_t const words = node.universe->words;
  WideVarSet reached(node.universe->n);
  std::vector<Word> local(node.universe->n * words, 0);
  std::vector<Index> queue;
  auto const try_place = [&](Index i) {
    for (std::size_t c = node.end[i]; c-- > node.begin[i];)
      if (node.within(c, local.data() + i * words)) {
        reached.insert(i);
        queue.push_back(i);
        return;
      }
  };
  WideVarSet here(node.universe->n);
  for (Index const i : node.variables)
    if (i != avoid) {
      here.insert(i);
      try_place(i);
    }
  while (!queue.empty()) {
    Index const v = queue.back();
    queue.pop_back();
    for (auto const [child, bit] : node.universe->children[v]) {
      if (!here.contains(child) || reached.contains(child)) continue;
      local[child * words + bit / 64] |= Word{1} << bit % 64;
      try_place(child);
    }
  }
  return reached;
}

/// The variables without which some other may not be placed. Let S be those that cannot be placed
/// without j; all of S lack the empty candidate. The first of S that is placed with j there has a
/// candidate outside S that holds j, and any candidate of it outside `forced` must hold j.
WideVarSet needed_by_others(Node const& node, WideVarSet const& forced) {
  std::size_t const words = node.universe->words;
  WideVarSet needed(node.universe->n);
  std::vector<Word> local(words), every(words), any(words);
  for (std::size_t const v : forced) {
    auto const i = static_cast<Index>(v);
    node.localise(forced, i, local.data());
    std::fill(every.begin(), every.end(), ~Word{0});
    std::fill(any.begin(), any.end(), 0);
    bool free = false;
    for (std::size_t c = node.begin[i]; c < node.end[i]; ++c) {
      for (std::size_t w = 0; w < words; ++w) any[w] |= node.mask(c)[w];
      if (node.touches(c, local.data())) continue;
      free = true;
      for (std::size_t w = 0; w < words; ++w) every[w] &= node.mask(c)[w];
    }
    for (std::size_t w = 0; w < words; ++w)
      for (Word left = free ? every[w] : any[w]; left != 0; left &= left - 1)
        needed.insert(
            node.universe->variable(i, w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
  }
  return needed;
}

std::size_t propagate(Node& node) {
  // Whoever has the empty set as a candidate can be placed first. If all can, nothing is forced.
  WideVarSet forced(node.universe->n);
  for (Index const i : node.variables)
    if (node.begin[i] == node.end[i] || !node.is_empty(node.end[i] - 1)) forced.insert(i);
  if (forced.empty()) return 0;
  if (placeable(node, node.universe->n).size() < node.variables.size()) {
    node.close();
    return 0;
  }
  std::size_t removed = 0;
  std::vector<Word> local(node.universe->words);
  WideVarSet const needed = needed_by_others(node, forced);
  for (Index const j : node.variables) {
    if (!needed.contains(j)) continue;
    WideVarSet const reached = placeable(node, j);
    if (reached.size() + 1 == node.variables.size()) continue;
    node.localise(reached, j, local.data());
    removed += node.remove(j, [&](std::size_t c) { return !node.within(c, local.data()); });
    if (node.begin[j] == node.end[j]) return removed;
  }
  return removed;
}

std::size_t drop_dominated(Node& node) {
  std::size_t removed = 0;
  for (Index const i : node.variables)
    for (std::size_t c = node.begin[i]; c + 1 < node.end[i]; ++c)
      if (node.is_empty(c)) {
        removed += node.end[i] - c - 1;
        node.end[i] = c + 1;
        node.refresh(i);
        break;
      }
  return removed;
}

std::size_t place_free(Node& node) {
  std::size_t placed = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (Index const i : node.variables)
      if (node.begin[i] < node.end[i] && node.is_empty(node.begin[i])) {
        node.place(i, node.begin[i]);
        ++placed;
        changed = true;
        break;
      }
  }
  return placed;
}

}  // namespace

std::size_t fix(Node& node, Fixed floor) {
  Fixed const slack = node.bound() - floor;
  std::size_t removed = 0;
  for (Index const i : node.variables)
    removed +=
        node.remove(i, [&](std::size_t c) { return node.best[i] - node.priced[c] >= slack; });
  return removed;
}

std::size_t reduce(Node& node, Fixed floor) {
  std::size_t total = 0;
  while (!node.variables.empty() && node.bound() > floor) {
    std::size_t changed = fix(node, floor);
    changed += place_free(node);
    changed += drop_dominated(node);
    if (node.variables.empty() || node.infeasible()) return total + changed;
    changed += propagate(node);
    if (node.infeasible()) return total + changed;
    total += changed;
    if (changed == 0) break;
  }
  return total;
}

}  // namespace bayesloom::prices
