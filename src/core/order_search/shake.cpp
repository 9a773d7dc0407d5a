#include "order_search/shake.hpp"

#include <algorithm>
#include <cmath>

namespace bayesloom::order_search {

std::size_t shake_times(double share, std::size_t n) {
  double const times = std::round(share * static_cast<double>(n));
  return std::max<std::size_t>(1, static_cast<std::size_t>(times));
}

void shake(Climber& climber, Rng& rng, Shake kind, std::size_t times) {
  std::size_t const n = climber.state().size();
  for (std::size_t i = 0; i < times; ++i) {
    auto const a = rng.below(n);
    auto const place = static_cast<Place>(1 + rng.below(n));
    if (kind == Shake::swaps) {
      climber.exchange(static_cast<Place>(1 + a), place);
    } else {
      climber.force(static_cast<Variable>(a), place);
    }
  }
}

void neutral_move(Climber& climber, Island& island, OrderState const& state) {
  std::vector<Rank> choice = state.choice;
  turn_covered_edges(island.table, choice, choice.size(), tuning::neutral_loss, island.rng);
  climber.reset(random_topological_order(island.table, choice, island.rng));
}

std::vector<Variable> random_topological_order(CandidateTable const& table,
                                               std::span<Rank const> choice, Rng& rng) {
  std::size_t const n = table.size();
  std::vector<std::uint32_t> first(n + 1, 0);
  std::vector<std::uint32_t> waiting(n);
  auto const parents = [&](std::size_t v) {
    return table.parents(static_cast<Variable>(v), choice[v]);
  };
  for (std::size_t v = 0; v < n; ++v) {
    waiting[v] = static_cast<std::uint32_t>(parents(v).size());
    for (Variable const p : parents(v)) ++first[p + std::size_t{1}];
  }
  for (std::size_t v = 0; v < n; ++v) first[v + 1] += first[v];
  std::vector<Variable> children(first[n]);
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::size_t v = 0; v < n; ++v)
    for (Variable const p : parents(v)) children[next[p]++] = static_cast<Variable>(v);

  std::vector<Variable> ready, order;
  order.reserve(n);
  for (std::size_t v = 0; v < n; ++v)
    if (waiting[v] == 0) ready.push_back(static_cast<Variable>(v));
  while (!ready.empty()) {
    std::size_t const i = rng.below(ready.size());
    Variable const v = ready[i];
    ready[i] = ready.back();
    ready.pop_back();
    order.push_back(v);
    for (std::uint32_t c = first[v]; c < first[v + std::size_t{1}]; ++c)
      if (--waiting[children[c]] == 0) ready.push_back(children[c]);
  }
  return order;
}

namespace {

/// The rank of the candidate of v with exactly the parents `base`, and `extra` if it is not v.
std::optional<Rank> rank_of(CandidateTable const& table, Variable v, std::span<Variable const> base,
                            Variable extra) {
  std::size_t const size = base.size() + (extra != v ? 1 : 0);
  auto const matches = [&](Rank r) {
    auto const parents = table.parents(v, r);
    return parents.size() == size && (extra == v || std::ranges::binary_search(parents, extra)) &&
           std::ranges::includes(parents, base);
  };
  if (size == 0) {
    for (Rank r = table.count(v); r-- > 0;)
      if (matches(r)) return r;
    return std::nullopt;
  }
  Variable const some = extra != v ? extra : base.front();
  auto const& children = table.children();
  std::size_t const pair = children.find(some, v);
  if (pair == children.end(some)) return std::nullopt;
  if (matches(children.best(pair))) return children.best(pair);
  for (Rank const r : children.rest(some, pair))
    if (matches(r)) return r;
  return std::nullopt;
}

}  // namespace

Fixed turn_covered_edges(CandidateTable const& table, std::vector<Rank>& choice, std::size_t tries,
                         Fixed leeway, Rng& rng) {
  Fixed change = 0;
  for (std::size_t i = 0; i < tries; ++i) {
    auto const y = static_cast<Variable>(rng.below(choice.size()));
    auto const of_y = table.parents(y, choice[y]);
    if (of_y.empty()) continue;
    Variable const x = of_y[rng.below(of_y.size())];
    auto const of_x = table.parents(x, choice[x]);
    if (of_x.size() + 1 != of_y.size() || !std::ranges::includes(of_y, of_x)) continue;
    auto const new_x = rank_of(table, x, of_x, y);
    auto const new_y = rank_of(table, y, of_x, y);
    if (!new_x || !new_y) continue;
    Fixed const gain = table.score(x, *new_x) + table.score(y, *new_y) - table.score(x, choice[x]) -
                       table.score(y, choice[y]);
    if (gain < -leeway) continue;
    choice[x] = *new_x;
    choice[y] = *new_y;
    change += gain;
  }
  return change;
}

}  // namespace bayesloom::order_search
