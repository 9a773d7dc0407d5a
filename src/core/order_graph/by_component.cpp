#include "order_graph/by_component.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "dual/simple_bound.hpp"

namespace bayesloom::order_graph {

namespace {

/// What a network of the whole cache chose inside a component, with candidates that were left out as
/// dominated replaced by what dominates them. Falls back on the greedy network if that is better.
ComponentResult known_component(Component const& component, std::vector<std::size_t> const& start,
                                ScoreCache const& cache) {
  ComponentResult known = greedy_component(component);
  if (start.empty()) return known;
  ComponentResult given;
  for (std::size_t i = 0; i < component.size(); ++i) {
    VarSet allowed;
    for (auto const p : cache.parents(start[component.variables[i]])) {
      auto const at = std::lower_bound(component.variables.begin(), component.variables.end(), p);
      if (at != component.variables.end() && *at == p)
        allowed.insert(static_cast<std::size_t>(at - component.variables.begin()));
    }
    auto const* const candidate = best_within(component.lists[i], allowed);
    if (candidate == nullptr) return known;
    given.candidates.push_back(candidate->index);
    given.loss += candidate->loss;
  }
  return given.loss < known.loss ? given : known;
}

}  // namespace

ComponentResult greedy_component(Component const& component) {
  ComponentResult out;
  for (auto const* const candidate : greedy_members(component.lists)) {
    out.candidates.push_back(candidate->index);
    out.loss += candidate->loss;
  }
  return out;
}

SolveResult solve_by_component(
    ScoreCache const& cache, std::vector<std::size_t> const& start, char const* solver,
    Control& control,
    std::function<ComponentResult(Component const&, ComponentResult const&)> const& solve) {
  Fixed most = greedy_loss(cache);
  if (!start.empty()) {
    Fixed loss = simple_bound(cache);
    for (auto const c : start) loss -= cache.score(c);
    most = std::min(most, loss);
  }
  SolveResult result;
  result.candidates.resize(cache.variable_count());
  result.bound = simple_bound(cache);
  for (auto const& component : split_components(cache, most, solver)) {
    ComponentResult answer = known_component(component, start, cache);
    if (!control.stopped() && answer.loss > answer.bound) answer = solve(component, answer);
    for (std::size_t i = 0; i < component.size(); ++i)
      result.candidates[component.variables[i]] = answer.candidates[i];
    result.bound -= answer.bound;
  }
  for (auto const c : result.candidates) result.score += cache.score(c);
  result.work = control.work();
  return result;
}

}  // namespace bayesloom::order_graph
