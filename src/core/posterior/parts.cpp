#include "posterior/parts.hpp"

#include <algorithm>

#include "graph/strong_components.hpp"

namespace bayesloom::posterior {

std::vector<Part> parts_of(ScoreCache const& cache) {
  std::size_t const n = cache.variable_count();
  std::vector<std::vector<Variable>> up(n);
  std::vector<bool> seen(n, false);
  for (std::size_t v = 0; v < n; ++v) {
    auto const x = static_cast<Variable>(v);
    for (std::size_t c = cache.begin(x); c < cache.end(x); ++c)
      for (Variable const p : cache.parents(c))
        if (!seen[p]) {
          seen[p] = true;
          up[v].push_back(p);
        }
    for (Variable const p : up[v]) seen[p] = false;
  }
  StrongComponents const strong(up);
  std::vector<Part> parts(strong.count());
  std::vector<std::uint32_t> local(n);
  for (std::size_t v = 0; v < n; ++v) {
    auto& part = parts[strong[v]];
    local[v] = static_cast<std::uint32_t>(part.size());
    part.variables.push_back(static_cast<Variable>(v));
  }
  for (auto& part : parts)
    for (Variable const x : part.variables) {
      auto& families = part.families.emplace_back();
      auto& flat = part.parents.emplace_back();
      Fixed const best = cache.score(cache.begin(x));
      for (std::size_t c = cache.begin(x); c < cache.end(x); ++c) {
        auto const first = static_cast<std::uint32_t>(flat.size());
        std::uint64_t key = 0;
        for (Variable const p : cache.parents(c)) {
          key ^= key_of(p);
          if (strong[p] == strong[x]) flat.push_back(local[p]);
        }
        families.push_back({c, key, to_nats(best - cache.score(c)), first,
                            static_cast<std::uint32_t>(flat.size())});
      }
    }
  std::stable_sort(parts.begin(), parts.end(), [](Part const& a, Part const& b) {
    return a.size() != b.size() ? a.size() > b.size() : a.variables[0] < b.variables[0];
  });
  return parts;
}

}  // namespace bayesloom::posterior
