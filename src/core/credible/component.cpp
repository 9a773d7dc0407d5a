#include "credible/component.hpp"

#include <algorithm>
#include <string>

#include "base/errors.hpp"
#include "graph/strong_components.hpp"

namespace bayesloom::credible {

std::vector<Component> components(ScoreCache const& cache, std::vector<bool> const& keep) {
  std::size_t const n = cache.variable_count();
  std::vector<std::vector<Variable>> parents(n);
  for (std::size_t v = 0; v < n; ++v) {
    auto& list = parents[v];
    for (std::size_t c = cache.begin(static_cast<Variable>(v));
         c < cache.end(static_cast<Variable>(v)); ++c)
      if (keep[c]) {
        auto const set = cache.parents(c);
        list.insert(list.end(), set.begin(), set.end());
      }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  StrongComponents const strong(parents);

  std::vector<Component> parts(strong.count());
  std::vector<std::size_t> local(n);
  for (std::size_t v = 0; v < n; ++v) {
    auto& part = parts[strong[v]];
    local[v] = part.size();
    part.variables.push_back(static_cast<Variable>(v));
  }
  for (auto& part : parts) {
    if (part.size() > 64)
      throw ResourceError(
          "the candidates join " + std::to_string(part.size()) +
          " variables in one strong component, and the credible set can be found for components of "
          "up to 64. A smaller Bayes factor or fewer parents may part them.");
    for (Variable const v : part.variables) {
      auto& list = part.choices.emplace_back();
      Fixed const top = cache.score(cache.begin(v));
      for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
        if (!keep[c]) continue;
        VarSet set;
        for (Variable const p : cache.parents(c))
          if (strong[p] == strong[v]) set.insert(local[p]);
        list.push_back({top - cache.score(c), set, c});
      }
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](Component const& a, Component const& b) { return a.size() > b.size(); });
  return parts;
}

std::vector<Component> split(Component const& whole, std::vector<bool> const& keep) {
  std::size_t const n = whole.size();
  std::vector<std::vector<Variable>> parents(n);
  std::size_t flat = 0;
  for (std::size_t x = 0; x < n; ++x) {
    VarSet up;
    for (auto const& choice : whole.choices[x])
      if (keep[flat++]) up |= choice.set;
    for (std::size_t const p : up) parents[x].push_back(static_cast<Variable>(p));
  }
  StrongComponents const strong(parents);
  std::vector<Component> parts(strong.count());
  std::vector<std::size_t> local(n);
  flat = 0;
  for (std::size_t x = 0; x < n; ++x) {
    auto& part = parts[strong[x]];
    local[x] = part.size();
    part.variables.push_back(whole.variables[x]);
    auto& list = part.choices.emplace_back();
    for (auto const& choice : whole.choices[x])
      if (keep[flat++]) list.push_back(choice);
  }
  for (std::size_t x = 0; x < n; ++x)
    for (auto& choice : parts[strong[x]].choices[local[x]]) {
      VarSet set;
      for (std::size_t const p : choice.set) {
        if (strong[p] == strong[x]) set.insert(local[p]);
      }
      choice.set = set;
    }
  return parts;
}

}  // namespace bayesloom::credible
