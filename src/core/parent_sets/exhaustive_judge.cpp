// Steps 2 and 3 of the exhaustive enumeration: count the families asked for, then keep or drop.
#include <algorithm>
#include <optional>

#include "parent_sets/exhaustive.hpp"
#include "parent_sets/looks.hpp"

namespace bayesloom {

Counted Exhaustive::count(Level const& joined) {
  std::size_t const size = joined.size + 1;
  check_universe(size);
  Counted families;
  families.index = RankSet(combinations_.choose(n_, size));
  std::size_t const parts = (joined.sets() + tuning::sets_per_task - 1) / tuning::sets_per_task;
  parallel_for(threads_, parts, control_, [&](std::size_t task, std::size_t) {
    std::size_t const end = std::min(joined.sets(), (task + 1) * tuning::sets_per_task);
    for (std::size_t x = task * tuning::sets_per_task; x < end; ++x) {
      Combinations::With with(combinations_, joined.set(x));
      for_each_bit(joined.mask(x),
                   [&](Variable child) { families.index.insert(with.rank(child)); });
    }
  });
  families.index.freeze();
  check_memory(
      families.index.bytes() + families.index.size() * (sizeof(Fixed) + sizeof(std::uint32_t)),
      joined.size);
  families.component.resize(families.index.size());
  families.seen.resize(families.index.size());
  result_.counted += families.index.size();
  std::size_t const tasks =
      (families.index.word_count() + tuning::words_per_task - 1) / tuning::words_per_task;
  parallel_for(threads_, tasks, control_, [&](std::size_t task, std::size_t w) {
    count_part(worker(w), size, task * tuning::words_per_task, families);
  });
  return families;
}

void Exhaustive::count_part(Worker& tools, std::size_t size, std::size_t begin, Counted& families) {
  std::size_t const end = std::min(families.index.word_count(), begin + tuning::words_per_task);
  std::size_t at = families.index.position(begin * 64);
  tools.expect_leaves_at(size - 1);
  std::vector<Variable> set(size);
  std::optional<std::uint64_t> previous;
  std::size_t const step = countings_between_looks(data_, tuning::counted_between_looks);
  for (std::size_t w = begin; w < end; ++w) {
    for (std::uint64_t word = families.index.word(w); word; word &= word - 1, ++at) {
      std::uint64_t const rank = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
      if (previous && rank == *previous + 1)
        Combinations::advance(set);
      else
        combinations_.unrank(rank, n_, set);
      previous = rank;
      if (at % step == 0 && control_.should_stop(step)) return;
      tools.go_to(std::span(set).subspan(1));
      tools.cells_with(set.front(), tools.family);
      families.component[at] = tools.set_score->component(tools.family);
      families.seen[at] = static_cast<std::uint32_t>(tools.family.seen());
    }
  }
}

Level Exhaustive::judge(Level const& joined, Counted const& families) {
  std::size_t const tasks = (joined.sets() + tuning::sets_per_task - 1) / tuning::sets_per_task;
  std::vector<Kept> kept(tasks);
  Level judged = in_parts(joined.size, tasks, [&](std::size_t task, std::size_t w, Level& part) {
    Kept found;
    judge_part(joined, families, task * tuning::sets_per_task, worker(w), part, found);
    kept[task] = std::move(found);
  });
  if (control_.stopped()) return judged;
  for (auto const& part : kept)
    for (std::size_t k = 0; k < part.children.size(); ++k)
      keep(part.children[k], part.scores[k], joined.set(part.sets[k]));
  result_.scored += joined.best.size();
  return judged;
}

void Exhaustive::keep(Variable child, Fixed score, std::span<Variable const> set) {
  renumbered_.clear();
  for (auto const v : set) renumbered_.push_back(useful_[v]);
  result_.candidates[useful_[child]].add(score, renumbered_);
  kept_bytes_ += sizeof(Fixed) + sizeof(std::size_t) + set.size() * sizeof(Variable);
}

void Exhaustive::judge_part(Level const& joined, Counted const& families, std::size_t begin,
                            Worker& tools, Level& part, Kept& kept) {
  std::size_t const end = std::min(joined.sets(), begin + tuning::sets_per_task);
  std::vector<std::uint64_t> alive(mask_words_);
  ScoreEntry const& entry = find_score(spec_);
  bool const often = countings_between_looks(data_, n_) < n_;
  part.best.reserve(joined.first[end] - joined.first[begin]);
  part.score.reserve(joined.first[end] - joined.first[begin]);
  for (std::size_t x = begin; x < end; ++x) {
    auto const set = joined.set(x);
    double const states = states_of(set);
    Fixed const f = tools.set_score ? component(tools, set) : prepare_parents(tools, set);
    if (control_.should_stop(joined.first[x + 1] - joined.first[x])) return;

    std::copy_n(joined.mask(x).begin(), mask_words_, alive.begin());
    Combinations::With with(combinations_, set);
    std::size_t at = joined.first[x];
    bool any = false;
    for_each_bit(joined.mask(x), [&](Variable child) {
      std::uint32_t const r = cardinality(child);
      Fixed score = 0;
      std::size_t seen = 0;
      if (tools.set_score) {
        std::size_t const t = families.index.position(with.rank(child));
        Fixed const both = families.component[t];
        score = is_score(both) && is_score(f) ? both - f : no_score;
        seen = families.seen[t];
        if (set.size() == 1 && !may_be_parent(entry, data_, useful_[child], useful_[set.front()]))
          score = no_score;
      } else {
        if (often && control_.should_stop(0)) return;  // what was judged is not kept then
        if (tools.by_family())
          tools.read_family(child);
        else
          tools.cells_with(child, tools.family);
        score = tools.score->local_score(tools.family, tools.parents, r);
        seen = tools.family.seen();
        // As above: the rules of kinds are about pairs.
        if (set.size() == 1 && !may_be_parent(entry, data_, useful_[child], useful_[set.front()]))
          score = no_score;
      }
      Fixed const best_subset = joined.best[at++];
      if (!is_score(score) && (tools.set_score || !tools.score->may_grow(tools.family))) {
        alive[child / 64] &= ~(std::uint64_t{1} << (child % 64));  // nor has any that contains it
        return;
      }
      if (is_score(score) && score >= best_subset - margin_) {
        kept.children.push_back(child);
        kept.scores.push_back(score);
        kept.sets.push_back(x);
      }
      Fixed const best = std::max(best_subset, score);
      double const bound = bound_above(*tools.score, set, states, child, seen, f, score);
      if (options_.prune && bound + tuning::bound_safety < to_nats(best - margin_)) {
        alive[child / 64] &= ~(std::uint64_t{1} << (child % 64));
      } else {
        any = true;
        tools.beyond[child] = std::max(tools.beyond[child], bound);
        part.best.push_back(best);
        part.score.push_back(score);
      }
    });
    if (!any) continue;
    part.members.insert(part.members.end(), set.begin(), set.end());
    part.alive.insert(part.alive.end(), alive.begin(), alive.end());
    part.first.push_back(part.best.size());
    if (tools.set_score) part.component.push_back(f);
  }
}

double Exhaustive::bound_above(Score const& score, std::span<Variable const> set, double states,
                               Variable child, std::size_t seen, Fixed f, Fixed s) const {
  if (bounds_) return bounds_->of_supersets(useful_[child], set.size(), f, s);
  std::uint32_t const r = cardinality(child);
  return std::min(score.bound(r, states * least_cardinality_, set.size() + 1, fit_[child]),
                  score.bound_counted(r, seen, fit_[child]));
}

Fixed Exhaustive::component(Worker& tools, std::span<Variable const> set) const {
  std::uint64_t const rank = combinations_.rank(set);
  if (counted_.index.contains(rank)) return counted_.component[counted_.index.position(rank)];
  tools.go_to(set.subspan(1));
  tools.cells_with(set.front(), tools.parents);
  return tools.set_score->component(tools.parents);
}

Fixed Exhaustive::prepare_parents(Worker& tools, std::span<Variable const> set) const {
  tools.go_to(set);
  tools.cells(tools.parents);
  return 0;
}

}  // namespace bayesloom
