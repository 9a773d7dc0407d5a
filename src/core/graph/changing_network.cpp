#include "graph/changing_network.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace bayesloom {

ChangingNetwork::ChangingNetwork(std::vector<std::vector<Variable>> children)
    : children_(std::move(children)), place_(children_.size()), seen_(children_.size(), 0) {
  find_order();
}

void ChangingNetwork::replace(std::vector<std::vector<Variable>> children) {
  children_ = std::move(children);
  find_order();
}

void ChangingNetwork::find_order() {
  std::size_t const n = children_.size();
  std::vector<std::uint32_t> open(n, 0);  // parents that have no place yet
  for (auto const& list : children_)
    for (Variable const w : list) ++open[w];
  order_.clear();
  for (std::size_t v = 0; v < n; ++v)
    if (open[v] == 0) order_.push_back(static_cast<Variable>(v));
  for (std::size_t k = 0; k < order_.size(); ++k)
    for (Variable const w : children_[order_[k]])
      if (--open[w] == 0) order_.push_back(w);
  if (order_.size() < n) throw InputError("the network has a cycle.");
  for (std::size_t k = 0; k < n; ++k) place_[order_[k]] = static_cast<std::uint32_t>(k);
}

bool ChangingNetwork::leads(Variable from, Variable to, bool around) {
  std::uint32_t const last = place_[to];
  if (place_[from] >= last) return false;
  ++search_;
  stack_.assign(1, from);
  while (!stack_.empty()) {
    Variable const v = stack_.back();
    stack_.pop_back();
    for (Variable const w : children_[v]) {
      if (w == to) {
        if (around && v == from) continue;
        return true;
      }
      if (place_[w] >= last || seen_[w] == search_) continue;
      seen_[w] = search_;
      stack_.push_back(w);
    }
  }
  return false;
}

void ChangingNetwork::mark_below(Variable v, std::uint32_t last) {
  ++search_;
  seen_[v] = search_;
  stack_.assign(1, v);
  while (!stack_.empty()) {
    Variable const at = stack_.back();
    stack_.pop_back();
    for (Variable const w : children_[at]) {
      if (place_[w] > last || seen_[w] == search_) continue;
      seen_[w] = search_;
      stack_.push_back(w);
    }
  }
}

void ChangingNetwork::add(Variable from, Variable to) {
  auto& list = children_[from];
  list.insert(std::ranges::upper_bound(list, to), to);
  std::uint32_t const last = place_[from];
  if (place_[to] > last) return;
  mark_below(to, last);
  moved_.clear();
  std::uint32_t free = place_[to];
  for (std::uint32_t k = free; k <= last; ++k) {
    Variable const v = order_[k];
    if (seen_[v] == search_) {
      moved_.push_back(v);
      continue;
    }
    order_[free] = v;
    place_[v] = free++;
  }
  for (Variable const v : moved_) {
    order_[free] = v;
    place_[v] = free++;
  }
}

void ChangingNetwork::remove(Variable from, Variable to) {
  auto& list = children_[from];
  list.erase(std::ranges::lower_bound(list, to));
}

}  // namespace bayesloom
