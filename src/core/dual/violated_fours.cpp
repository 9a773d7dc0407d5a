#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "dual/inequalities_of_four.hpp"
#include "dual/violated.hpp"

namespace bayesloom::dual {

namespace {

using Four = std::array<Index, 4>;

/// Sets of four variables of which one takes two others together, and one of these three and the
/// fourth take each other: of a violated inequality at least two members have two parents inside.
std::set<Four> connected_fours(FractionalNetwork const& shares, WideVarSet const* around,
                               double least) {
  Problem const& problem = shares.problem();
  std::size_t const n = problem.universe->n;
  // Who takes whom with a share that counts: both ways.
  std::vector<std::vector<Index>> near(n);
  for (Index const i : problem.variables)
    for (std::size_t c = shares.begin(i); c < shares.end(i); ++c) {
      if (shares.share(c) < least) continue;
      shares.for_each_parent(i, c, [&](Index p) {
        near[i].push_back(p);
        near[p].push_back(i);
      });
    }
  for (auto& list : near) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  std::set<Four> sets;
  std::vector<Index> parents;
  for (Index const i : problem.variables) {
    if (around && !around->contains(i)) continue;
    for (std::size_t c = shares.begin(i); c < shares.end(i); ++c) {
      if (shares.share(c) < least) continue;
      parents.clear();
      shares.for_each_parent(i, c, [&](Index p) { parents.push_back(p); });
      for (std::size_t a = 0; a < parents.size(); ++a)
        for (std::size_t b = a + 1; b < parents.size(); ++b)
          for (Index const from : {i, parents[a], parents[b]})
            for (Index const v : near[from]) {
              Four four{i, parents[a], parents[b], v};
              std::sort(four.begin(), four.end());
              if (std::adjacent_find(four.begin(), four.end()) == four.end()) sets.insert(four);
            }
    }
  }
  return sets;
}

/// By member and set of the others that are its parents: the shares.
std::array<std::array<double, 8>, 4> masses(FractionalNetwork const& shares, Four const& four) {
  std::array<std::array<double, 8>, 4> mass{};
  for (std::size_t k = 0; k < 4; ++k) {
    Index const i = four[k];
    std::array<std::size_t, 3> place{};
    std::size_t count = 0;
    for (std::size_t other = 0; other < 4; ++other)
      if (other != k) place[count++] = shares.place_of(i, four[other]);
    for (std::size_t c = shares.begin(i); c < shares.end(i); ++c) {
      unsigned s = 0;
      for (unsigned other = 0; other < 3; ++other)
        if (place[other] != FractionalNetwork::none &&
            (shares.mask(c)[place[other] / 64] >> place[other] % 64 & 1) != 0)
          s |= 1U << other;
      mass[k][s] += shares.share(c);
    }
  }
  return mass;
}

}  // namespace

std::vector<Cluster> violated_fours(FractionalNetwork const& shares, WideVarSet const* around,
                                    Control& control, double least) {
  Problem const& problem = shares.problem();
  InequalityIndex const priced(problem.clusters);
  std::vector<std::pair<double, Cluster>> violated;
  for (auto const& four : connected_fours(shares, around, least)) {
    if (control.should_stop()) return {};
    auto const mass = masses(shares, four);
    for (auto const& blocks : inequalities_of_four()) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k)
        for (unsigned s = 0; s < 8; ++s)
          if ((blocks[k] >> s & 1) == 0) sum += mass[k][s];
      if (sum > 2 - least) continue;
      Cluster inequality{WideVarSet(problem.universe->n), 2, 0, blocks};
      for (Index const v : four) inequality.members.insert(v);
      if (!priced.contains(inequality)) violated.emplace_back(sum, std::move(inequality));
    }
  }
  std::stable_sort(violated.begin(), violated.end(),
                   [](auto const& a, auto const& b) { return a.first < b.first; });
  if (violated.size() > problem.variables.size()) violated.resize(problem.variables.size());
  std::vector<Cluster> found;
  for (auto& entry : violated) found.push_back(std::move(entry.second));
  return found;
}

}  // namespace bayesloom::dual
