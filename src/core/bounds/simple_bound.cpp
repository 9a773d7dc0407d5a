#include "bounds/simple_bound.hpp"

#include <algorithm>

namespace bayesloom {

Fixed simple_bound(ScoreCache const& cache) {
  Fixed sum = 0;
  for (std::size_t v = 0; v < cache.variable_count(); ++v)
    sum += cache.score(cache.begin(static_cast<Variable>(v)));
  return sum;
}

std::optional<std::vector<std::size_t>> greedy_network(ScoreCache const& cache) {
  std::size_t const n = cache.variable_count();
  std::vector<std::size_t> chosen(n);
  std::vector<bool> placed(n, false);
  // Placing variables only ever makes more candidates available, so each variable's best available
  // candidate moves towards the front of its list; `chosen` remembers where it stands.
  for (std::size_t v = 0; v < n; ++v) chosen[v] = cache.end(static_cast<Variable>(v));
  auto const available = [&](std::size_t candidate) {
    auto const parents = cache.parents(candidate);
    return std::all_of(parents.begin(), parents.end(), [&](Variable p) { return placed[p]; });
  };
  for (std::size_t step = 0; step < n; ++step) {
    std::optional<std::size_t> next;
    Fixed least = 0;
    for (std::size_t v = 0; v < n; ++v) {
      if (placed[v]) continue;
      std::size_t const begin = cache.begin(static_cast<Variable>(v));
      for (std::size_t c = begin; c < chosen[v]; ++c)
        if (available(c)) {
          chosen[v] = c;
          break;
        }
      if (chosen[v] == cache.end(static_cast<Variable>(v))) continue;
      Fixed const loss = cache.score(begin) - cache.score(chosen[v]);
      if (!next || loss < least) {
        next = v;
        least = loss;
      }
    }
    if (!next) return std::nullopt;
    placed[*next] = true;
  }
  return chosen;
}

}  // namespace bayesloom
