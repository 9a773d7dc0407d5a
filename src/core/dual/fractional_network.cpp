#include "dual/fractional_network.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dual/options.hpp"

namespace bayesloom::dual {

FractionalNetwork::FractionalNetwork(Problem const& problem)
    : problem_(problem),
      universe_(*problem.universe),
      begin_(universe_.n, 0),
      end_(universe_.n, 0),
      local_(universe_.words) {}

void FractionalNetwork::add(Index i, std::span<double const> weights, Word const* masks,
                            double least_share, std::size_t const* origin) {
  double const total = std::accumulate(weights.begin(), weights.end(), 0.0);
  begin_[i] = shares_.size();
  double kept = 0;
  for (std::size_t c = 0; c < weights.size(); ++c)
    if (weights[c] >= least_share * total) {
      kept += weights[c];
      shares_.push_back(weights[c]);
      masks_.insert(masks_.end(), masks + c * universe_.words, masks + (c + 1) * universe_.words);
      if (origin != nullptr) origin_.push_back(origin[c]);
    }
  end_[i] = shares_.size();
  for (std::size_t c = begin_[i]; c < end_[i]; ++c) shares_[c] /= kept;
}

double FractionalNetwork::outside(Index i, WideVarSet const& cluster, std::size_t need) const {
  problem_.localise(cluster, i, local_.data());
  double out = 0;
  for (std::size_t c = begin_[i]; c < end_[i]; ++c)
    if (!meets(mask(c), local_.data(), universe_.words, need)) out += shares_[c];
  return out;
}

double FractionalNetwork::outside(WideVarSet const& cluster, std::size_t need) const {
  double sum = 0;
  for (std::size_t const v : cluster) sum += outside(static_cast<Index>(v), cluster, need);
  return sum;
}

std::size_t FractionalNetwork::place_of(Index i, Index parent) const {
  if (universe_.shared) return parent;
  auto const& own = universe_.members[i];
  auto const at = std::lower_bound(own.begin(), own.end(), parent);
  return at == own.end() || *at != parent ? none : static_cast<std::size_t>(at - own.begin());
}

std::vector<Split> FractionalNetwork::divided(std::size_t most) const {
  std::vector<std::pair<double, Split>> found;
  auto const consider = [&](double share, Index i, std::size_t need, auto&& cluster) {
    double const even = std::min(share, 1 - share);
    if (even > fractions.least_even) found.emplace_back(even, Split{i, cluster(), need});
  };
  std::vector<double> taken(universe_.n, 0);
  std::vector<Index> near;
  for (Index const i : problem_.variables) {
    near.clear();
    for (std::size_t c = begin_[i]; c < end_[i]; ++c)
      for_each_parent(i, c, [&](Index j) {
        if (taken[j] == 0) near.push_back(j);
        taken[j] += shares_[c];
      });
    for (Index const j : near) {
      consider(taken[j], i, std::size_t{1}, [&] {
        WideVarSet one(universe_.n);
        one.insert(j);
        return one;
      });
      taken[j] = 0;
    }
  }
  for (auto const& cluster : problem_.clusters)
    if (cluster.price > 0 && cluster.plain())
      for (std::size_t const v : cluster.members) {
        auto const i = static_cast<Index>(v);
        consider(outside(i, cluster.members, cluster.need), i, cluster.need,
                 [&] { return cluster.members; });
      }
  most = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                    [](auto const& a, auto const& b) { return a.first > b.first; });
  std::vector<Split> splits;
  for (std::size_t k = 0; k < most; ++k) splits.push_back(std::move(found[k].second));
  return splits;
}

}  // namespace bayesloom::dual
