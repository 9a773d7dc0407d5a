#include "credible/component.hpp"

#include <algorithm>
#include <string>

#include "graph/strong_components.hpp"

namespace bayesloom::credible {

std::vector<Component> components(ScoreCache const& cache, std::vector<bool> const& keep) {
  std::vector<Component> parts;
  auto const too_large = [](std::size_t size) {
    return "the candidates join " + std::to_string(size) +
           " variables in one strong component, and the credible set can be found for components "
           "of "
           "up to 64. A smaller Bayes factor or fewer parents may part them.";
  };
  subsets::for_each_component(cache, keep, too_large,
                              [&](Component component) { parts.push_back(std::move(component)); });
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
    for (auto const& choice : whole.lists[x])
      if (keep[flat++]) up |= choice.parents;
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
    auto& list = part.lists.emplace_back();
    for (auto const& choice : whole.lists[x])
      if (keep[flat++]) list.push_back(choice);
  }
  for (std::size_t x = 0; x < n; ++x)
    for (auto& choice : parts[strong[x]].lists[local[x]]) {
      VarSet set;
      for (std::size_t const p : choice.parents) {
        if (strong[p] == strong[x]) set.insert(local[p]);
      }
      choice.parents = set;
    }
  return parts;
}

}  // namespace bayesloom::credible
