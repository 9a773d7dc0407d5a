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

/// `keeps(v, c)`: whether candidate c of v counts.
template <typename Keeps>
std::vector<std::vector<std::size_t>> cache_components(ScoreCache const& cache,
                                                       Keeps const& keeps) {
  std::size_t const n = cache.variable_count();
  std::vector<std::vector<std::size_t>> parents(n);
  std::vector<std::size_t> seen_for(n, n);
  for (std::size_t x = 0; x < n; ++x) {
    auto const v = static_cast<Variable>(x);
    for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
      if (!keeps(v, c)) continue;
      for (auto const p : cache.parents(c))
        if (seen_for[p] != x) {
          seen_for[p] = x;
          parents[x].push_back(p);
        }
    }
  }
  return StrongComponents(parents).members();
}

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

template <typename Keeps>
std::vector<Component> split_kept(ScoreCache const& cache, char const* solver, Keeps const& keeps) {
  std::size_t const n = cache.variable_count();
  std::vector<Component> out;
  std::vector<std::size_t> place(n, max_members);
  for (auto const& members : cache_components(cache, keeps)) {
    if (members.size() > max_members)
      throw ResourceError(std::string(solver) + " works on sets of at most " +
                          std::to_string(max_members) + " variables, and " +
                          std::to_string(members.size()) +
                          " variables of this score cache hang together in cycles of candidates. "
                          "Use a solver without that limit, or fewer candidates.");
    Component component;
    for (std::size_t i = 0; i < members.size(); ++i) {
      component.variables.push_back(static_cast<Variable>(members[i]));
      place[members[i]] = i;
    }
    component.lists.resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      Variable const v = component.variables[i];
      Fixed const best = cache.score(cache.begin(v));
      for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
        if (!keeps(v, c)) continue;
        VarSet set;
        for (auto const p : cache.parents(c))
          if (place[p] != max_members) set.insert(place[p]);
        component.lists[i].push_back({set, best - cache.score(c), c});
      }
      tidy(component.lists[i]);
    }
    for (auto const v : members) place[v] = max_members;
    split_further(std::move(component), out);
  }
  return out;
}

}  // namespace

std::vector<Component> split_components(ScoreCache const& cache, Fixed most, char const* solver) {
  return split_kept(cache, solver, [&](Variable v, std::size_t c) {
    return cache.score(cache.begin(v)) - cache.score(c) <= most;
  });
}

std::vector<Component> split_components(ScoreCache const& cache, std::vector<bool> const& keep,
                                        char const* solver) {
  return split_kept(cache, solver, [&](Variable, std::size_t c) { return keep[c]; });
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
      for (std::size_t const p : candidate.parents& chosen) set.insert(chosen.rank(p));
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
