#include "prices/violated.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace bayesloom::prices {

namespace {

class Grower {
 public:
  explicit Grower(Shares const& shares)
      : shares_(shares),
        node_(shares.node()),
        universe_(*node_.universe),
        gain_(universe_.n, 0),
        local_(universe_.words) {}

  std::vector<Set> starts(std::size_t need, Set const* around) const;
  Set grow(Set cluster, std::size_t need, double& best);
  void minimise(Set& cluster, std::size_t need, double sum) const;

 private:
  Shares const& shares_;
  Node const& node_;
  Universe const& universe_;
  std::vector<double> gain_;  // scratch, by variable
  std::vector<Word> local_;   // scratch
};

std::vector<Set> Grower::starts(std::size_t need, Set const* around) const {
  std::vector<Set> found;
  if (need == 1) {
    for (Index const i : node_.variables) {
      if (around && !around->contains(i)) continue;
      found.emplace_back(universe_.n);
      found.back().insert(i);
    }
    return found;
  }
  // With less than need + 1 members no rule is violated: begin with a variable and parents that it
  // takes together, all of them or any `need` of them. The least sums go on.
  std::vector<std::pair<double, Set>> triples;
  std::vector<Index> parents;
  auto const consider = [&](Set&& set) {
    double const sum = shares_.outside(set, need);
    triples.emplace_back(sum - static_cast<double>(need), std::move(set));
  };
  for (Index const i : node_.variables) {
    if (around && !around->contains(i)) continue;
    for (std::size_t c = shares_.begin(i); c < shares_.end(i); ++c) {
      if (shares_.share(c) < 0.05) continue;
      parents.clear();
      shares_.for_each_parent(i, c, [&](Index p) { parents.push_back(p); });
      if (parents.size() < need) continue;
      Set whole(universe_.n);
      whole.insert(i);
      for (Index const p : parents) whole.insert(p);
      if (parents.size() > need && need == 2)
        for (std::size_t a = 0; a < parents.size(); ++a)
          for (std::size_t b = a + 1; b < parents.size(); ++b) {
            Set triple(universe_.n);
            triple.insert(i);
            triple.insert(parents[a]);
            triple.insert(parents[b]);
            consider(std::move(triple));
          }
      consider(std::move(whole));
    }
  }
  std::size_t const most = std::min(triples.size(), node_.variables.size());
  std::partial_sort(triples.begin(), triples.begin() + static_cast<std::ptrdiff_t>(most),
                    triples.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < most; ++k) found.push_back(std::move(triples[k].second));
  return found;
}

/// Adds the variable that lowers the sum most, again and again; returns the cluster with the least
/// sum met.
Set Grower::grow(Set cluster, std::size_t need, double& best) {
  constexpr std::size_t most_members = 24;
  std::size_t const words = universe_.words;
  Set best_cluster = cluster;
  double sum = shares_.outside(cluster, need);
  best = sum;
  std::vector<Index> near;
  for (std::size_t size = cluster.size(); size < most_members; ++size) {
    // gain_[j]: the share of members' candidates that are blocked with j and not without.
    near.clear();
    cluster.for_each([&](std::size_t v) {
      auto const i = static_cast<Index>(v);
      node_.localise(cluster, i, local_.data());
      for (std::size_t c = shares_.begin(i); c < shares_.end(i); ++c) {
        Word const* const m = shares_.mask(c);
        if (meets(m, local_.data(), words, need)) continue;
        if (need > 1 && !meets(m, local_.data(), words, need - 1)) continue;
        for (std::size_t w = 0; w < words; ++w)
          for (Word left = m[w] & ~local_[w]; left != 0; left &= left - 1) {
            Index const j =
                universe_.variable(i, w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
            if (gain_[j] == 0) near.push_back(j);
            gain_[j] += shares_.share(c);
          }
      }
    });
    double least = 0;
    std::optional<Index> next;
    for (Index const j : near) {
      double const change = shares_.outside(j, cluster, need) - gain_[j];
      gain_[j] = 0;
      if (!next || change < least) {
        least = change;
        next = j;
      }
    }
    if (!next) break;
    cluster.insert(*next);
    sum += least;
    if (sum < best - 1e-6) {
      best = sum;
      best_cluster = cluster;
    }
    if (sum > best + 0.6) break;
  }
  return best_cluster;
}

/// Leaves out members without which the violation is as large.
void Grower::minimise(Set& cluster, std::size_t need, double sum) const {
  for (bool changed = true; changed && cluster.size() > need + 1;) {
    changed = false;
    Set const members = cluster;
    members.for_each([&](std::size_t v) {
      if (changed) return;
      Set smaller = cluster;
      smaller.erase(v);
      double const without = shares_.outside(smaller, need);
      if (without > sum + 1e-6) return;
      sum = without;
      cluster = smaller;
      changed = true;
    });
  }
}

}  // namespace

std::vector<Cluster> violated_rules(Shares const& shares, std::size_t most_need, Set const* around,
                                    Control& control) {
  std::vector<Cluster> found;
  Grower grower(shares);
  RuleIndex const priced(shares.node().clusters);
  for (std::size_t need = 1; need <= most_need; ++need)
    for (auto const& start : grower.starts(need, around)) {
      if (control.should_stop()) return found;
      double sum = 0;
      Set cluster = grower.grow(start, need, sum);
      if (sum > static_cast<double>(need) - least_violation) continue;
      grower.minimise(cluster, need, sum);
      Cluster rule{std::move(cluster), need, 0};
      bool known = false;
      for (auto const& other : found) known = known || other.same_rule(rule);
      if (!known && !priced.contains(rule)) found.push_back(std::move(rule));
    }
  if (most_need > 1)
    for (auto& rule : violated_fours(shares, around, control)) found.push_back(std::move(rule));
  return found;
}

}  // namespace bayesloom::prices
