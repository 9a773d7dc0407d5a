#include "orders/order_state.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "base/errors.hpp"

namespace bayesloom::orders {

CandidateTable::CandidateTable(ScoreCache const& cache) : cache_(cache), children_(cache) {
  for (std::size_t v = 0; v < size(); ++v) {
    auto const x = static_cast<Variable>(v);
    bool empty = false;
    // The empty candidate is usually last: nothing after it is of any use.
    for (Rank r = count(x); r-- > 0 && !empty;) empty = parents(x, r).empty();
    any_order_ = any_order_ && empty;
  }
  if (!has_parent_sets()) return;
  parent_sets_.resize(cache.candidate_count());
  for (std::size_t c = 0; c < parent_sets_.size(); ++c)
    for (Variable const p : cache.parents(c)) parent_sets_[c].insert(p);
}

Rank CandidateTable::first_available(Variable v, Rank from, std::span<Place const> place,
                                     Place before) const {
  Rank const n = count(v);
  for (Rank r = from; r < n; ++r)
    if (available(v, r, place, before)) return r;
  return n;
}

std::vector<Variable> CandidateTable::repaired(std::span<Variable const> wanted) const {
  std::size_t const n = size();
  std::vector<Place> rank_of(n), place(n, after_all);
  for (std::size_t i = 0; i < n; ++i) rank_of[wanted[i]] = static_cast<Place>(i);
  std::priority_queue<Place, std::vector<Place>, std::greater<>> ready;
  std::vector<bool> seen(n, false);
  for (std::size_t v = 0; v < n; ++v)
    if (auto const x = static_cast<Variable>(v);
        first_available(x, 0, place, after_all) < count(x)) {
      seen[v] = true;
      ready.push(rank_of[v]);
    }
  std::vector<Variable> order;
  order.reserve(n);
  while (!ready.empty()) {
    Variable const x = wanted[ready.top()];
    ready.pop();
    order.push_back(x);
    place[x] = 0;
    for (std::size_t pair = children_.begin(x); pair < children_.end(x); ++pair) {
      Variable const w = children_.child(pair);
      if (seen[w]) continue;
      bool open = available(w, children_.best(pair), place, after_all);
      for (Rank const r : children_.rest(x, pair)) open = open || available(w, r, place, after_all);
      if (!open) continue;
      seen[w] = true;
      ready.push(rank_of[w]);
    }
  }
  if (order.size() < n)
    throw InfeasibleError(
        "no acyclic network can be made from the candidates of this cache: " +
        std::to_string(n - order.size()) + " variables, '" +
        cache_.name(static_cast<Variable>(std::ranges::find(seen, false) - seen.begin())) +
        "' among them, have only candidates that need one another.");
  return order;
}

std::vector<Variable> CandidateTable::random_order(Rng& rng) const {
  std::vector<Variable> order(size());
  std::iota(order.begin(), order.end(), Variable{0});
  rng.shuffle(std::span(order));
  return any_order_ ? order : repaired(order);
}

void CandidateTable::evaluate(std::span<Variable const> order, OrderState& state) const {
  std::size_t const n = size();
  state.order.assign(order.begin(), order.end());
  state.place.resize(n);
  state.choice.resize(n);
  state.pull.assign(n, 1);
  state.score = 0;
  for (std::size_t i = 0; i < n; ++i) state.place[order[i]] = static_cast<Place>(i + 1);
  state.before.assign(has_parent_sets() ? n + 1 : 0, VarSet());
  state.regather(1, n);
  for (Variable const v : order) {
    Rank const r = first_available(v, 0, state.place, state.place[v]);
    if (r == count(v))
      throw InfeasibleError("this order leaves variable '" + cache_.name(v) +
                            "' without a candidate.");
    state.choice[v] = r;
    state.score += score(v, r);
  }
}

std::vector<std::size_t> CandidateTable::candidates(std::span<Rank const> choice) const {
  std::vector<std::size_t> chosen(size());
  for (std::size_t v = 0; v < size(); ++v)
    chosen[v] = cache_.begin(static_cast<Variable>(v)) + choice[v];
  return chosen;
}

void check_order(ScoreCache const& cache, std::span<Variable const> order) {
  std::vector<bool> seen(cache.variable_count(), false);
  bool once = order.size() == seen.size();
  for (Variable const v : order) {
    once = once && v < seen.size() && !seen[v];
    if (once) seen[v] = true;
  }
  if (!once) throw InputError("an order must name every variable once.");
}

std::vector<Variable> order_of(ScoreCache const& cache, std::vector<std::size_t> const& network) {
  std::size_t const n = network.size();
  std::vector<std::size_t> missing(n);
  std::vector<std::vector<Variable>> children(n);
  std::vector<Variable> order;
  for (std::size_t v = 0; v < n; ++v) {
    auto const parents = cache.parents(network[v]);
    missing[v] = parents.size();
    for (auto const p : parents) children[p].push_back(static_cast<Variable>(v));
    if (parents.empty()) order.push_back(static_cast<Variable>(v));
  }
  for (std::size_t at = 0; at < order.size(); ++at)
    for (Variable const w : children[order[at]])
      if (--missing[w] == 0) order.push_back(w);
  return order;
}

}  // namespace bayesloom::orders
