#include "graph/network.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "base/errors.hpp"

namespace bayesloom {

namespace {

std::vector<std::vector<Variable>> to_sets(FlatLists const& lists) {
  std::vector<std::vector<Variable>> sets;
  for (std::size_t i = 0; i < lists.size(); ++i)
    sets.emplace_back(lists[i].begin(), lists[i].end());
  return sets;
}

}  // namespace

FlatLists transposed(FlatLists const& lists) {
  std::vector<std::pair<Variable, Variable>> arcs;
  arcs.reserve(lists.item_count());
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (Variable const j : lists[i]) arcs.emplace_back(j, static_cast<Variable>(i));
  return {lists.size(), arcs};
}

FlatLists checked_parents(std::vector<std::vector<std::uint32_t>> const& parents) {
  std::size_t const n = parents.size();
  if (n > max_variables)
    throw InputError(std::string("a network has at most ") + max_variables_text +
                     " variables, got " + std::to_string(n) + ".");
  FlatLists lists;
  std::vector<Variable> sorted;
  for (std::size_t i = 0; i < n; ++i) {
    sorted.clear();
    for (std::uint32_t const parent : parents[i]) {
      if (parent >= n)
        throw InputError("variable " + std::to_string(i) + " has parent " + std::to_string(parent) +
                         ", but there are only " + std::to_string(n) + " variables.");
      if (parent == i) throw InputError("variable " + std::to_string(i) + " is its own parent.");
      sorted.push_back(static_cast<Variable>(parent));
    }
    std::ranges::sort(sorted);
    if (auto const twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      throw InputError("variable " + std::to_string(i) + " has parent " + std::to_string(*twice) +
                       " twice.");
    for (Variable const parent : sorted) lists.push_back(parent);
    lists.close();
  }
  return lists;
}

std::vector<Variable> find_cycle(FlatLists const& parents) {
  // Take sources away until none is left. Every variable that stays has a parent that stays too, so
  // a walk from child to such a parent must come back to a variable it has seen.
  std::size_t const n = parents.size();
  FlatLists const children = transposed(parents);
  std::vector<std::size_t> waiting(n);
  std::vector<Variable> sources;
  for (std::size_t i = 0; i < n; ++i) {
    waiting[i] = parents[i].size();
    if (waiting[i] == 0) sources.push_back(static_cast<Variable>(i));
  }
  while (!sources.empty()) {
    Variable const source = sources.back();
    sources.pop_back();
    for (Variable const child : children[source])
      if (--waiting[child] == 0) sources.push_back(child);
  }
  auto const start = std::ranges::find_if(waiting, [](std::size_t left) { return left > 0; });
  if (start == waiting.end()) return {};

  auto variable = static_cast<Variable>(start - waiting.begin());
  std::vector<Variable> walk;
  std::vector<bool> seen(n, false);
  while (!seen[variable]) {
    seen[variable] = true;
    walk.push_back(variable);
    variable = *std::ranges::find_if(parents[variable], [&](Variable p) { return waiting[p] > 0; });
  }
  walk.erase(walk.begin(), std::ranges::find(walk, variable));
  std::ranges::reverse(walk);  // the walk went against the edges
  std::ranges::rotate(walk, std::ranges::min_element(walk));
  return walk;
}

std::optional<std::vector<Variable>> topological_order(FlatLists const& parents) {
  std::size_t const n = parents.size();
  FlatLists const children = transposed(parents);
  std::vector<std::size_t> waiting(n);
  std::vector<Variable> heap;
  for (std::size_t i = 0; i < n; ++i) {
    waiting[i] = parents[i].size();
    if (waiting[i] == 0) heap.push_back(static_cast<Variable>(i));
  }

  std::vector<Variable> order;
  order.reserve(n);
  constexpr std::greater<> smallest_first;  // the heap starts ascending, which is a valid heap
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, smallest_first);
    Variable const next = heap.back();
    heap.pop_back();
    order.push_back(next);
    for (Variable const child : children[next])
      if (--waiting[child] == 0) {
        heap.push_back(child);
        std::ranges::push_heap(heap, smallest_first);
      }
  }
  if (order.size() < n) return std::nullopt;
  return order;
}

Network::Network(FlatLists parents) : parents_(std::move(parents)) {
  auto order = topological_order(parents_);
  if (!order) {
    std::string text;
    auto const cycle = find_cycle(parents_);
    for (Variable const variable : cycle) text += std::to_string(variable) + " -> ";
    throw InputError("the network has a cycle: " + text + std::to_string(cycle.front()) + ".");
  }
  order_ = std::move(*order);
}

void require_same_size(std::size_t a, std::size_t b) {
  if (a != b)
    throw InputError("cannot compare networks of " + std::to_string(a) + " and " +
                     std::to_string(b) + " variables.");
}

std::vector<std::vector<Variable>> Network::parent_sets() const { return to_sets(parents_); }

std::vector<std::vector<Variable>> Network::child_sets() const {
  return to_sets(transposed(parents_));
}

bool Network::has_edge(Variable from, Variable to) const {
  return std::ranges::binary_search(parents_[to], from);
}

}  // namespace bayesloom
