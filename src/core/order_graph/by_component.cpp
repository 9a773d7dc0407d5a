#include "order_graph/by_component.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "base/control.hpp"
#include "base/errors.hpp"
#include "dual/reduced_costs.hpp"
#include "dual/simple_bound.hpp"
#include "subsets/pattern_database.hpp"

namespace bayesloom::order_graph {

namespace {

/// The choices of a network of the whole cache within a component, with each removed dominated candidate replaced by
/// one that dominates it; or the greedy network if that is better.
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

/// The loss of the better of the greedy network and the start.
Fixed known_loss(ScoreCache const& cache, std::vector<std::size_t> const& start) {
  Fixed const greedy = greedy_loss(cache);
  if (start.empty()) return greedy;
  Fixed loss = simple_bound(cache);
  for (auto const c : start) loss -= cache.score(c);
  return std::min(greedy, loss);
}

template <typename Solve>
SolveResult solve_each(ScoreCache const& cache, std::vector<Component> const& components,
                       std::vector<std::size_t> const& start, Control& control,
                       Solve const& solve) {
  SolveResult result;
  result.candidates.resize(cache.variable_count());
  result.bound = simple_bound(cache);
  for (auto const& component : components) {
    ComponentResult found = known_component(component, start, cache);
    if (!control.stopped() && found.loss > found.bound) found = solve(component, found);
    for (std::size_t i = 0; i < component.size(); ++i)
      result.candidates[component.variables[i]] = found.candidates[i];
    result.bound -= found.bound;
  }
  for (auto const c : result.candidates) result.score += cache.score(c);
  result.work = control.work();
  return result;
}

/// The dual prices on clusters within one component.
dual::RemainingBound remaining_bound(Component const& component,
                                     std::vector<dual::Cluster> const& clusters) {
  std::vector<std::vector<dual::RemainingBound::Candidate>> lists(component.size());
  for (std::size_t x = 0; x < component.size(); ++x)
    for (auto const& candidate : component.lists[x])
      lists[x].push_back({candidate.parents, -candidate.loss});
  std::vector<dual::RemainingBound::Inequality> inequalities;
  for (auto const& cluster : clusters) {
    VarSet members;
    for (std::size_t x = 0; x < component.size(); ++x)
      if (cluster.members.contains(component.variables[x])) members.insert(x);
    if (members.size() == cluster.members.size())
      inequalities.push_back({members, cluster.need, cluster.price, cluster.blocks});
  }
  return {lists, std::move(inequalities)};
}

/// Steps of dense search over n variables: preparation shall not cost more than that.
std::uint64_t dense_steps(std::size_t n) {
  return n < 50 ? n << n : std::numeric_limits<std::uint64_t>::max();
}

/// Price steps are limited by their number and are no work of the search, which only says when to
/// stop.
class PriceSteps final : public Control {
 public:
  PriceSteps(Control& search, std::uint64_t most) : Control({std::nullopt, most}), search_(search) {
    should_stop(0);  // there may be none
  }

 protected:
  void on_poll() override {
    if (search_.should_stop(0)) cancel();
  }

 private:
  Control& search_;
};

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
  Fixed const most = known_loss(cache, start);
  return solve_each(cache, split_components(cache, most, solver), start, control, solve);
}

void check_preparation(PreparationOptions const& options) {
  if (options.pattern_size < 1 || options.pattern_size > PatternDatabase::max_group)
    throw InputError("pattern_size must be from 1 to " +
                     std::to_string(PatternDatabase::max_group) + ", got " +
                     std::to_string(options.pattern_size) + ".");
}

SolveResult solve_prepared(ScoreCache const& cache, std::vector<std::size_t> const& start,
                           char const* solver, PreparationOptions const& options, Control& control,
                           SolvePrepared const& solve) {
  Fixed const most = known_loss(cache, start);
  Fixed const known = simple_bound(cache) - most;
  std::uint64_t const dense = dense_steps(cache.variable_count()) / cache.candidate_count();
  PriceSteps steps(control, std::min<std::uint64_t>(options.cluster_rounds, dense));
  dual::ReducedCosts const costs =
      dual::reduced_cost_fixing(cache, known, known, dual::Pace::quick, steps);
  auto const components = split_components(cache, costs.keep, solver);
  SolveResult result =
      solve_each(cache, components, start, control,
                 [&](Component const& component, ComponentResult best) -> ComponentResult {
                   auto remaining = remaining_bound(component, costs.clusters);
                   best.bound = std::min(best.loss, std::max<Fixed>(best.bound, -remaining.of({})));
                   if (best.bound == best.loss) return best;
                   return solve(component, best, remaining);
                 });
  // Networks with candidates that were left out score below the known one.
  result.bound = std::max(result.score, std::min(result.bound, known + costs.gap));
  return result;
}

}  // namespace bayesloom::order_graph
