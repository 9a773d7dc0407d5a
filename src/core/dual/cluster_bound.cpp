#include "dual/cluster_bound.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace bayesloom::dual {

ClusterBound::ClusterBound(MemberLists const& lists, std::size_t rounds, Control& control)
    : lists_(lists), reduced_(lists.size()), least_(lists.size()), tight_(lists.size()) {
  for (std::size_t x = 0; x < lists.size(); ++x) {
    for (auto const& candidate : lists[x]) reduced_[x].push_back(candidate.loss);
    least_[x] = lists[x].front().loss;
    find_tight(x);
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    if (control.stopped() || control.should_stop(0)) break;
    VarSet const cluster = stuck_cluster();
    if (cluster.empty()) break;
    raise(cluster);
  }
  limit_clusters();
  prepare();
  root_ = 0;
  for (auto const& cluster : clusters_) root_ += cluster.price;
  for (auto const least : least_) root_ += least;
}

void ClusterBound::find_tight(std::size_t x) {
  tight_[x].clear();
  for (std::size_t c = 0; c < lists_[x].size(); ++c)
    if (reduced_[x][c] == least_[x]) tight_[x].push_back(lists_[x][c].parents);
}

/// Members that no tight candidate places, however often one looks, if `available` are placed.
VarSet ClusterBound::unplaced(VarSet available) const {
  std::size_t const n = lists_.size();
  VarSet const all = VarSet::first(n);
  VarSet placed = available;
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t const x : all - placed) {
      if (std::any_of(tight_[x].begin(), tight_[x].end(),
                      [&](VarSet parents) { return placed.contains_all(parents); })) {
        placed.insert(x);
        grew = true;
      }
    }
  }
  return all - placed;
}

/// A cluster that can be raised, shrunk member by member; 0 if there is none.
VarSet ClusterBound::stuck_cluster() const {
  VarSet cluster = unplaced({});
  for (std::size_t const x : cluster) {
    if (!cluster.contains(x)) continue;
    VarSet const smaller = unplaced(VarSet::full() - cluster.without(x));
    if (!smaller.empty()) cluster = smaller;
  }
  return cluster;
}

void ClusterBound::raise(VarSet cluster) {
  Fixed step = subsets::no_candidate;
  for (std::size_t const x : cluster) {
    for (std::size_t c = 0; c < lists_[x].size(); ++c)
      if (!lists_[x][c].parents.meets(cluster))
        step = std::min(step, reduced_[x][c] - least_[x]);
  }
  for (std::size_t const x : cluster) {
    for (std::size_t c = 0; c < lists_[x].size(); ++c)
      if (!lists_[x][c].parents.meets(cluster)) reduced_[x][c] -= step;
    find_tight(x);
  }
  auto const known = std::find_if(clusters_.begin(), clusters_.end(),
                                  [&](auto const& c) { return c.members == cluster; });
  if (known != clusters_.end()) {
    known->price += step;
  } else {
    clusters_.push_back({cluster, step});
  }
}

/// Gives up the cheapest clusters until no member is in more than the evaluator has room for.
void ClusterBound::limit_clusters() {
  std::stable_sort(clusters_.begin(), clusters_.end(),
                   [](auto const& a, auto const& b) { return a.price > b.price; });
  std::vector<std::size_t> count(lists_.size(), 0);
  std::vector<Cluster> kept;
  for (auto const& cluster : clusters_) {
    bool room = cluster.price > 0;
    for (std::size_t const x : cluster.members) room = room && count[x] < max_clusters_each;
    if (room) {
      kept.push_back(cluster);
      for (std::size_t const x : cluster.members) ++count[x];
      continue;
    }
    for (std::size_t const x : cluster.members) {
      for (std::size_t c = 0; c < lists_[x].size(); ++c)
        if (!lists_[x][c].parents.meets(cluster.members)) reduced_[x][c] += cluster.price;
      least_[x] = *std::min_element(reduced_[x].begin(), reduced_[x].end());
    }
  }
  clusters_ = std::move(kept);
}

void ClusterBound::prepare() {
  prepared_.resize(lists_.size());
  for (std::size_t x = 0; x < lists_.size(); ++x) {
    auto& p = prepared_[x];
    for (auto const& cluster : clusters_) {
      if (!cluster.members.contains(x)) continue;
      std::size_t const number = p.clusters.size();
      if (cluster.members.lowest() == x)
        p.lowest[number / 64] |= std::uint64_t{1} << number % 64;
      p.clusters.push_back(cluster.members);
      p.prices.push_back(cluster.price);
    }
    std::vector<std::size_t> order(lists_[x].size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return reduced_[x][a] < reduced_[x][b];
    });
    for (auto const c : order) {
      Bits bits{};
      for (std::size_t k = 0; k < p.clusters.size(); ++k)
        if (!p.clusters[k].meets(lists_[x][c].parents)) bits[k / 64] |= std::uint64_t{1} << k % 64;
      p.disjoint.push_back(bits);
      p.loss.push_back(lists_[x][c].loss);
      p.floor.push_back(reduced_[x][c]);
    }
  }
}

Fixed ClusterBound::value(Prepared const& p, Bits const& active) const {
  auto const price_of = [&](Bits const& set) {
    Fixed sum = 0;
    for (std::size_t w = 0; w < words; ++w)
      for (std::uint64_t left = set[w] & active[w]; left != 0; left &= left - 1)
        sum += p.prices[64 * w + static_cast<std::size_t>(std::countr_zero(left))];
    return sum;
  };
  Fixed least = subsets::no_candidate;
  for (std::size_t c = 0; c < p.loss.size() && p.floor[c] < least; ++c)
    least = std::min(least, p.loss[c] - price_of(p.disjoint[c]));
  return least + price_of(p.lowest);
}

ClusterBound::Evaluator::Evaluator(ClusterBound const& bound)
    : bound_(bound), memory_(bound.prepared_.size(), std::vector<Entry>(slots)) {}

Fixed ClusterBound::Evaluator::operator()(VarSet remaining) {
  Fixed sum = 0;
  for (std::size_t const x : remaining) {
    auto const& p = bound_.prepared_[x];
    Bits active{};
    for (std::size_t k = 0; k < p.clusters.size(); ++k)
      active[k / 64] |= std::uint64_t{remaining.contains_all(p.clusters[k])} << k % 64;
    std::uint64_t hash = 0;
    for (auto const word : active) hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    Entry& entry = memory_[x][hash >> 52];
    if (!entry.filled || entry.active != active) entry = {active, bound_.value(p, active), true};
    sum += entry.value;
  }
  return sum;
}

}  // namespace bayesloom::dual
