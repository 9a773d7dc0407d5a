#include "credible/known_network.hpp"

#include <memory>
#include <optional>

#include "base/errors.hpp"
#include "dual/simple_bound.hpp"

namespace bayesloom::credible {

namespace {

/// The best network of an order, if the candidates allow one.
std::optional<std::vector<std::size_t>> network_of(ScoreCache const& cache,
                                                   std::vector<Variable> const& order) {
  std::size_t const n = cache.variable_count();
  auto const placed = std::make_unique<bool[]>(n);
  std::vector<std::size_t> chosen(n);
  for (Variable const v : order) {
    if (order.size() != n || v >= n || placed[v])
      throw InputError("an order must have every variable once.");
    auto const best = cache.best_within(v, {placed.get(), n});
    if (!best) return std::nullopt;
    chosen[v] = *best;
    placed[v] = true;
  }
  return chosen;
}

}  // namespace

std::vector<std::size_t> good_network(ScoreCache const& cache, std::vector<Variable> const& order) {
  auto const greedy = greedy_network(cache);
  if (!greedy)
    throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
  auto const given = order.empty() ? std::nullopt : network_of(cache, order);
  if (!given) return *greedy;
  Fixed difference = 0;
  for (std::size_t v = 0; v < given->size(); ++v)
    difference += cache.score((*given)[v]) - cache.score((*greedy)[v]);
  return difference > 0 ? *given : *greedy;
}

}  // namespace bayesloom::credible
