#include "graph/changing_network.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace bayesloom {

ChangingNetwork::ChangingNetwork(std::vector<std::vector<Variable>> children)
    : children_(std::move(children)),
      place_(children_.size()),
      seen_(children_.size(), 0),
      seen_above_(children_.size(), 0) {
  find_order();
}

void ChangingNetwork::replace(std::vector<std::vector<Variable>> children) {
  children_ = std::move(children);
  find_order();
}

void ChangingNetwork::find_order() {
  std::size_t const n = children_.size();
  std::vector<std::uint32_t> open(n, 0);  // parents that have no place yet
  parents_.assign(n, {});
  for (std::size_t v = 0; v < n; ++v)
    for (Variable const w : children_[v]) {
      ++open[w];
      parents_[w].push_back(static_cast<Variable>(v));
    }
  std::vector<Variable> order;
  for (std::size_t v = 0; v < n; ++v)
    if (open[v] == 0) order.push_back(static_cast<Variable>(v));
  for (std::size_t k = 0; k < order.size(); ++k)
    for (Variable const w : children_[order[k]])
      if (--open[w] == 0) order.push_back(w);
  if (order.size() < n) throw InputError("the network has a cycle.");
  for (std::size_t k = 0; k < n; ++k) place_[order[k]] = static_cast<std::uint32_t>(k);
}

bool ChangingNetwork::leads(Variable from, Variable to, bool around) {
  std::uint32_t const first = place_[from], last = place_[to];
  if (first >= last) return false;
  ++search_;
  seen_[from] = seen_above_[to] = search_;
  below_.assign(1, from);
  above_.assign(1, to);
  for (std::size_t k = 0; k < below_.size() && k < above_.size(); ++k) {
    Variable const down = below_[k], up = above_[k];
    for (Variable const w : children_[down]) {
      if (around && down == from && w == to) continue;
      if (seen_above_[w] == search_) return true;
      if (place_[w] >= last || seen_[w] == search_) continue;
      seen_[w] = search_;
      below_.push_back(w);
    }
    for (Variable const w : parents_[up]) {
      if (around && w == from && up == to) continue;
      if (seen_[w] == search_) return true;
      if (place_[w] <= first || seen_above_[w] == search_) continue;
      seen_above_[w] = search_;
      above_.push_back(w);
    }
  }
  return false;
}

template <typename Allowed>
void ChangingNetwork::collect(Variable v, std::vector<std::vector<Variable>> const& next,
                              Allowed const& allowed, std::vector<Variable>& found) {
  ++search_;
  seen_[v] = search_;
  found.assign(1, v);
  for (std::size_t k = 0; k < found.size(); ++k)
    for (Variable const w : next[found[k]]) {
      if (seen_[w] == search_ || !allowed(place_[w])) continue;
      seen_[w] = search_;
      found.push_back(w);
    }
}

void ChangingNetwork::add(Variable from, Variable to) {
  auto& list = children_[from];
  list.insert(std::ranges::upper_bound(list, to), to);
  parents_[to].push_back(from);
  std::uint32_t const first = place_[to], last = place_[from];
  if (first > last) return;
  collect(to, children_, [&](std::uint32_t place) { return place < last; }, below_);
  collect(from, parents_, [&](std::uint32_t place) { return place > first; }, above_);
  auto const place_of = [&](Variable v) { return place_[v]; };
  std::ranges::sort(below_, {}, place_of);
  std::ranges::sort(above_, {}, place_of);
  above_.insert(above_.end(), below_.begin(), below_.end());
  free_.clear();
  for (Variable const v : above_) free_.push_back(place_[v]);
  std::ranges::sort(free_);
  for (std::size_t k = 0; k < above_.size(); ++k) place_[above_[k]] = free_[k];
}

void ChangingNetwork::remove(Variable from, Variable to) {
  auto& list = children_[from];
  list.erase(std::ranges::lower_bound(list, to));
  auto& up = parents_[to];
  *std::ranges::find(up, from) = up.back();
  up.pop_back();
}

}  // namespace bayesloom
