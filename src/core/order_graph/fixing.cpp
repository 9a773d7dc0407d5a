#include "order_graph/fixing.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "subsets/pattern_database.hpp"

namespace bayesloom::order_graph {

namespace {

/// Steps of dense search over n members: preparation shall not cost more than that.
std::uint64_t dense_steps(std::size_t n) {
  return n < 50 ? n << n : std::numeric_limits<std::uint64_t>::max();
}

/// Removes candidates in place; tells whether any went.
bool remove_hopeless(Component& component, dual::ClusterBound const& clusters, Fixed most) {
  bool removed = false;
  for (std::size_t x = 0; x < component.size(); ++x) {
    std::vector<MemberCandidate> kept;
    for (std::size_t c = 0; c < component.lists[x].size(); ++c)
      if (clusters.at_root_with(x, c) <= most) kept.push_back(component.lists[x][c]);
    removed = removed || kept.size() < component.lists[x].size();
    component.lists[x] = std::move(kept);
  }
  return removed;
}

/// The known network inside a part of the component.
ComponentResult known_part(Component const& whole, ComponentResult const& known, VarSet chosen,
                           Component const& part) {
  ComponentResult out;
  std::size_t i = 0;
  for (std::size_t const x : chosen) {
    auto const& list = whole.lists[x];
    auto const found = std::find_if(list.begin(), list.end(), [&](auto const& candidate) {
      return candidate.index == known.candidates[x];
    });
    VarSet allowed;
    for (std::size_t const p : found->parents & chosen) allowed.insert(chosen.rank(p));
    auto const* const candidate = best_within(part.lists[i++], allowed);
    out.candidates.push_back(candidate->index);
    out.loss += candidate->loss;
  }
  return out;
}

}  // namespace

void check_preparation(PreparationOptions const& options) {
  if (options.pattern_size < 1 || options.pattern_size > PatternDatabase::max_group)
    throw InputError("pattern_size must be from 1 to " +
                     std::to_string(PatternDatabase::max_group) + ", got " +
                     std::to_string(options.pattern_size) + ".");
}

ComponentResult solve_after_fixing(Component const& given, ComponentResult const& given_known,
                                   PreparationOptions const& options, Control& control,
                                   SolveFixed const& solve) {
  Component component = given;
  std::uint64_t const dense = dense_steps(component.size());
  ComponentResult known = given_known;
  for (;;) {
    std::size_t candidates = 0;
    for (auto const& list : component.lists) candidates += list.size();
    std::size_t const rounds = std::min<std::uint64_t>(options.cluster_rounds, dense / candidates);
    dual::ClusterBound const clusters(component.lists, rounds, control);
    known.bound = std::max(known.bound, std::min(clusters.at_root(), known.loss));
    if (known.bound == known.loss || control.stopped()) return known;
    bool const removed = remove_hopeless(component, clusters, known.loss);
    auto const parts = member_components(component.lists, component.all());
    if (parts.size() == 1) {
      if (removed) continue;
      return solve(component, known, clusters);
    }
    ComponentResult out;
    out.candidates.resize(component.size());
    for (auto const chosen : parts) {
      Component const part = subcomponent(component, chosen, component.all() - chosen);
      ComponentResult answer = known_part(component, known, chosen, part);
      if (answer.loss > 0 && !control.stopped())
        answer = solve_after_fixing(part, answer, options, control, solve);
      std::size_t i = 0;
      for (std::size_t const x : chosen) out.candidates[x] = answer.candidates[i++];
      out.loss += answer.loss;
      out.bound += answer.bound;
    }
    // Networks with removed candidates are not counted in that bound; they lose more than `known`.
    out.bound = std::max(std::min(out.bound, out.loss), known.bound);
    out.bound = std::min(out.bound, out.loss);
    return out;
  }
}

}  // namespace bayesloom::order_graph
