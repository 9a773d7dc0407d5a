#include "subsets/components.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/errors.hpp"
#include "dual/simple_bound.hpp"
#include "graph/strong_components.hpp"

namespace bayesloom::subsets {

namespace {

/// Sorts, keeps the best of equal sets, drops those no better than one of their subsets.
void tidy(std::vector<MemberCandidate>& list) {
  std::sort(list.begin(), list.end(), [](auto const& a, auto const& b) {
    if (a.loss != b.loss) return a.loss < b.loss;
    if (a.parents.size() != b.parents.size()) return a.parents.size() < b.parents.size();
    return std::pair(a.parents, a.index) < std::pair(b.parents, b.index);
  });
  std::unordered_set<VarSet> kept;
  std::vector<MemberCandidate> out;
  auto const dominated = [&](VarSet set) {
    if (set.size() < 20 && (std::size_t{1} << set.size()) <= out.size()) {
      for (VarSet subset = set;; subset = subset.subset_before(set)) {
        if (kept.contains(subset)) return true;
        if (subset.empty()) return false;
      }
    }
    return std::any_of(out.begin(), out.end(),
                       [&](auto const& other) { return set.contains_all(other.parents); });
  };
  for (auto const& candidate : list) {
    if (dominated(candidate.parents)) continue;
    kept.insert(candidate.parents);
    out.push_back(candidate);
    if (candidate.parents.empty()) break;  // nothing after it can be better
  }
  out.shrink_to_fit();
  list = std::move(out);
}

void split_further(Component component, std::vector<Component>& out) {
  auto const parts = member_components(component.lists, component.all());
  if (parts.size() == 1) {
    out.push_back(std::move(component));
    return;
  }
  for (auto const part : parts)
    split_further(subcomponent(component, part, component.all() - part), out);
}

}  // namespace

void for_each_component(ScoreCache const& cache, std::vector<bool> const& keep,
                        std::function<std::string(std::size_t size)> const& too_large,
                        std::function<void(Component)> const& take) {
  std::size_t const n = cache.variable_count();
  std::vector<std::vector<Variable>> parents(n);
  std::vector<std::size_t> seen_for(n, n);
  for (std::size_t x = 0; x < n; ++x) {
    auto const v = static_cast<Variable>(x);
    for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
      if (!keep[c]) continue;
      for (auto const p : cache.parents(c))
        if (seen_for[p] != x) {
          seen_for[p] = x;
          parents[x].push_back(p);
        }
    }
    std::ranges::sort(parents[x]);  // the order of components depends on it
  }
  StrongComponents const strong(parents);
  std::vector<Component> components(strong.count());
  std::vector<std::size_t> place(n);
  for (std::size_t v = 0; v < n; ++v) {
    auto& variables = components[strong[v]].variables;
    place[v] = variables.size();
    variables.push_back(static_cast<Variable>(v));
  }
  for (auto& component : components) {
    if (component.size() > max_members) throw ResourceError(too_large(component.size()));
    for (Variable const v : component.variables) {
      auto& list = component.lists.emplace_back();
      Fixed const best = cache.score(cache.begin(v));
      for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
        if (!keep[c]) continue;
        VarSet set;
        for (auto const p : cache.parents(c))
          if (strong[p] == strong[v]) set.insert(place[p]);
        list.push_back({set, best - cache.score(c), c});
      }
    }
    take(std::move(component));
  }
}

std::vector<Component> split_components(ScoreCache const& cache, Fixed most, char const* solver) {
  std::vector<bool> keep(cache.candidate_count());
  for (std::size_t x = 0; x < cache.variable_count(); ++x) {
    auto const v = static_cast<Variable>(x);
    for (std::size_t c = cache.begin(v); c < cache.end(v); ++c)
      keep[c] = cache.score(cache.begin(v)) - cache.score(c) <= most;
  }
  return split_components(cache, keep, solver);
}

std::vector<Component> split_components(ScoreCache const& cache, std::vector<bool> const& keep,
                                        char const* solver) {
  std::vector<Component> out;
  auto const too_large = [&](std::size_t size) {
    return std::string(solver) + " works on sets of at most " + std::to_string(max_members) +
           " variables, and " + std::to_string(size) +
           " variables of this score cache form one component, joined by cycles of candidates. "
           "Use a solver without that limit, or fewer candidates.";
  };
  for_each_component(cache, keep, too_large, [&](Component component) {
    for (auto& list : component.lists) tidy(list);
    split_further(std::move(component), out);
  });
  return out;
}

std::vector<VarSet> member_components(MemberLists const& lists, VarSet among) {
  std::vector<VarSet> parents(lists.size());
  for (std::size_t const x : among) {
    for (auto const& candidate : lists[x]) parents[x] |= candidate.parents;
    parents[x] &= among;
  }
  return StrongComponents(parents, among).sets();
}

Component subcomponent(Component const& whole, VarSet chosen, VarSet available) {
  Component part;
  for (std::size_t const x : chosen) part.variables.push_back(whole.variables[x]);
  for (std::size_t const x : chosen) {
    auto& list = part.lists.emplace_back();
    for (auto candidate : whole.lists[x]) {
      if (!(chosen | available).contains_all(candidate.parents)) continue;
      VarSet set;
      VarSet const inside = candidate.parents & chosen;
      for (std::size_t const p : inside) set.insert(chosen.rank(p));
      candidate.parents = set;
      list.push_back(candidate);
    }
    tidy(list);
  }
  return part;
}

MemberCandidate const* best_within(std::vector<MemberCandidate> const& list, VarSet allowed) {
  for (auto const& candidate : list)
    if (allowed.contains_all(candidate.parents)) return &candidate;
  return nullptr;
}

std::vector<MemberCandidate const*> greedy_members(MemberLists const& lists) {
  std::vector<MemberCandidate const*> chosen(lists.size(), nullptr);
  VarSet placed;
  for (std::size_t step = 0; step < lists.size(); ++step) {
    std::size_t next = lists.size();
    for (std::size_t x = 0; x < lists.size(); ++x) {
      if (placed.contains(x)) continue;
      chosen[x] = best_within(lists[x], placed);
      if (chosen[x] != nullptr && (next == lists.size() || chosen[x]->loss < chosen[next]->loss))
        next = x;
    }
    if (next == lists.size())
      throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
    placed.insert(next);
  }
  return chosen;
}

Fixed greedy_loss(ScoreCache const& cache) {
  auto const greedy = greedy_network(cache);
  if (!greedy)
    throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
  double const bound = static_cast<double>(simple_bound(cache));
  double score = 0;
  for (auto const c : *greedy) score += static_cast<double>(cache.score(c));
  if (bound - score >= 0.999 * static_cast<double>(no_candidate))
    throw InputError("the scores of this cache lie more than 2^31 nats apart, which is too wide.");
  Fixed exact = simple_bound(cache);
  for (auto const c : *greedy) exact -= cache.score(c);
  return exact;
}

}  // namespace bayesloom::subsets
