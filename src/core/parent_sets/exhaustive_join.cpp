// Step 1 of the exhaustive enumeration: which sets of the next size may matter, and to whom.
#include <algorithm>
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
  std::vector<std::uint64_t> alive(mask_words_);
  Score const& rules = *worker(0).score;  // its bounds are pure functions
  for (std::size_t x = task.begin; x < task.end; ++x) {
    if ((x - task.begin) % tuning::joined_between_looks == 0 && control_.should_stop(0)) return;
    std::copy_n(level.members.data() + x * m, m, set.begin());
    set[m] = task.largest;
    additions[m].subset = x;
    if (!find_subsets(level, set, additions, alive)) continue;

    double const states = states_of(set);
    bool const gains_known = options_.prune && find_gains(level, set, states, additions);
    bool any = false;
    for_each_bit(alive, [&](Variable child) {
      std::uint32_t const r = cardinality(child);
      Fixed best = std::numeric_limits<Fixed>::min();
      bool possible = true;
      for (auto const& j : additions) {
        std::size_t const at = level.place(j.subset, child);
        best = std::max(best, level.best[at]);
        if (gains_known && rules.gain_bound(to_nats(level.score[at]), r, j.score, j.cardinality,
                                            j.states, level.size) +
                                   tuning::bound_safety <
                               -options_.margin)
          possible = false;
      }
      if (options_.prune && rules.bound(r, states, set.size(), fit_[child]) + tuning::bound_safety <
                                to_nats(best - margin_))
        possible = false;
      if (possible) {
        any = true;
        part.best.push_back(best);
      } else {
        alive[child / 64] &= ~(std::uint64_t{1} << (child % 64));
      }
    });
    if (!any) continue;
    part.members.insert(part.members.end(), set.begin(), set.end());
    part.alive.insert(part.alive.end(), alive.begin(), alive.end());
    part.first.push_back(part.best.size());
  }
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
    additions[j].score = to_nats(f - level.component[additions[j].subset]);
  }
  return true;
}

}  // namespace bayesloom
