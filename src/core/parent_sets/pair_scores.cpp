#include "parent_sets/pair_scores.hpp"

#include <algorithm>
#include <memory>

#include "base/parallel.hpp"
#include "data/set_counter.hpp"
#include "parent_sets/looks.hpp"

namespace bayesloom {

namespace {

using tuning::tile;

bool better(SingleParent const& a, SingleParent const& b) {
  return a.score != b.score ? a.score > b.score : a.parent < b.parent;
}

/// The best few parents seen so far; the worst of them on top of a heap once it is full.
class BestParents {
 public:
  void offer(SingleParent const& entry, std::size_t keep) {
    if (entries_.size() < keep) {
      entries_.push_back(entry);
      if (entries_.size() == keep) std::make_heap(entries_.begin(), entries_.end(), better);
    } else if (better(entry, entries_.front())) {
      std::pop_heap(entries_.begin(), entries_.end(), better);
      entries_.back() = entry;
      std::push_heap(entries_.begin(), entries_.end(), better);
    }
  }
  std::vector<SingleParent>& entries() { return entries_; }

 private:
  std::vector<SingleParent> entries_;
};

class PairWorker {
 public:
  PairWorker(EncodedData const& data, BitPlanes const& planes, ScoreSpec const& spec)
      : data_(data),
        planes_(planes),
        kernel_(bit_kernels().front()),
        entry_(find_score(spec)),
        counter_(make_counter(spec, data, planes)),
        score(make_score(spec, data)),
        best(data.variable_count()) {
    singles_.resize(data.variable_count());
    if (counter_.by_family()) return;
    for (std::size_t v = 0; v < singles_.size(); ++v)
      counter_.cells_with(static_cast<Variable>(v), singles_[v]);
    if (entry_.statistic != Statistic::cells) return;
    components_ = dynamic_cast<SetScore*>(score.get());
    if (components_ == nullptr) return;
    for (auto const& single : singles_)
      single_components_.push_back(components_->component(single));
  }

  /// Scores of j as the parent of i and of i as the parent of j, of the children that are wanted.
  void score_pair(Variable i, Variable j, std::size_t keep, Shard const& shard) {
    if (!shard.has(i) && !shard.has(j)) return;
    if (counter_.by_family()) {
      score_family(i, j, keep, shard);
      score_family(j, i, keep, shard);
      return;
    }
    count(i, j);
    if (components_ != nullptr && components_->by_components(pair_)) {
      Fixed const both = components_->component(pair_);
      if (shard.has(i)) offer(i, {j, both - single_components_[j]}, keep);
      if (shard.has(j)) offer(j, {i, both - single_components_[i]}, keep);
      return;
    }
    auto const r_i = data_.cardinality(i);
    auto const r_j = data_.cardinality(j);
    if (shard.has(i) && may_be_parent(entry_, data_, i, j))
      offer(i, {j, score->local_score(pair_, singles_[j], r_i)}, keep);
    if (shard.has(j) && may_be_parent(entry_, data_, j, i))
      offer(j, {i, score->local_score(pair_, singles_[i], r_j)}, keep);
  }

  Fixed empty_score(Variable i) {
    if (counter_.by_family()) {
      counter_.family(i, none_, pair_);
      return score->local_score(pair_, none_, data_.cardinality(i));
    }
    counter_.cells(none_);
    return score->local_score(singles_[i], none_, data_.cardinality(i));
  }

 private:
  void score_family(Variable child, Variable parent, std::size_t keep, Shard const& shard) {
    if (!shard.has(child) || !may_be_parent(entry_, data_, child, parent)) return;
    counter_.push(parent);
    counter_.family(child, none_, pair_);
    counter_.pop();
    offer(child, {parent, score->local_score(pair_, none_, data_.cardinality(child))}, keep);
  }

  void offer(Variable child, SingleParent entry, std::size_t keep) {
    if (is_score(entry.score)) best[child].offer(entry, keep);
  }

  /// The counts of variable v by state, as `count` needs them.
  std::span<std::uint32_t const> by_state(Variable v) {
    auto& counts = by_state_[v];
    if (counts.empty()) {
      counts.assign(data_.cardinality(v), 0);
      auto const weights = data_.weights();
      std::visit(
          [&](auto const& states) {
            for (std::size_t u = 0; u < states.size(); ++u) counts[states[u]] += weights[u];
          },
          data_.column(v));
    }
    return counts;
  }

