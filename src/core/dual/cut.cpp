#include "dual/cut.hpp"

#include <algorithm>

namespace bayesloom::dual {

unsigned CutRule::weight(Index variable, std::size_t candidate) const {
  auto const at =
      std::lower_bound(members.begin(), members.end(), variable,
                       [](Member const& member, Index i) { return member.variable < i; });
  return at == members.end() || at->variable != variable ? 0 : weight(*at, candidate);
}

bool CutRule::same_weights(CutRule const& other) const {
  return need == other.need && weights == other.weights &&
         std::equal(members.begin(), members.end(), other.members.begin(), other.members.end(),
                    [](Member const& a, Member const& b) { return a.variable == b.variable; });
}

std::uint64_t CutRule::hash() const {
  std::uint64_t hash = static_cast<std::uint64_t>(need);
  auto const add = [&](std::uint64_t x) {
    hash = (hash ^ x) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 29;
  };
  for (auto const& member : members) add(member.variable);
  for (auto const weight : weights) add(weight);
  return hash;
}

std::shared_ptr<CutRule const> make_cut(Problem const& whole, std::vector<Cluster> clusters,
                                        std::vector<std::shared_ptr<CutRule const>> cuts,
                                        std::vector<Index> halved, unsigned most_weight) {
  auto rule = std::make_shared<CutRule>();
  std::int64_t needs = static_cast<std::int64_t>(halved.size());
  // By candidate of the problem: the sum of weights. Variables that occur nowhere have none.
  WideVarSet used(whole.universe->n);
  for (auto const& cluster : clusters) {
    needs += static_cast<std::int64_t>(cluster.need);
    for (std::size_t const v : cluster.members) used.insert(v);
  }
  for (auto const& cut : cuts) {
    needs += cut->need;
    for (auto const& member : cut->members) used.insert(member.variable);
  }
  std::vector<std::size_t> begin(whole.universe->n, 0);
  std::size_t total = 0;
  for (std::size_t const i : used) {
    begin[i] = total;
    total += whole.end[i] - whole.begin[i];
  }
  std::vector<unsigned> sum(total, 0);
  for (auto const& cluster : clusters) {
    LocalInequality const& inequality = whole.local(cluster);
    for (auto const& member : inequality.members)
      with_test(whole.masks.data(), inequality.masks.data() + member.first, whole.universe->words,
                member.test, [&, i = member.variable](auto&& is_blocked) {
                  for (std::size_t c = whole.begin[i]; c < whole.end[i]; ++c)
                    sum[begin[i] + (c - whole.begin[i])] += is_blocked(c) ? 0U : 1U;
                });
  }
  for (auto const& cut : cuts)
    for (auto const& member : cut->members) {
      Index const i = member.variable;
      for (std::size_t c = whole.begin[i]; c < whole.end[i]; ++c)
        sum[begin[i] + (c - whole.begin[i])] += cut->weight(member, whole.origin[c]);
    }
  std::int64_t need = (needs + 1) / 2;
  for (std::size_t const v : used) {
    auto const i = static_cast<Index>(v);
    unsigned const f = std::binary_search(halved.begin(), halved.end(), i) ? 1 : 0;
    std::size_t const count = whole.end[i] - whole.begin[i];
    if (count == 0) return nullptr;
    auto const own = std::span(sum).subspan(begin[i], count);
    for (unsigned& u : own) u = (u + f + 1) / 2;
    auto const [least, most] = std::minmax_element(own.begin(), own.end());
    need -= *least;
    if (*least > 0) rule->taken.emplace_back(i, *least);
    if (*least == *most) continue;
    if (*most - *least > most_weight) return nullptr;
    std::size_t const from = whole.origin[whole.begin[i]];
    std::size_t const to = whole.origin[whole.end[i] - 1] + 1;
    rule->members.push_back({i, from, rule->weights.size(), *most - *least});
    std::size_t const first = rule->weights.size();
    rule->weights.resize(first + (to - from), 0);
    for (std::size_t k = 0; k < count; ++k)
      rule->weights[first + (whole.origin[whole.begin[i] + k] - from)] =
          static_cast<std::uint8_t>(own[k] - *least);
  }
  // Halved variables that occur in none of the inequalities have weight 1 throughout.
  for (Index const i : halved)
    if (!used.contains(i)) {
      --need;
      rule->taken.emplace_back(i, 1);
    }
  if (need <= 0 || rule->members.empty()) return nullptr;
  rule->need = need;
  rule->clusters = std::move(clusters);
  for (auto& cluster : rule->clusters) cluster.price = 0;
  rule->cuts = std::move(cuts);
  rule->halved = std::move(halved);
  return rule;
}

}  // namespace bayesloom::dual
