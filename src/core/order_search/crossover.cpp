#include "order_search/crossover.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace bayesloom::order_search {

namespace {

using Order = std::span<Variable const>;

std::vector<std::size_t> positions(Order order) {
  std::vector<std::size_t> at(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) at[order[i]] = i;
  return at;
}

std::vector<Variable> cycle_crossover(Order first, Order second, Rng& rng) {
  auto const at = positions(first);
  std::vector<Variable> child(first.size());
  std::vector<bool> filled(first.size(), false);
  for (std::size_t start = 0; start < first.size(); ++start) {
    if (filled[start]) continue;
    Order const leading = rng.below(2) == 0 ? first : second;
    for (std::size_t i = start; !filled[i]; i = at[second[i]]) {
      child[i] = leading[i];
      filled[i] = true;
    }
  }
  return child;
}

std::vector<Variable> rank_crossover(Order first, Order second, Rng& rng) {
  auto const in_first = positions(first);
  auto const in_second = positions(second);
  std::vector<Variable> child(first.begin(), first.end());
  rng.shuffle(std::span(child));  // what a stable sort leaves between equals
  std::ranges::stable_sort(child, {}, [&](Variable v) { return in_first[v] + in_second[v]; });
  return child;
}

std::vector<Variable> order_crossover(Order first, Order second, Rng& rng) {
  std::size_t const n = first.size();
  std::vector<std::size_t> drawn(n);
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  rng.shuffle(std::span(drawn));
  std::vector<bool> kept_place(n, false), kept_variable(n, false);
  for (std::size_t i = 0; i < n / 2; ++i) {
    kept_place[drawn[i]] = true;
    kept_variable[first[drawn[i]]] = true;
  }
  std::vector<Variable> child(first.begin(), first.end());
  std::size_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (kept_place[i]) continue;
    while (kept_variable[second[next]]) ++next;
    child[i] = second[next++];
  }
  return child;
}

}  // namespace

std::vector<Variable> cross(Crossover kind, Order first, Order second, Rng& rng) {
  switch (kind) {
    case Crossover::cx:
      return cycle_crossover(first, second, rng);
    case Crossover::rx:
      return rank_crossover(first, second, rng);
    case Crossover::ob:
      break;
  }
  return order_crossover(first, second, rng);
}

}  // namespace bayesloom::order_search