  void count(Variable i, Variable j) {
    if (counter_.reads_moments() || !planes_.has(i) || !planes_.has(j)) {
      counter_.push(std::max(i, j));  // moments are read faster from above
      counter_.cells_with(std::min(i, j), pair_);
      counter_.pop();
      return;
    }
    if (by_state_.empty()) by_state_.resize(data_.variable_count());
    std::size_t const r_i = data_.cardinality(i);
    std::size_t const r_j = data_.cardinality(j);
    auto const of_i = by_state(i);
    auto const of_j = by_state(j);
    pair_.ones = 0;
    pair_.states = static_cast<double>(r_i * r_j);
    pair_.variables = 2;
    pair_.counts.assign(r_i * r_j, 0);
    std::uint32_t* const last_row = pair_.counts.data() + (r_i - 1) * r_j;
    std::copy(of_j.begin(), of_j.end(), last_row);
    for (std::size_t x = 0; x + 1 < r_i; ++x) {
      std::uint32_t* const row = pair_.counts.data() + x * r_j;
      std::uint32_t left = of_i[x];
      for (std::size_t y = 0; y + 1 < r_j; ++y) {
        row[y] = count_cell(i, x, j, y);
        left -= row[y];
        last_row[y] -= row[y];
      }
      row[r_j - 1] = left;
      last_row[r_j - 1] -= left;
    }
  }

  std::uint32_t count_cell(Variable i, std::size_t x, Variable j, std::size_t y) const {
    std::uint64_t const* const plane = planes_.plane(i, static_cast<std::uint32_t>(x));
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < planes_.slice_count(); ++b) {
      auto const slice = planes_.slice(j, static_cast<std::uint32_t>(y), b);
      sum += kernel_.count_both(plane, slice.words, slice.count) << slice.shift;
    }
    return static_cast<std::uint32_t>(sum);
  }

  EncodedData const& data_;
  BitPlanes const& planes_;
  BitKernel kernel_;
  ScoreEntry const& entry_;
  SetCounter counter_;
  std::vector<Cells> singles_;
  SetScore* components_ = nullptr;        // the score, where f of a set serves both directions
  std::vector<Fixed> single_components_;  // f({v})
  std::vector<std::vector<std::uint32_t>> by_state_;
  Cells pair_, none_;

 public:
  std::unique_ptr<Score> score;
  std::vector<BestParents> best;
};

}  // namespace

PairScores pair_scores(EncodedData const& data, BitPlanes const& planes, ScoreSpec const& spec,
                       std::size_t keep, std::size_t threads, Control& control,
                       Shard const& shard) {
  std::size_t const n = data.variable_count();
  std::vector<Variable> useful;
  for (std::size_t v = 0; v < n; ++v)
    if (data.cardinality(static_cast<Variable>(v)) > 1) useful.push_back(static_cast<Variable>(v));

  threads = thread_count(threads);
  std::vector<std::unique_ptr<PairWorker>> workers(threads);
  workers[0] = std::make_unique<PairWorker>(data, planes, spec);
  std::size_t const step = countings_between_looks(data, tile);
  std::size_t const tiles = (useful.size() + tile - 1) / tile;
  // Round and round, so that every variable has met as many others if this is stopped.
  std::vector<std::pair<std::size_t, std::size_t>> tasks;
  for (std::size_t apart = 0; 2 * apart <= tiles; ++apart)
    for (std::size_t a = 0; a < (2 * apart == tiles && apart > 0 ? apart : tiles); ++a)
      tasks.emplace_back(std::min(a, (a + apart) % tiles), std::max(a, (a + apart) % tiles));
  parallel_for(threads, tasks.size(), control, [&](std::size_t task, std::size_t w) {
    if (!workers[w]) workers[w] = std::make_unique<PairWorker>(data, planes, spec);
    auto const [a, b] = tasks[task];
    std::size_t const end_a = std::min(useful.size(), (a + 1) * tile);
    std::size_t const end_b = std::min(useful.size(), (b + 1) * tile);
    for (std::size_t i = a * tile; i < end_a; ++i) {
      std::size_t const from = std::max(i + 1, b * tile);
      for (std::size_t j = from; j < end_b; j += step) {
        std::size_t const to = std::min(end_b, j + step);
        for (std::size_t k = j; k < to; ++k)
          workers[w]->score_pair(useful[i], useful[k], keep, shard);
        if (control.should_stop(to - j)) return;
      }
    }
  });

  PairScores result;
  result.parents.resize(n);
  for (std::size_t v = 0; v < n; ++v)
    result.empty.push_back(workers[0]->empty_score(static_cast<Variable>(v)));
  // The best of all are among the best of each thread, whichever thread took which tile.
  for (auto const v : useful) {
    auto& list = result.parents[v];
    for (auto const& worker : workers)
      if (worker) {
        auto& part = worker->best[v].entries();
        list.insert(list.end(), part.begin(), part.end());
        part = {};
      }
    std::sort(list.begin(), list.end(), better);
    if (list.size() > keep) list.resize(keep);
  }
  return result;
}

}  // namespace bayesloom
