#include "relaxation/order_proof.hpp"

#include <algorithm>
#include <numeric>

namespace bayesloom::relaxation {

OrderProof::OrderProof(Problem const& node, Fixed floor, double memory_bytes)
    : floor_(floor), memory_(memory_bytes), base_(node.base), placed_(node.placed) {
  number_variables(node);
  if (node.infeasible()) return;  // nothing to look at: proved at once
  std::size_t const n = lists_.size();
  remaining_.emplace(bound_of(node));
  parents_.resize(n);
  all_ = VarSet::first(n);
  Reached& root = reached_[{}];
  root.value = base_;
  root.remaining = remaining_->of({});
  if (root.value + root.remaining > floor_)
    open_.push_back({root.value + root.remaining, root.value, {}});
}

void OrderProof::number_variables(Problem const& node) {
  Universe const& universe = *node.universe;
  variables_ = node.variables;
  std::vector<std::size_t> number(universe.n);
  for (std::size_t x = 0; x < variables_.size(); ++x) number[variables_[x]] = x;
  lists_.resize(variables_.size());
  for (std::size_t x = 0; x < variables_.size(); ++x) {
    Index const i = variables_[x];
    for (std::size_t c = node.begin[i]; c < node.end[i]; ++c) {
      VarSet parents;
      node.for_each_bit(
          c, [&](std::size_t bit) { parents.insert(number[universe.variable(i, bit)]); });
      lists_[x].push_back({parents, node.value[c], node.origin[c]});
    }
  }
}

RemainingBound OrderProof::bound_of(Problem const& node) const {
  std::vector<std::vector<RemainingBound::Candidate>> lists(lists_.size());
  for (std::size_t x = 0; x < lists_.size(); ++x)
    for (auto const& candidate : lists_[x])
      lists[x].push_back({candidate.parents, candidate.value});
  std::vector<RemainingBound::Inequality> inequalities;
  for (auto const& cluster : node.clusters) {
    VarSet members;
    for (std::size_t x = 0; x < variables_.size(); ++x)
      if (cluster.members.contains(variables_[x])) members.insert(x);
    inequalities.push_back({members, cluster.need, cluster.price, cluster.blocks});
  }
  return {lists, std::move(inequalities)};
}

OrderProof::Candidate const* OrderProof::available(std::size_t x, VarSet placed) const {
  for (auto const& candidate : lists_[x])
    if (placed.contains_all(candidate.parents)) return &candidate;
  return nullptr;
}

/// Variables of `rest` that no other can have as a child, given how much may still be lost:
/// candidates that lose as much or more against the best are in no network above the floor.
VarSet OrderProof::closed_set(VarSet rest, Fixed margin) {
  for (std::size_t const x : rest) parents_[x] = remaining_->parents_within(x, margin) & rest;
  auto const ancestors = [&](std::size_t x) {
    VarSet seen = VarSet::of(x), fresh = seen;
    while (!fresh.empty()) {
      VarSet next;
      for (std::size_t const y : fresh) next |= parents_[y];
      fresh = next - seen;
      seen |= next;
    }
    return seen;
  };
  VarSet least = rest;
  for (VarSet left = rest; !left.empty();) {
    VarSet const own = ancestors(left.lowest());
    left.erase_lowest();
    if (own.size() < least.size()) {
      least = own;
      left &= own;  // only inside it can there be a smaller one that matters
    }
  }
  return least;
}

void OrderProof::expand(Open const& node) {
  VarSet const rest = all_ - node.set;
  for (std::size_t const x : rest) {
    if (lists_[x].empty() || !node.set.contains_all(lists_[x].front().parents)) continue;
    remaining_->of(node.set);
    place(node, x, lists_[x].front());
    return;
  }
  Fixed const best = node.value + remaining_->of(node.set);
  VarSet const first = closed_set(rest, best - floor_);
  for (std::size_t const x : first)
    if (auto const* const candidate = available(x, node.set)) place(node, x, *candidate);
}

/// The set of the node is the one that `remaining_` looks at.
void OrderProof::place(Open const& node, std::size_t x, Candidate const& candidate) {
  VarSet const set = node.set.with(x);
  Fixed const value = node.value + candidate.value;
  Reached& known = reached_[set];
  bool const fresh = known.value == nothing;
  if (!fresh && value <= known.value) return;
  if (fresh) known.remaining = remaining_->after(x);
  known.value = value;
  known.last = static_cast<std::uint8_t>(x);
  known.expanded = false;
  Fixed const total = std::min(node.total, value + known.remaining);
  if (total <= floor_) return;
  open_.push_back({total, value, set});
  std::push_heap(open_.begin(), open_.end(), later);
}

/// Largest f first; among equals the one with most placed, then the lowest set.
bool OrderProof::later(Open const& a, Open const& b) {
  if (a.total != b.total) return a.total < b.total;
  if (a.set.size() != b.set.size()) return a.set.size() < b.set.size();
  return a.set > b.set;
}

bool OrderProof::over_memory() const {
  double const heap = static_cast<double>(open_.capacity() * sizeof(Open));
  bool const heap_grows = open_.size() + most_variables > open_.capacity();
  return reached_.bytes_with(most_variables) + (heap_grows ? 3 : 1) * heap > memory_;
}

void OrderProof::run(Control& control) {
  while (!proved_ && !full_) {
    if (open_.empty()) {
      proved_ = true;
      return;
    }
    if (over_memory()) {
      full_ = true;
      return;
    }
    if (control.should_stop((all_ - open_.front().set).size() + 1)) return;
    Open const node = open_.front();
    std::pop_heap(open_.begin(), open_.end(), later);
    open_.pop_back();
    Reached& here = reached_[node.set];
    if (here.expanded || node.value < here.value) continue;
    if (node.set == all_) {
      proved_ = true;
      value_ = node.value;
      return;
    }
    here.expanded = true;
    ++expanded_;
    expand(node);
  }
}

NodeResult OrderProof::result() const {
  NodeResult out;
  out.bound = open_.empty() ? floor_ : std::max(floor_, open_.front().total);
  if (value_ == nothing) return out;
  out.bound = out.value = value_;
  out.found = true;
  out.choice = placed_;
  for (VarSet set = all_; !set.empty();) {
    std::size_t const x = reached_.find(set)->last;
    set.erase(x);
    out.choice.emplace_back(variables_[x], available(x, set)->origin);
  }
  return out;
}

}  // namespace bayesloom::relaxation
