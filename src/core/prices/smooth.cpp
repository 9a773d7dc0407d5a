#include "prices/smooth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "prices/rules_of_four.hpp"

namespace bayesloom::prices {

namespace {

/// Candidates this many temperatures below the best have no weight.
constexpr double reach = 30;
/// A price changes by at most this many temperatures in one step, so that no weight overflows.
constexpr double longest_step = 8;
/// The place of a variable that is no parent in any candidate.
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
/// After this much movement a candidate left out could have weight again.
constexpr double longest_drift = 20;

}  // namespace

Smooth::Smooth(Node const& node, double temperature)
    : universe_(*node.universe),
      temperature_(temperature),
      begin_(universe_.n, 0),
      end_(universe_.n, 0),
      drift_(universe_.n, 0) {
  std::size_t const words = universe_.words;
  for (Index const i : node.variables) {
    begin_[i] = weights_.size();
    for (std::size_t c = node.begin[i]; c < node.end[i]; ++c) {
      double const below = static_cast<double>(node.priced[c] - node.best[i]) / temperature;
      if (below < -reach) continue;
      weights_.push_back(std::exp(below));
      masks_.insert(masks_.end(), node.mask(c), node.mask(c) + words);
    }
    end_[i] = weights_.size();
  }
  for (auto const& cluster : node.clusters) {
    first_.push_back(members_.size());
    needs_.push_back(cluster.need);
    prices_.push_back(static_cast<double>(cluster.price));
    LocalRule const& rule = node.local(cluster);
    rules_.push_back(cluster.local);
    for (auto const& member : rule.members)
      members_.push_back({member.variable, rule.masks.data() + member.first, member.test});
  }
  first_.push_back(members_.size());
}

double Smooth::step(std::size_t k) {
  std::size_t const words = universe_.words;
  std::size_t const need = needs_[k];
  double const wanted = static_cast<double>(need);
  std::size_t const count = first_[k + 1] - first_[k];
  outside_.resize(count);
  inside_.resize(count);
  totals_.resize(count);
  std::size_t never_inside = 0;
  for (std::size_t m = 0; m < count; ++m) {
    auto const& member = members_[first_[k] + m];
    Word const* const local = member.local;
    double in = 0, out = 0;
    with_test(masks_.data(), local, words, member.test, [&](auto&& is_blocked) {
      for (std::size_t c = begin_[member.variable], stop = end_[member.variable]; c < stop; ++c) {
        double const weight = weights_[c];
        bool const blocked = is_blocked(c);
        in += blocked ? weight : 0.0;
        out += blocked ? 0.0 : weight;
      }
    });
    double const total = totals_[m] = in + out;
    inside_[m] = in / total;
    outside_[m] = out / total;
    if (inside_[m] <= 0) ++never_inside;
  }
  bool const level = never_inside >= need;  // the rule holds anyway: the price goes
  // Newton on the logarithm of f, kept within bounds: the sum of shares rises with it.
  double const lowest = std::max(-prices_[k] / temperature_, -longest_step);
  double low = lowest, high = longest_step, x = level ? lowest : std::clamp(0.0, low, high);
  for (int round = 0; round < 30 && !level; ++round) {
    double const f = std::exp(x);
    double sum = 0, slope = 0;
    for (std::size_t m = 0; m < count; ++m) {
      double const share = outside_[m] * f / (outside_[m] * f + inside_[m]);
      sum += share;
      slope += share * (1 - share);
    }
    if (std::abs(sum - wanted) < 1e-3) break;
    (sum > wanted ? high : low) = x;
    if (high - low < 1e-4) break;
    double const next = slope > 1e-12 ? x - (sum - wanted) / slope : low - 1;
    x = next > low && next < high ? next : (low + high) / 2;
  }
  if (std::abs(x) < 1e-3) return 0;
  double const f = std::exp(x);
  for (std::size_t m = 0; m < count; ++m) {
    auto const& member = members_[first_[k] + m];
    Word const* const local = member.local;
    double const scale = 1 / (outside_[m] * f + inside_[m]);
    double const in = scale / totals_[m], out = in * f;
    with_test(masks_.data(), local, words, member.test, [&](auto&& is_blocked) {
      for (std::size_t c = begin_[member.variable], stop = end_[member.variable]; c < stop; ++c)
        weights_[c] *= is_blocked(c) ? in : out;
    });
    drift_[member.variable] += std::abs(x);
    stale_ = stale_ || drift_[member.variable] > longest_drift;
  }
  prices_[k] = std::max(0.0, prices_[k] + x * temperature_);
  return std::abs(x);
}

double Smooth::sweep(Control& control) {
  double most = 0;
  for (std::size_t k = 0; k + 1 < first_.size() && !stale_ && !control.should_stop(); ++k)
    most = std::max(most, step(k));
  return most;
}

void Smooth::find_shares(Node const& node) {
  constexpr double least_share = 0.01;
  std::size_t const words = universe_.words;
  share_begin_.assign(universe_.n, 0);
  share_end_.assign(universe_.n, 0);
  shares_.clear();
  share_masks_.clear();
  gain_.assign(universe_.n, 0);
  local_.assign(words, 0);
  for (Index const i : node.variables) {
    double total = 0;
    for (std::size_t c = begin_[i]; c < end_[i]; ++c) total += weights_[c];
    share_begin_[i] = shares_.size();
    double kept = 0;
    for (std::size_t c = begin_[i]; c < end_[i]; ++c)
      if (weights_[c] >= least_share * total) {
        kept += weights_[c];
        shares_.push_back(weights_[c]);
        share_masks_.insert(share_masks_.end(), masks_.begin() + static_cast<std::ptrdiff_t>(c * words),
                            masks_.begin() + static_cast<std::ptrdiff_t>((c + 1) * words));
      }
    share_end_[i] = shares_.size();
    for (std::size_t c = share_begin_[i]; c < share_end_[i]; ++c) shares_[c] /= kept;
  }
}

double Smooth::outside(Node const& node, Index i, Set const& cluster, std::size_t need) {
  std::size_t const words = universe_.words;
  node.localise(cluster, i, local_.data());
  double out = 0;
  for (std::size_t c = share_begin_[i]; c < share_end_[i]; ++c)
    if (!meets(share_masks_.data() + c * words, local_.data(), words, need)) out += shares_[c];
  return out;
}

double Smooth::outside(Node const& node, Set const& cluster, std::size_t need) {
  double sum = 0;
  cluster.for_each([&](std::size_t v) { sum += outside(node, static_cast<Index>(v), cluster, need); });
  return sum;
}

std::vector<Set> Smooth::starts(Node const& node, std::size_t need) {
  std::vector<Set> found;
  if (need == 1) {
    for (Index const i : node.variables) {
      found.emplace_back(universe_.n);
      found.back().insert(i);
    }
    return found;
  }
  // With less than need + 1 members no rule is violated: begin with a variable and parents that it
  // takes together, all of them or any `need` of them. The least sums go on.
  std::size_t const words = universe_.words;
  std::vector<std::pair<double, Set>> triples;
  std::vector<Index> parents;
  auto const consider = [&](Set&& set) {
    double const sum = outside(node, set, need);
    triples.emplace_back(sum - static_cast<double>(need), std::move(set));
  };
  for (Index const i : node.variables)
    for (std::size_t c = share_begin_[i]; c < share_end_[i]; ++c) {
      if (shares_[c] < 0.05) continue;
      parents.clear();
      for (std::size_t w = 0; w < words; ++w)
        for (Word left = share_masks_[c * words + w]; left != 0; left &= left - 1)
          parents.push_back(universe_.variable(i, w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
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
  std::size_t const most = std::min(triples.size(), node.variables.size());
  std::partial_sort(triples.begin(), triples.begin() + static_cast<std::ptrdiff_t>(most), triples.end(),
                    [](auto const& a, auto const& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < most; ++k) found.push_back(std::move(triples[k].second));
  return found;
}

Set Smooth::grow(Node const& node, Set cluster, std::size_t need, double& best) {
  constexpr std::size_t most_members = 24;
  std::size_t const words = universe_.words;
  Set best_cluster = cluster;
  double sum = outside(node, cluster, need);
  best = sum;
  std::vector<Index> near;
  for (std::size_t size = cluster.size(); size < most_members; ++size) {
    // gain_[j]: the share of members' candidates that are blocked with j and not without.
    near.clear();
    cluster.for_each([&](std::size_t v) {
      auto const i = static_cast<Index>(v);
      node.localise(cluster, i, local_.data());
      for (std::size_t c = share_begin_[i]; c < share_end_[i]; ++c) {
        Word const* const m = share_masks_.data() + c * words;
        if (meets(m, local_.data(), words, need)) continue;
        if (need > 1 && !meets(m, local_.data(), words, need - 1)) continue;
        for (std::size_t w = 0; w < words; ++w)
          for (Word left = m[w] & ~local_[w]; left != 0; left &= left - 1) {
            Index const j = universe_.variable(i, w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
            if (gain_[j] == 0) near.push_back(j);
            gain_[j] += shares_[c];
          }
      }
    });
    double least = 0;
    std::optional<Index> next;
    for (Index const j : near) {
      double const change = outside(node, j, cluster, need) - gain_[j];
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

std::vector<Cluster> Smooth::violated(Node const& node, std::size_t most_need, Control& control) {
  constexpr double least = 0.05;  // a smaller violation is not worth a rule
  find_shares(node);
  std::vector<Cluster> found;
  RuleIndex const priced(node.clusters);
  for (std::size_t need = 1; need <= most_need; ++need)
    for (auto const& start : starts(node, need)) {
      if (control.should_stop()) return found;
      double sum = 0;
      Set cluster = grow(node, start, need, sum);
      if (sum > static_cast<double>(need) - least) continue;
      // Leave out members without which the violation is as large.
      for (bool changed = true; changed && cluster.size() > need + 1;) {
        changed = false;
        Set const members = cluster;
        members.for_each([&](std::size_t v) {
          if (changed) return;
          Set smaller = cluster;
          smaller.erase(v);
          double const without = outside(node, smaller, need);
          if (without > sum + 1e-6) return;
          sum = without;
          cluster = smaller;
          changed = true;
        });
      }
      Cluster rule{std::move(cluster), need, 0};
      bool known = false;
      for (auto const& other : found) known = known || other.same_rule(rule);
      if (!known && !priced.contains(rule)) found.push_back(std::move(rule));
    }
  if (most_need > 1) find_violated_fours(node, found, control);
  return found;
}

void Smooth::find_violated_fours(Node const& node, std::vector<Cluster>& found, Control& control) {
  constexpr double least = 0.05;
  std::size_t const words = universe_.words;
  // Who takes whom with a share that counts: both ways.
  std::vector<Set> near(universe_.n, Set(universe_.n));
  auto const parents_of = [&](Index i, std::size_t c, auto&& body) {
    for (std::size_t w = 0; w < words; ++w)
      for (Word left = share_masks_[c * words + w]; left != 0; left &= left - 1)
        body(universe_.variable(i, w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
  };
  for (Index const i : node.variables)
    for (std::size_t c = share_begin_[i]; c < share_end_[i]; ++c) {
      if (shares_[c] < least) continue;
      parents_of(i, c, [&](Index p) {
        near[i].insert(p);
        near[p].insert(i);
      });
    }
  // Of a rule of four at least two members have two parents inside to be blocked: begin with one.
  std::set<std::array<Index, 4>> sets;
  std::vector<Index> parents;
  for (Index const i : node.variables)
    for (std::size_t c = share_begin_[i]; c < share_end_[i]; ++c) {
      if (shares_[c] < least) continue;
      parents.clear();
      parents_of(i, c, [&](Index p) { parents.push_back(p); });
      for (std::size_t a = 0; a < parents.size(); ++a)
        for (std::size_t b = a + 1; b < parents.size(); ++b)
          for (Index const from : {i, parents[a], parents[b]})
            near[from].for_each([&](std::size_t v) {
              std::array<Index, 4> four{i, parents[a], parents[b], static_cast<Index>(v)};
              std::sort(four.begin(), four.end());
              if (std::adjacent_find(four.begin(), four.end()) == four.end()) sets.insert(four);
            });
    }
  RuleIndex const priced(node.clusters);
  std::vector<std::pair<double, Cluster>> violated;
  std::array<std::array<double, 8>, 4> mass;  // by member: shares by the others that are parents
  for (auto const& four : sets) {
    if (control.should_stop()) return;
    for (std::size_t k = 0; k < 4; ++k) {
      mass[k].fill(0);
      Index const i = four[k];
      std::array<std::size_t, 3> place{};
      std::size_t count = 0;
      for (std::size_t other = 0; other < 4; ++other)
        if (other != k) place[count++] = place_of(i, four[other]);
      for (std::size_t c = share_begin_[i]; c < share_end_[i]; ++c) {
        unsigned s = 0;
        for (unsigned other = 0; other < 3; ++other)
          if (place[other] != none && (share_masks_[c * words + place[other] / 64] >> place[other] % 64 & 1) != 0) s |= 1U << other;
        mass[k][s] += shares_[c];
      }
    }
    for (auto const& blocks : rules_of_four()) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k)
        for (unsigned s = 0; s < 8; ++s)
          if ((blocks[k] >> s & 1) == 0) sum += mass[k][s];
      if (sum > 2 - least) continue;
      Cluster rule{Set(universe_.n), 2, 0, blocks};
      for (Index const v : four) rule.members.insert(v);
      if (!priced.contains(rule)) violated.emplace_back(sum, std::move(rule));
    }
  }
  std::stable_sort(violated.begin(), violated.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
  if (violated.size() > node.variables.size()) violated.resize(node.variables.size());
  for (auto& entry : violated) found.push_back(std::move(entry.second));
}

std::size_t Smooth::place_of(Index i, Index parent) const {
  if (universe_.shared) return parent;
  auto const& own = universe_.members[i];
  auto const at = std::lower_bound(own.begin(), own.end(), parent);
  return at == own.end() || *at != parent ? none : static_cast<std::size_t>(at - own.begin());
}

std::vector<Split> Smooth::divided(Node const& node, std::size_t most) {
  find_shares(node);
  std::size_t const words = universe_.words;
  std::vector<std::pair<double, Split>> found;
  auto const consider = [&](double share, Index i, std::size_t need, auto&& cluster) {
    double const even = std::min(share, 1 - share);
    if (even > 0.02) found.emplace_back(even, Split{i, cluster(), need});
  };
  for (Index const i : node.variables) {
    std::vector<Index> near;
    for (std::size_t c = share_begin_[i]; c < share_end_[i]; ++c)
      for (std::size_t w = 0; w < words; ++w)
        for (Word left = share_masks_[c * words + w]; left != 0; left &= left - 1) {
          Index const j = universe_.variable(i, w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
          if (gain_[j] == 0) near.push_back(j);
          gain_[j] += shares_[c];
        }
    for (Index const j : near) {
      consider(gain_[j], i, std::size_t{1}, [&] {
        Set one(universe_.n);
        one.insert(j);
        return one;
      });
      gain_[j] = 0;
    }
  }
  for (auto const& cluster : node.clusters)
    if (cluster.price > 0 && cluster.plain())
      cluster.members.for_each([&](std::size_t v) {
        auto const i = static_cast<Index>(v);
        consider(outside(node, i, cluster.members, cluster.need), i, cluster.need, [&] { return cluster.members; });
      });
  most = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                    [](auto const& a, auto const& b) { return a.first > b.first; });
  std::vector<Split> splits;
  for (std::size_t k = 0; k < most; ++k) splits.push_back(std::move(found[k].second));
  return splits;
}

void Smooth::apply(Node& node) const {
  for (std::size_t k = 0; k < node.clusters.size(); ++k)
    node.reprice(k, static_cast<Fixed>(std::llround(prices_[k])) - node.clusters[k].price);
}

}  // namespace bayesloom::prices
