#include "credible/known_network.hpp"

#include "base/errors.hpp"
#include "dual/simple_bound.hpp"
#include "graph/strong_components.hpp"

namespace bayesloom::credible {

namespace {

bool is_network(ScoreCache const& cache, std::vector<std::size_t> const& given) {
  std::size_t const n = cache.variable_count();
  if (given.size() != n) return false;
  std::vector<std::vector<Variable>> parents;
  for (std::size_t v = 0; v < n; ++v) {
    auto const x = static_cast<Variable>(v);
    if (given[v] < cache.begin(x) || given[v] >= cache.end(x)) return false;
    auto const set = cache.parents(given[v]);
    parents.emplace_back(set.begin(), set.end());
  }
  return StrongComponents(parents).count() == n;  // no variable is its own parent
}

}  // namespace

Fixed score_of(ScoreCache const& cache, std::vector<std::size_t> const& network) {
  Fixed score = 0;
  for (auto const c : network) score += cache.score(c);
  return score;
}

std::vector<std::size_t> known_network(ScoreCache const& cache,
                                       std::vector<std::size_t> const& given) {
  auto const greedy = greedy_network(cache);
  if (!greedy)
    throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
  if (given.empty()) return *greedy;
  if (!is_network(cache, given))
    throw InputError("a known network must have one candidate per variable and no cycle.");
  return score_of(cache, given) > score_of(cache, *greedy) ? given : *greedy;
}

}  // namespace bayesloom::credible
