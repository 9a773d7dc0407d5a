#include "dual/reduction.hpp"

#include <algorithm>

namespace bayesloom::dual {

namespace {

/// The variables of the problem that can be placed without `avoid` (n for none), in any way left.
WideVarSet placeable(Problem const& problem, std::size_t avoid) {
  std::size_t const words = problem.universe->words;
  WideVarSet reached(problem.universe->n);
  std::vector<Word> local(problem.universe->n * words, 0);
  std::vector<Index> queue;
  auto const try_place = [&](Index i) {
    for (std::size_t c = problem.end[i]; c-- > problem.begin[i];)
      if (problem.within(c, local.data() + i * words)) {
        reached.insert(i);
        queue.push_back(i);
        return;
      }
  };
  WideVarSet here(problem.universe->n);
  for (Index const i : problem.variables)
    if (i != avoid) {
      here.insert(i);
      try_place(i);
    }
  while (!queue.empty()) {
    Index const v = queue.back();
    queue.pop_back();
    for (auto const [child, bit] : problem.universe->children[v]) {
      if (!here.contains(child) || reached.contains(child)) continue;
      local[child * words + bit / 64] |= Word{1} << bit % 64;
      try_place(child);
    }
  }
  return reached;
}

/// The variables without which some other may not be placed. Let S be those that cannot be placed
/// without j; all of S lack the empty candidate. The first of S that is placed with j there has a
/// candidate outside S that holds j, and any candidate of it outside `forced` must hold j.
WideVarSet needed_by_others(Problem const& problem, WideVarSet const& forced) {
  std::size_t const words = problem.universe->words;
  WideVarSet needed(problem.universe->n);
  std::vector<Word> local(words), every(words), any(words);
  for (std::size_t const v : forced) {
    auto const i = static_cast<Index>(v);
    problem.localise(forced, i, local.data());
    std::fill(every.begin(), every.end(), ~Word{0});
    std::fill(any.begin(), any.end(), 0);
    bool free = false;
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c) {
      for (std::size_t w = 0; w < words; ++w) any[w] |= problem.mask(c)[w];
      if (problem.touches(c, local.data())) continue;
      free = true;
      for (std::size_t w = 0; w < words; ++w) every[w] &= problem.mask(c)[w];
    }
    for (std::size_t w = 0; w < words; ++w)
      for (Word left = free ? every[w] : any[w]; left != 0; left &= left - 1)
        needed.insert(problem.universe->variable(
            i, w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
  }
  return needed;
}

std::size_t propagate(Problem& problem) {
  // Whoever has the empty set as a candidate can be placed first. If all can, nothing is forced.
  WideVarSet forced(problem.universe->n);
  for (Index const i : problem.variables)
    if (problem.begin[i] == problem.end[i] || !problem.is_empty(problem.end[i] - 1))
      forced.insert(i);
  if (forced.empty()) return 0;
  if (placeable(problem, problem.universe->n).size() < problem.variables.size()) {
    problem.close();
    return 0;
  }
  std::size_t removed = 0;
  std::vector<Word> local(problem.universe->words);
  WideVarSet const needed = needed_by_others(problem, forced);
  for (Index const j : problem.variables) {
    if (!needed.contains(j)) continue;
    WideVarSet const reached = placeable(problem, j);
    if (reached.size() + 1 == problem.variables.size()) continue;
    problem.localise(reached, j, local.data());
    removed += problem.remove(j, [&](std::size_t c) { return !problem.within(c, local.data()); });
    if (problem.begin[j] == problem.end[j]) return removed;
  }
  return removed;
}

std::size_t drop_dominated(Problem& problem) {
  std::size_t removed = 0;
  for (Index const i : problem.variables)
    for (std::size_t c = problem.begin[i]; c + 1 < problem.end[i]; ++c)
      if (problem.is_empty(c)) {
        removed += problem.end[i] - c - 1;
        problem.end[i] = c + 1;
        problem.refresh(i);
        break;
      }
  return removed;
}

std::size_t place_free(Problem& problem) {
  std::size_t placed = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (Index const i : problem.variables)
      if (problem.begin[i] < problem.end[i] && problem.is_empty(problem.begin[i])) {
        problem.place(i, problem.begin[i]);
        ++placed;
        changed = true;
        break;
      }
  }
  return placed;
}

}  // namespace

std::size_t fix_by_reduced_cost(Problem& problem, Fixed floor) {
  Fixed const margin = problem.bound() - floor;
  std::size_t removed = 0;
  for (Index const i : problem.variables)
    removed += problem.remove(
        i, [&](std::size_t c) { return problem.best[i] - problem.priced[c] >= margin; });
  return removed;
}

std::size_t reduce(Problem& problem, Fixed floor) {
  std::size_t total = 0;
  while (!problem.variables.empty() && problem.bound() > floor) {
    std::size_t changed = fix_by_reduced_cost(problem, floor);
    changed += place_free(problem);
    changed += drop_dominated(problem);
    if (problem.variables.empty() || problem.infeasible()) return total + changed;
    changed += propagate(problem);
    if (problem.infeasible()) return total + changed;
    total += changed;
    if (changed == 0) break;
  }
  return total;
}

void keep_only(Problem& problem, Problem const& smaller) {
  for (Index const i : problem.variables) {
    std::size_t at = smaller.begin[i];
    problem.remove(i, [&](std::size_t c) {
      if (at < smaller.end[i] && smaller.origin[at] == problem.origin[c]) {
        ++at;
        return false;
      }
      return true;
    });
  }
}

void take_out(Problem& problem, std::vector<std::size_t> const& gone) {
  for (Index const i : problem.variables)
    problem.remove(i, [&](std::size_t c) {
      return std::binary_search(gone.begin(), gone.end(), problem.origin[c]);
    });
}

}  // namespace bayesloom::dual
