#include "dual/violated.hpp"

#include <algorithm>
#include <utility>

#include "dual/cluster_grower.hpp"

namespace bayesloom::dual {

namespace {

/// Where to begin: sets of variables from which a violated inequality may grow.
std::vector<WideVarSet> starts(FractionalNetwork const& shares, std::size_t need,
                               WideVarSet const* around, Control& control, Effort effort) {
  Problem const& problem = shares.problem();
  std::size_t const n = problem.universe->n;
  std::vector<WideVarSet> found;
  if (need == 1) {
    found = short_cycles(shares, around, control, effort.least);

    for (Index const i : problem.variables) {
      if (around && !around->contains(i)) continue;
      found.emplace_back(n);
      found.back().insert(i);
    }
    return found;
  }
  // With less than need + 1 members no inequality is violated: begin with a variable and parents
  // that it takes together, all of them or any `need` of them. The least sums go on.
  std::vector<std::pair<double, WideVarSet>> triples;
  std::vector<Index> parents;
  auto const consider = [&](WideVarSet&& set) {
    double const sum = shares.outside(set, need);
    triples.emplace_back(sum - static_cast<double>(need), std::move(set));
  };
  for (Index const i : problem.variables) {
    if (around && !around->contains(i)) continue;
    for (std::size_t c = shares.begin(i); c < shares.end(i); ++c) {
      if (shares.share(c) < effort.least) continue;
      parents.clear();
      shares.for_each_parent(i, c, [&](Index p) { parents.push_back(p); });
      if (parents.size() < need) continue;
      WideVarSet whole(n);
      whole.insert(i);
      for (Index const p : parents) whole.insert(p);
      if (parents.size() > need && need == 2)
        for (std::size_t a = 0; a < parents.size(); ++a)
          for (std::size_t b = a + 1; b < parents.size(); ++b) {
            WideVarSet triple(n);
            triple.insert(i);
            triple.insert(parents[a]);
            triple.insert(parents[b]);
            consider(std::move(triple));
          }
      consider(std::move(whole));
    }
  }
  std::size_t const most = std::min(triples.size(), effort.starts * problem.variables.size());
  std::partial_sort(triples.begin(), triples.begin() + static_cast<std::ptrdiff_t>(most),
                    triples.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < most; ++k) found.push_back(std::move(triples[k].second));
  return found;
}

}  // namespace

std::vector<Cluster> violated_inequalities(FractionalNetwork const& shares, std::size_t most_need,
                                           WideVarSet const* around, Control& control,
                                           Effort effort) {
  std::vector<Cluster> found;
  ClusterGrower grower(shares);
  InequalityIndex const priced(shares.problem().clusters);
  for (std::size_t need = 1; need <= most_need; ++need)
    for (auto const& start : starts(shares, need, around, control, effort)) {
      if (control.should_stop()) return found;
      if (grower.grow(start, need) > static_cast<double>(need) - effort.least) continue;
      Cluster inequality{grower.cluster(), need, 0};
      bool known = priced.contains(inequality);
      for (auto const& other : found) known = known || other.same_inequality(inequality);
      if (!known) found.push_back(std::move(inequality));
    }
  if (most_need > 1)
    for (auto& inequality : violated_fours(shares, around, control, effort.least))
      found.push_back(std::move(inequality));
  return found;
}

}  // namespace bayesloom::dual
