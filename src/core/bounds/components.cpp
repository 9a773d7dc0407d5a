#include "bounds/components.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/errors.hpp"
#include "bounds/simple_bound.hpp"

namespace bayesloom {

namespace {

/// Tarjan's algorithm without recursion. `parents[v]` are the sources of arcs into v. Components come
/// out with parents first, because a component is closed only after all it can reach along parents.
std::vector<std::vector<std::size_t>> strong_components(
    std::vector<std::vector<std::size_t>> const& parents) {
  std::size_t const n = parents.size();
  std::size_t const unseen = n;
  std::vector<std::size_t> number(n, unseen), low(n), next(n, 0), stack, path;
  std::vector<bool> open(n, false);
  std::vector<std::vector<std::size_t>> out;
  std::size_t counter = 0;
  for (std::size_t root = 0; root < n; ++root) {
    if (number[root] != unseen) continue;
    path.push_back(root);
    while (!path.empty()) {
      std::size_t const v = path.back();
      if (number[v] == unseen) {
        number[v] = low[v] = counter++;
        stack.push_back(v);
        open[v] = true;
      }
      if (next[v] < parents[v].size()) {
        std::size_t const p = parents[v][next[v]++];
        if (number[p] == unseen) {
          path.push_back(p);
        } else if (open[p]) {
          low[v] = std::min(low[v], number[p]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[v]);
      if (low[v] != number[v]) continue;
      auto& component = out.emplace_back();
      for (std::size_t w = n; w != v;) {
        w = stack.back();
        stack.pop_back();
        open[w] = false;
        component.push_back(w);
      }
      std::sort(component.begin(), component.end());
    }
  }
  return out;
}

std::vector<std::vector<std::size_t>> cache_components(ScoreCache const& cache, Fixed most) {
  std::size_t const n = cache.variable_count();
  std::vector<std::vector<std::size_t>> parents(n);
  std::vector<std::size_t> seen_for(n, n);
  for (std::size_t x = 0; x < n; ++x) {
    auto const v = static_cast<Variable>(x);
    Fixed const best = cache.score(cache.begin(v));
    for (std::size_t c = cache.begin(v); c < cache.end(v) && best - cache.score(c) <= most; ++c)
      for (auto const p : cache.parents(c))
        if (seen_for[p] != x) {
          seen_for[p] = x;
          parents[x].push_back(p);
        }
  }
  return strong_components(parents);
}

/// Sorts, keeps the best of equal sets, drops those no better than one of their subsets.
void tidy(std::vector<MemberCandidate>& list) {
  std::sort(list.begin(), list.end(), [](auto const& a, auto const& b) {
    if (a.loss != b.loss) return a.loss < b.loss;
    if (int const d = std::popcount(a.parents) - std::popcount(b.parents); d != 0) return d < 0;
    return std::pair(a.parents, a.index) < std::pair(b.parents, b.index);
  });
  std::unordered_set<Members> kept;
  std::vector<MemberCandidate> out;
  auto const dominated = [&](Members set) {
    if (std::popcount(set) < 20 && (std::size_t{1} << std::popcount(set)) <= out.size()) {
      for (Members subset = set;; subset = (subset - 1) & set) {
        if (kept.contains(subset)) return true;
        if (subset == 0) return false;
      }
    }
    return std::any_of(out.begin(), out.end(),
                       [&](auto const& other) { return (other.parents & ~set) == 0; });
  };
  for (auto const& candidate : list) {
    if (dominated(candidate.parents)) continue;
    kept.insert(candidate.parents);
    out.push_back(candidate);
    if (candidate.parents == 0) break;  // nothing after it can be better
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
    split_further(subcomponent(component, part, component.all() & ~part), out);
}

}  // namespace

std::vector<Component> split_components(ScoreCache const& cache, Fixed most, char const* solver) {
  std::size_t const n = cache.variable_count();
  std::vector<Component> out;
  std::vector<std::size_t> place(n, max_members);
  for (auto const& members : cache_components(cache, most)) {
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
      for (std::size_t c = cache.begin(v); c < cache.end(v) && best - cache.score(c) <= most; ++c) {
        Members set = 0;
        for (auto const p : cache.parents(c))
          if (place[p] != max_members) set |= Members{1} << place[p];
        component.lists[i].push_back({set, best - cache.score(c), c});
      }
      tidy(component.lists[i]);
    }
    for (auto const v : members) place[v] = max_members;
    split_further(std::move(component), out);
  }
  return out;
}

std::vector<Members> member_components(MemberLists const& lists, Members among) {
  std::vector<std::size_t> members;
  for (Members left = among; left != 0; left &= left - 1)
    members.push_back(static_cast<std::size_t>(std::countr_zero(left)));
  std::vector<std::size_t> place(max_members, 0);
  for (std::size_t i = 0; i < members.size(); ++i) place[members[i]] = i;
  std::vector<std::vector<std::size_t>> parents(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    Members any = 0;
    for (auto const& candidate : lists[members[i]]) any |= candidate.parents;
    for (Members left = any & among; left != 0; left &= left - 1)
      parents[i].push_back(place[static_cast<std::size_t>(std::countr_zero(left))]);
  }
  std::vector<Members> out;
  for (auto const& part : strong_components(parents)) {
    Members set = 0;
    for (auto const i : part) set |= Members{1} << members[i];
    out.push_back(set);
  }
  return out;
}

Component subcomponent(Component const& whole, Members chosen, Members available) {
  Component part;
  std::vector<std::size_t> place(max_members, 0);
  for (Members left = chosen; left != 0; left &= left - 1) {
    auto const member = static_cast<std::size_t>(std::countr_zero(left));
    place[member] = part.variables.size();
    part.variables.push_back(whole.variables[member]);
  }
  for (Members left = chosen; left != 0; left &= left - 1) {
    auto& list = part.lists.emplace_back();
    for (auto candidate : whole.lists[static_cast<std::size_t>(std::countr_zero(left))]) {
      if ((candidate.parents & ~(chosen | available)) != 0) continue;
      Members set = 0;
      for (Members inside = candidate.parents & chosen; inside != 0; inside &= inside - 1)
        set |= Members{1} << place[static_cast<std::size_t>(std::countr_zero(inside))];
      candidate.parents = set;
      list.push_back(candidate);
    }
    tidy(list);
  }
  return part;
}

MemberCandidate const* best_within(std::vector<MemberCandidate> const& list, Members allowed) {
  for (auto const& candidate : list)
    if ((candidate.parents & ~allowed) == 0) return &candidate;
  return nullptr;
}

std::vector<MemberCandidate const*> greedy_members(MemberLists const& lists) {
  std::vector<MemberCandidate const*> chosen(lists.size(), nullptr);
  Members placed = 0;
  for (std::size_t step = 0; step < lists.size(); ++step) {
    std::size_t next = lists.size();
    for (std::size_t x = 0; x < lists.size(); ++x) {
      if ((placed >> x & 1) != 0) continue;
      chosen[x] = best_within(lists[x], placed);
      if (chosen[x] != nullptr && (next == lists.size() || chosen[x]->loss < chosen[next]->loss))
        next = x;
    }
    if (next == lists.size())
      throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
    placed |= Members{1} << next;
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

}  // namespace bayesloom
