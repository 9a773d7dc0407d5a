#include "dual/tight_clusters.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

namespace bayesloom::dual {

WideVarSet TightClusters::unplaced(Problem const& problem, Fixed tolerance) {
  std::size_t const words = problem.universe->words;
  WideVarSet left(problem.universe->n);
  for (Index const i : problem.variables) left.insert(i);
  if (problem.universe->shared) {
    // Bits are variables: repeated passes over tight masks.
    Word open = left.words().empty() ? 0 : left.words()[0];
    for (bool changed = true; changed && open != 0;) {
      changed = false;
      for (Word rest = open; rest != 0; rest &= rest - 1) {
        auto const i = static_cast<Index>(std::countr_zero(rest));
        Fixed const least = problem.best[i] - tolerance;
        for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c)
          if ((problem.masks[c] & open) == 0 && problem.priced[c] >= least) {
            open &= ~(Word{1} << i);
            left.erase(i);
            changed = true;
            break;
          }
      }
    }
    return left;
  }
  local_.assign(problem.universe->n * words, 0);
  std::vector<Index> queue;
  auto const try_place = [&](Index i) {
    Fixed const least = problem.best[i] - tolerance;
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c)
      if (problem.priced[c] >= least && problem.within(c, local_.data() + i * words)) {
        left.erase(i);
        queue.push_back(i);
        return;
      }
  };
  for (Index const i : problem.variables) try_place(i);
  while (!queue.empty()) {
    Index const v = queue.back();
    queue.pop_back();
    for (auto const [child, bit] : problem.universe->children[v]) {
      if (!left.contains(child)) continue;
      local_[child * words + bit / 64] |= Word{1} << bit % 64;
      try_place(child);
    }
  }
  return left;
}

WideVarSet TightClusters::grow(Problem const& problem, WideVarSet const& pool, Index start,
                               Fixed tolerance) {
  std::size_t const words = problem.universe->words;
  WideVarSet cluster(problem.universe->n);
  cluster.insert(start);
  std::vector<Index> members{start};
  local_.resize(words);
  for (std::size_t at = 0; at < members.size(); ++at) {
    Index const i = members[at];
    Fixed const least = problem.best[i] - tolerance;
    problem.localise(cluster, i, local_.data());
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c) {
      if (problem.priced[c] < least || problem.touches(c, local_.data())) continue;
      // One of its parents in the pool, at random.
      std::size_t seen = 0, bit = 0;
      problem.for_each_bit(c, [&](std::size_t k) {
        if (pool.contains(problem.universe->variable(i, k)) && rng_.below(++seen) == 0) bit = k;
      });
      if (seen == 0) return WideVarSet(problem.universe->n);
      Index const parent = problem.universe->variable(i, bit);
      cluster.insert(parent);
      members.push_back(parent);
      local_[bit / 64] |= Word{1} << bit % 64;
    }
  }
  return minimise(problem, members, tolerance);
}

WideVarSet TightClusters::minimise(Problem const& problem, std::vector<Index> const& members,
                                   Fixed tolerance) {
  std::size_t const none = members.size();
  number_.assign(problem.universe->n, none);
  for (std::size_t m = 0; m < members.size(); ++m) number_[members[m]] = m;
  owner_.clear();
  touching_.clear();
  std::vector<std::pair<std::size_t, std::size_t>> held;  // member, candidate that holds it
  for (std::size_t m = 0; m < members.size(); ++m) {
    Index const i = members[m];
    Fixed const least = problem.best[i] - tolerance;
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c) {
      if (problem.priced[c] < least) continue;
      std::size_t const before = held.size();
      problem.for_each_bit(c, [&](std::size_t bit) {
        if (std::size_t const p = number_[problem.universe->variable(i, bit)]; p != none)
          held.emplace_back(p, owner_.size());
      });
      owner_.push_back(m);
      touching_.push_back(held.size() - before);
    }
  }
  first_.assign(members.size() + 1, 0);
  for (auto const& entry : held) ++first_[entry.first + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  holders_.resize(held.size());
  auto next = first_;
  for (auto const& [member, candidate] : held) holders_[next[member]++] = candidate;

  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng_.shuffle(std::span<std::size_t>(order));
  gone_.assign(members.size(), false);
  staying_ = members.size();
  for (std::size_t const x : order)
    if (!gone_[x] && staying_ > 2) leave_out(x);
  WideVarSet cluster(problem.universe->n);
  for (std::size_t m = 0; m < members.size(); ++m)
    if (!gone_[m]) cluster.insert(members[m]);
  return cluster;
}

void TightClusters::leave_out(std::size_t x) {
  leaving_.assign(1, x);
  changed_.clear();
  gone_[x] = true;
  for (std::size_t at = 0; at < leaving_.size() && leaving_.size() < staying_; ++at) {
    std::size_t const member = leaving_[at];
    for (std::size_t k = first_[member]; k < first_[member + 1]; ++k) {
      std::size_t const c = holders_[k];
      changed_.push_back(c);
      if (--touching_[c] > 0 || gone_[owner_[c]]) continue;
      gone_[owner_[c]] = true;
      leaving_.push_back(owner_[c]);
    }
  }
  if (leaving_.size() < staying_) {
    staying_ -= leaving_.size();
    return;
  }
  for (std::size_t const c : changed_) ++touching_[c];
  for (std::size_t const m : leaving_) gone_[m] = false;
}

}  // namespace bayesloom::dual
