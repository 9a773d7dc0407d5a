#include "cache/orders_as_edges.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/errors.hpp"

namespace bayesloom {

namespace {

struct Extended {
  ScoreCache plain;  // keeps the arrays that both share alive
  std::vector<std::uint64_t> parent_first{0};
  std::vector<Variable> parents;
};

}  // namespace

ScoreCache with_orders(ScoreCache const& cache, std::span<Order const> orders) {
  if (orders.empty()) return cache;
  std::size_t const n = cache.variable_count();
  std::vector<std::vector<Variable>> earlier(n);
  for (auto const& [a, b] : orders) {
    if (a >= n || b >= n || a == b) throw InputError("an order must pair two different variables.");
    earlier[b].push_back(a);
  }
  auto const extended = std::make_shared<Extended>(cache);
  extended->parent_first.reserve(cache.candidate_count() + 1);
  for (std::size_t v = 0; v < n; ++v) {
    auto const x = static_cast<Variable>(v);
    for (std::size_t c = cache.begin(x); c < cache.end(x); ++c) {
      auto const set = cache.parents(c);
      std::vector<Variable> all(set.begin(), set.end());
      all.insert(all.end(), earlier[v].begin(), earlier[v].end());
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      extended->parents.insert(extended->parents.end(), all.begin(), all.end());
      extended->parent_first.push_back(extended->parents.size());
    }
  }
  auto const& plain = cache.arrays();
  CacheArrays const views{plain.first, plain.scores, extended->parent_first, extended->parents};
  std::vector<std::string> names(cache.names().begin(), cache.names().end());
  std::vector<std::uint32_t> cardinalities(cache.cardinalities().begin(),
                                           cache.cardinalities().end());
  return {CacheLabels{std::move(names), std::move(cardinalities), cache.info()}, views, extended};
}

}  // namespace bayesloom
