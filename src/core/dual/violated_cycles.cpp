#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "dual/options.hpp"
#include "dual/violated.hpp"

namespace bayesloom::dual {

namespace {

struct Arc {
  Index parent;
  double length;  ///< the share of the child's candidates without this parent
};

/// For every variable its parents with a share that counts.
std::vector<std::vector<Arc>> arcs_of(FractionalNetwork const& shares, double least) {
  Problem const& problem = shares.problem();
  std::vector<std::vector<Arc>> arcs(problem.universe->n);
  std::vector<double> taken(problem.universe->n, 0);
  std::vector<Index> parents;
  for (Index const i : problem.variables) {
    parents.clear();
    for (std::size_t c = shares.begin(i); c < shares.end(i); ++c)
      shares.for_each_parent(i, c, [&](Index p) {
        if (taken[p] == 0) parents.push_back(p);
        taken[p] += shares.share(c);
      });
    for (Index const p : parents) {
      if (taken[p] > least) arcs[i].push_back({p, std::max(0.0, 1 - taken[p])});
      taken[p] = 0;
    }
  }
  return arcs;
}

}  // namespace

std::vector<WideVarSet> short_cycles(FractionalNetwork const& shares, WideVarSet const* around,
                                     Control& control, double least) {
  constexpr double far = std::numeric_limits<double>::infinity();
  Problem const& problem = shares.problem();
  std::size_t const n = problem.universe->n;
  auto const arcs = arcs_of(shares, least);
  std::vector<WideVarSet> cycles;
  WideVarSet used(n);
  std::vector<double> distance(n, far);
  std::vector<Index> towards(n), reached;
  using Entry = std::pair<double, Index>;
  for (Index const start : problem.variables) {
    if (control.should_stop()) break;
    if (used.contains(start) || (around && !around->contains(start))) continue;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (Index const v : reached) distance[v] = far;
    reached.clear();
    auto const relax = [&](Index from, double so_far) {
      for (auto const& [parent, length] : arcs[from]) {
        double const there = so_far + length + fractions.cycle_step;
        if (there >= distance[parent] || there > 1 - least) continue;
        if (distance[parent] == far) reached.push_back(parent);
        distance[parent] = there;
        towards[parent] = from;
        queue.emplace(there, parent);
      }
    };
    relax(start, 0);
    while (!queue.empty() && queue.top().second != start) {
      auto const [so_far, v] = queue.top();
      queue.pop();
      if (so_far == distance[v]) relax(v, so_far);
    }
    if (queue.empty()) continue;
    WideVarSet cycle(n);
    Index v = start;
    do {
      cycle.insert(v);
      used.insert(v);
      v = towards[v];
    } while (v != start);
    cycles.push_back(std::move(cycle));
  }
  return cycles;
}

}  // namespace bayesloom::dual
