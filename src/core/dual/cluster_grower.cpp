#include "dual/cluster_grower.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "dual/options.hpp"

namespace bayesloom::dual {

ClusterGrower::ClusterGrower(FractionalNetwork const& shares)
    : shares_(shares),
      problem_(shares.problem()),
      first_(problem_.universe->n + 1, 0),
      inside_(problem_.universe->n, false),
      touching_(shares.size(), 0),
      open_(problem_.universe->n, 1),
      gain_(problem_.universe->n, 0) {
  for (Index const i : problem_.variables)
    for (std::size_t c = shares.begin(i); c < shares.end(i); ++c)
      shares.for_each_parent(i, c, [&](Index p) { ++first_[p + 1]; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  holders_.resize(first_.back());
  auto next = first_;
  for (Index const i : problem_.variables)
    for (std::size_t c = shares.begin(i); c < shares.end(i); ++c)
      shares.for_each_parent(i, c, [&](Index p) { holders_[next[p]++] = {i, c}; });
}

template <typename Body>
void ClusterGrower::for_each_holder(Index x, Body&& body) const {
  for (std::size_t k = first_[x]; k < first_[x + 1]; ++k) body(holders_[k]);
}

void ClusterGrower::change_gain(Index i, std::size_t c, double sign) {
  shares_.for_each_parent(i, c, [&](Index p) {
    if (inside_[p]) return;
    if (gain_[p] == 0) near_.push_back(p);
    gain_[p] += sign * shares_.share(c);
  });
}

void ClusterGrower::add(Index x) {
  inside_[x] = true;
  gain_[x] = 0;
  members_.push_back(x);
  for_each_holder(x, [&](Holder const& holder) {
    auto const [i, c] = holder;
    std::size_t const now = ++touching_[c];
    if (now == need_) {
      open_[i] -= shares_.share(c);
      if (inside_[i]) sum_ -= shares_.share(c);
    }
    if (!inside_[i] || i == x) return;
    if (now == need_) change_gain(i, c, -1);
    if (now + 1 == need_) change_gain(i, c, 1);
  });
  sum_ += open_[x];
  for (std::size_t c = shares_.begin(x); c < shares_.end(x); ++c)
    if (touching_[c] + 1 == need_) change_gain(x, c, 1);
}

double ClusterGrower::change_without(Index x) const {
  double change = -open_[x];
  for_each_holder(x, [&](Holder const& holder) {
    if (inside_[holder.child] && touching_[holder.candidate] == need_)
      change += shares_.share(holder.candidate);
  });
  return change;
}

void ClusterGrower::remove(Index x) {
  inside_[x] = false;
  sum_ -= open_[x];
  for_each_holder(x, [&](Holder const& holder) {
    auto const [i, c] = holder;
    if (touching_[c]-- != need_) return;
    open_[i] += shares_.share(c);
    if (inside_[i]) sum_ += shares_.share(c);
  });
}

void ClusterGrower::clear() {
  for (Index const x : members_) {
    inside_[x] = false;
    for_each_holder(x, [&](Holder const& holder) {
      touching_[holder.candidate] = 0;
      open_[holder.child] = 1;
    });
  }
  for (Index const v : near_) gain_[v] = 0;
  members_.clear();
  near_.clear();
  sum_ = 0;
}

double ClusterGrower::grow(WideVarSet const& start, std::size_t need) {
  clear();
  need_ = need;
  for (std::size_t const v : start) add(static_cast<Index>(v));
  double least = sum_;
  std::size_t best = members_.size();
  while (sum_ <= least + fractions.most_above) {
    std::erase_if(near_, [&](Index j) { return inside_[j]; });
    std::optional<Index> next;
    for (Index const j : near_)
      if (gain_[j] > fractions.rounding &&
          (!next || open_[j] - gain_[j] < open_[*next] - gain_[*next]))
        next = j;
    if (!next) break;
    add(*next);
    if (sum_ < least - fractions.rounding) {
      least = sum_;
      best = members_.size();
    }
  }
  auto const joined = members_;
  clear();
  for (std::size_t k = 0; k < best; ++k) add(joined[k]);
  for (bool changed = true; changed && members_.size() > need + 1;) {
    changed = false;
    auto const tried = members_;
    for (Index const v : tried) {
      if (members_.size() <= need + 1 || change_without(v) > fractions.rounding) continue;
      remove(v);
      std::erase(members_, v);
      changed = true;
    }
  }
  return sum_;
}

WideVarSet ClusterGrower::cluster() const {
  WideVarSet out(problem_.universe->n);
  for (Index const v : members_) out.insert(v);
  return out;
}

}  // namespace bayesloom::dual
