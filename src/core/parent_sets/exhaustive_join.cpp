// Step 1 of the exhaustive enumeration: which sets of the next size may matter, and to whom.
#include <algorithm>
#include <bit>
#include <limits>

#include "parent_sets/exhaustive.hpp"

namespace bayesloom {

Level Exhaustive::join(Level const& level) {
  check_universe(level.size + 1);
  std::vector<JoinTask> tasks;
  for (std::size_t b = level.size; b < n_; ++b) {
    std::size_t const below =
        level.size == 0 ? 1 : level.index.position(combinations_.choose(b, level.size));
    for (std::size_t begin = 0; begin < below; begin += tuning::sets_per_task)
      tasks.push_back(
          {static_cast<Variable>(b), begin, std::min(begin + tuning::sets_per_task, below)});
  }
  return in_parts(level.size + 1, tasks.size(), [&](std::size_t task, std::size_t, Level& part) {
    join_part(level, tasks[task], part);
  });
}

void Exhaustive::join_part(Level const& level, JoinTask const& task, Level& part) {
  std::size_t const m = level.size;
  std::vector<Variable> set(m + 1);
  std::vector<Addition> additions(m + 1);
  std::vector<FamilyBounds::Added> added(bounds_ ? m + 1 : 0);
  std::vector<std::uint64_t> alive(mask_words_);
  for (std::size_t x = task.begin; x < task.end; ++x) {
    if ((x - task.begin) % tuning::joined_between_looks == 0 && control_.should_stop(0)) return;
    std::copy_n(level.members.data() + x * m, m, set.begin());
    set[m] = task.largest;
    additions[m].subset = x;
    if (!find_subsets(level, set, additions, alive)) continue;

    double const states = states_of(set);
    bool const gains_known = options_.prune && find_gains(level, set, states, additions);
    if (gains_known)
      for (std::size_t k = 0; k < added.size(); ++k)
        added[k] = {useful_[set[k]], level.component[additions[k].subset], 0, additions[k].exact};
    bool any = false;
    for (auto& j : additions) j.before = level.first[j.subset];
    for (std::size_t w = 0; w < mask_words_; ++w) {
      for (auto& j : additions) j.word = level.mask(j.subset)[w];
      for (std::uint64_t left = alive[w]; left; left &= left - 1) {
        auto const bit = static_cast<std::size_t>(std::countr_zero(left));
        std::uint64_t const below = (std::uint64_t{1} << bit) - 1;
        Fixed best = std::numeric_limits<Fixed>::min();
        for (auto& j : additions) {
          j.place = j.before + static_cast<std::size_t>(std::popcount(j.word & below));
          best = std::max(best, level.best[j.place]);
        }
        if (!ruled_out(level, set, states, static_cast<Variable>(w * 64 + bit), additions, added,
                       gains_known, best)) {
          any = true;
          part.best.push_back(best);
        } else {
          alive[w] &= ~(std::uint64_t{1} << bit);
        }
      }
      for (auto& j : additions) j.before += static_cast<std::size_t>(std::popcount(j.word));
    }
    if (!any) continue;
    part.members.insert(part.members.end(), set.begin(), set.end());
    part.alive.insert(part.alive.end(), alive.begin(), alive.end());
    part.first.push_back(part.best.size());
  }
}

bool Exhaustive::ruled_out(Level const& level, std::span<Variable const> set, double states,
                           Variable child, std::span<Addition const> additions,
                           std::span<FamilyBounds::Added> added, bool gains_known,
                           Fixed best) const {
  if (!options_.prune) return false;
  Score const& rules = *workers_[0]->score;  // its bounds are pure functions
  std::uint32_t const r = cardinality(child);
  double const least = to_nats(best - margin_);
  Variable const i = useful_[child];
  double const bound =
      bounds_ ? bounds_->of_size(i, set.size()) : rules.bound(r, states, set.size(), fit_[child]);
  if (bound + tuning::bound_safety < least) return true;
  if (!gains_known) return false;
  if (bounds_) {
    for (std::size_t k = 0; k < added.size(); ++k) added[k].s_i = level.score[additions[k].place];
    return bounds_->gains_below(i, level.size, added, -options_.margin - tuning::bound_safety);
  }
  for (auto const& j : additions) {
    if (!is_score(j.exact)) continue;
    double const score = to_nats(level.score[j.place]);
    double const gain = rules.gain_bound(score, r, j.score, j.cardinality, j.states, level.size);
    if (gain + tuning::bound_safety < -options_.margin) return true;
  }
  return false;
}

bool Exhaustive::find_subsets(Level const& level, std::span<Variable const> set,
                              std::span<Addition> additions, std::span<std::uint64_t> alive) const {
  std::size_t const m = level.size;
  auto const intersect = [&](std::size_t x) {
    auto const mask = level.mask(x);
    std::uint64_t any = 0;
    for (std::size_t w = 0; w < mask_words_; ++w) any |= alive[w] &= mask[w];
    return any != 0;
  };
  std::fill(alive.begin(), alive.end(), ~std::uint64_t{0});
  alive[set[m] / 64] &= ~(std::uint64_t{1} << (set[m] % 64));
  if (!intersect(additions[m].subset)) return false;
  for (std::size_t j = 0; j < m; ++j) {
    std::uint64_t const rank = combinations_.rank_without(set, j);
    if (!level.index.contains(rank)) return false;
    additions[j].subset = level.index.position(rank);
    if (!intersect(additions[j].subset)) return false;
  }
  return true;
}

bool Exhaustive::find_gains(Level const& level, std::span<Variable const> set, double states,
                            std::span<Addition> additions) const {
  if (level.component.empty()) return false;
  std::uint64_t const rank = combinations_.rank(set);
  if (!counted_.index.contains(rank)) return false;
  Fixed const f = counted_.component[counted_.index.position(rank)];
  for (std::size_t j = 0; j < set.size(); ++j) {
    additions[j].cardinality = cardinality(set[j]);
    additions[j].states = states / additions[j].cardinality;
    additions[j].exact = is_score(f) ? f - level.component[additions[j].subset] : no_score;
    additions[j].score = to_nats(additions[j].exact);
  }
  return true;
}

}  // namespace bayesloom
