#include "dual/simple_bound.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace bayesloom {

Fixed simple_bound(ScoreCache const& cache) {
  Fixed sum = 0;
  for (std::size_t v = 0; v < cache.variable_count(); ++v)
    sum += cache.score(cache.begin(static_cast<Variable>(v)));
  return sum;
}

std::optional<std::vector<std::size_t>> greedy_network(ScoreCache const& cache) {
  std::size_t const n = cache.variable_count();
  // Who may take whom as a parent: only they can gain when it is placed.
  std::vector<std::vector<Variable>> children(n);
  std::vector<std::size_t> seen(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const v = static_cast<Variable>(i);
    for (std::size_t c = cache.begin(v); c < cache.end(v); ++c)
      for (auto const p : cache.parents(c))
        if (seen[p] != i) {
          seen[p] = i;
          children[p].push_back(v);
        }
  }
  // Placing variables only ever makes more candidates available, so each variable's best available
  // candidate moves towards the front of its list; `chosen` remembers where it stands.
  std::vector<std::size_t> chosen(n);
  std::vector<bool> placed(n, false);
  std::set<std::pair<Fixed, Variable>> waiting;  // by what they lose now
  auto const loss = [&](Variable v) {
    return cache.score(cache.begin(v)) - cache.score(chosen[v]);
  };
  auto const look = [&](Variable v) {
    for (std::size_t c = cache.begin(v); c < chosen[v]; ++c) {
      auto const parents = cache.parents(c);
      if (!std::all_of(parents.begin(), parents.end(), [&](Variable p) { return placed[p]; }))
        continue;
      if (chosen[v] != cache.end(v)) waiting.erase({loss(v), v});
      chosen[v] = c;
      waiting.emplace(loss(v), v);
      return;
    }
  };
  for (std::size_t i = 0; i < n; ++i) {
    auto const v = static_cast<Variable>(i);
    chosen[v] = cache.end(v);
    look(v);
  }
  for (std::size_t step = 0; step < n; ++step) {
    if (waiting.empty()) return std::nullopt;
    Variable const next = waiting.begin()->second;
    waiting.erase(waiting.begin());
    placed[next] = true;
    for (Variable const v : children[next])
      if (!placed[v]) look(v);
  }
  return chosen;
}

}  // namespace bayesloom
