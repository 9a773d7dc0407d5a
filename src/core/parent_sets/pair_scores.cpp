#include "parent_sets/pair_scores.hpp"

#include <algorithm>
#include <limits>
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
    if (entry.score >= worst_) take(entry, keep);
  }
  std::vector<SingleParent>& entries() { return entries_; }

 private:
  void take(SingleParent const& entry, std::size_t keep) {
    if (entries_.size() < keep) {
      entries_.push_back(entry);
      if (entries_.size() < keep) return;
      std::make_heap(entries_.begin(), entries_.end(), better);
    } else if (better(entry, entries_.front())) {
      std::pop_heap(entries_.begin(), entries_.end(), better);
      entries_.back() = entry;
      std::push_heap(entries_.begin(), entries_.end(), better);
    }
    worst_ = entries_.front().score;
  }

  std::vector<SingleParent> entries_;
  Fixed worst_ = std::numeric_limits<Fixed>::min();  // of a full heap
};

class PairWorker {
 public:
  PairWorker(EncodedData const& data, BitPlanes const& planes, ScoreSpec const& spec,
             std::span<Variable const> order, std::size_t keep, Shard const& shard)
      : data_(data),
        planes_(planes),
        kernel_(bit_kernels().front()),
        entry_(find_score(spec)),
        counter_(make_counter(spec, data, planes)),
        keep_(keep),
        score(make_score(spec, data)),
        best(data.variable_count()) {
    singles_.resize(data.variable_count());
    for (std::size_t v = 0; v < singles_.size(); ++v) wanted_.push_back(shard.has(v));
    place_.resize(singles_.size());
    for (std::size_t k = 0; k < order.size(); ++k) place_[order[k]] = k;
    bool by_rows = false;
    for (std::size_t v = 0; v < singles_.size(); ++v)
      by_rows = by_rows || !in_planes(static_cast<Variable>(v));
    step_ = by_rows ? countings_between_looks(data, tile)
                    : std::clamp<std::size_t>(
                          tuning::words_between_looks / std::max<std::size_t>(1, planes.words()), 1,
                          tile * tile / 8);
    if (counter_.by_family()) return;
    count_states();
    for (std::size_t v = 0; v < singles_.size(); ++v)
      counter_.cells_with(static_cast<Variable>(v), singles_[v]);
    if (entry_.statistic != Statistic::cells) return;
    components_ = dynamic_cast<SetScore*>(score.get());
    if (components_ == nullptr) return;
    for (auto const& single : singles_)
      single_components_.push_back(components_->component(single));
  }

  /// Scores of every pair of a variable of `a` and a later one of `b`, as the parents of each other, for the children
  /// that are wanted.
  void score_tile(std::span<Variable const> a, std::span<Variable const> b, Control& control) {
    for (bool const asked : {true, false}) {
      own_.clear();
      others_.clear();
      for (Variable const i : a)
        if (wanted_[i] == asked) own_.push_back(i);
      for (Variable const j : b)
        if (asked || wanted_[j]) others_.push_back(j);
      std::size_t const wide = std::clamp<std::size_t>(others_.size(), 1, step_);
      std::size_t const high = std::max<std::size_t>(1, step_ / wide);
      for (std::size_t i = 0; i < own_.size(); i += high) {
        auto const later = std::ranges::upper_bound(others_, place_[own_[i]], {},
                                                    [&](Variable v) { return place_[v]; });
        for (auto j = static_cast<std::size_t>(later - others_.begin()); j < others_.size();
             j += wide) {
          std::span const rows(own_.data() + i, std::min(high, own_.size() - i));
          std::span const columns(others_.data() + j, std::min(wide, others_.size() - j));
          if (control.should_stop(score_block(rows, columns))) return;
        }
      }
    }
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
  std::size_t score_block(std::span<Variable const> rows, std::span<Variable const> columns) {
    count_table(rows, columns);
    std::size_t const width = planes_of_others_.size();
    std::uint32_t const* row = table_.data();
    std::size_t scored = 0;
    for (Variable const i : rows) {
      std::uint32_t const* cell = row;
      for (Variable const j : columns) {
        if (place_[i] < place_[j]) {
          score_pair(i, j, cell, width);
          ++scored;
        }
        if (in_planes(j)) cell += data_.cardinality(j) - 1;
      }
      if (in_planes(i)) row += width * (data_.cardinality(i) - 1);
    }
    return scored;
  }

  void score_pair(Variable i, Variable j, std::uint32_t const* cell, std::size_t width) {
    if (counter_.by_family()) {
      score_family(i, j);
      score_family(j, i);
      return;
    }
    read_pair(i, j, cell, width);
    if (components_ != nullptr && components_->by_components(pair_)) {
      Fixed const both = components_->component(pair_);
      if (wanted_[i]) offer(i, {j, both - single_components_[j]});
      if (wanted_[j]) offer(j, {i, both - single_components_[i]});
      return;
    }
    auto const r_i = data_.cardinality(i);
    auto const r_j = data_.cardinality(j);
    if (wanted_[i] && may_be_parent(entry_, data_, i, j))
      offer(i, {j, score->local_score(pair_, singles_[j], r_i)});
    if (wanted_[j] && may_be_parent(entry_, data_, j, i))
      offer(j, {i, score->local_score(pair_, singles_[i], r_j)});
  }

  void score_family(Variable child, Variable parent) {
    if (!wanted_[child] || !may_be_parent(entry_, data_, child, parent)) return;
    counter_.push(parent);
    counter_.family(child, none_, pair_);
    counter_.pop();
    offer(child, {parent, score->local_score(pair_, none_, data_.cardinality(child))});
  }

  void offer(Variable child, SingleParent const& entry) {
    if (is_score(entry.score)) best[child].offer(entry, keep_);
  }

  /// Counts of variable v by state; in `Cells` they stand in any order.
  std::uint32_t const* by_state(Variable v) const { return states_.data() + first_state_[v]; }

  void count_states() {
    first_state_.assign(1, 0);
    for (std::size_t v = 0; v < data_.variable_count(); ++v)
      first_state_.push_back(first_state_[v] + data_.cardinality(static_cast<Variable>(v)));
    states_.assign(first_state_.back(), 0);
    for (std::size_t v = 0; v < data_.variable_count(); ++v) {
      auto const variable = static_cast<Variable>(v);
      if (!in_planes(variable)) continue;
      for (std::uint32_t x = 0; x < data_.cardinality(variable); ++x)
        for (std::size_t b = 0; b < planes_.slice_count(); ++b) {
          auto const slice = planes_.slice(variable, x, b);
          kernel_.count_table(std::span(&slice.words, 1), std::span(&slice.words, 1), slice.count,
                              slice.shift, &states_[first_state_[v] + x]);
        }
    }
  }

  bool in_planes(Variable v) const { return !counter_.reads_moments() && planes_.has(v); }

  /// Counts of every state of each of the rows but its last with the same of each of the columns, of those that have
  /// planes; the last are what is left.
  void count_table(std::span<Variable const> rows, std::span<Variable const> columns) {
    planes_of_others_.clear();
    for (Variable const j : columns)
      if (in_planes(j))
        for (std::uint32_t y = 0; y + 1 < data_.cardinality(j); ++y)
          planes_of_others_.push_back(planes_.plane(j, y));
    for (std::size_t b = 0; b < planes_.slice_count(); ++b) {
      own_planes_.clear();
      BitPlanes::Slice slice{};
      for (Variable const i : rows)
        if (in_planes(i))
          for (std::uint32_t x = 0; x + 1 < data_.cardinality(i); ++x) {
            slice = planes_.slice(i, x, b);
            own_planes_.push_back(slice.words);
          }
      if (b == 0) table_.assign(own_planes_.size() * planes_of_others_.size(), 0);
      kernel_.count_table(own_planes_, planes_of_others_, slice.count, slice.shift, table_.data());
    }
  }

  /// Counts of a pair; from the table, if both have planes.
  void read_pair(Variable i, Variable j, std::uint32_t const* cell, std::size_t width) {
    if (!in_planes(i) || !in_planes(j)) {
      counter_.push(std::max(i, j));  // moments are read faster from above
      counter_.cells_with(std::min(i, j), pair_);
      counter_.pop();
      return;
    }
    std::size_t const r_i = data_.cardinality(i);
    std::size_t const r_j = data_.cardinality(j);
    std::uint32_t const* const of_i = by_state(i);
    std::uint32_t const* const of_j = by_state(j);
    pair_.ones = 0;
    pair_.states = static_cast<double>(r_i * r_j);
    pair_.variables = 2;
    pair_.counts.resize(r_i * r_j);
    std::uint32_t* const last_row = pair_.counts.data() + (r_i - 1) * r_j;
    std::copy_n(of_j, r_j, last_row);
    for (std::size_t x = 0; x + 1 < r_i; ++x) {
      std::uint32_t* const row = pair_.counts.data() + x * r_j;
      std::uint32_t const* const counted = cell + x * width;
      std::uint32_t left = of_i[x];
      for (std::size_t y = 0; y + 1 < r_j; ++y) {
        row[y] = counted[y];
        left -= row[y];
        last_row[y] -= row[y];
      }
      row[r_j - 1] = left;
      last_row[r_j - 1] -= left;
    }
  }

  EncodedData const& data_;
  BitPlanes const& planes_;
  BitKernel kernel_;
  ScoreEntry const& entry_;
  SetCounter counter_;
  std::vector<Cells> singles_;
  SetScore* components_ = nullptr;        // the score, where f of a set serves both directions
  std::vector<Fixed> single_components_;  // f({v})
  std::vector<std::size_t> first_state_;
  std::vector<std::uint32_t> states_;
  Cells pair_, none_;
  std::size_t keep_;
  std::vector<std::uint8_t> wanted_;  // whether a variable is a child of this shard
  std::vector<std::size_t> place_;    // in the order in which pairs are taken
  std::size_t step_ = 1;              // pairs between looks at the clock
  std::vector<Variable> own_, others_;
  std::vector<std::uint64_t const*> own_planes_, planes_of_others_;
  std::vector<std::uint32_t> table_;

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
  // Side by side with their like: loops over states are then as long one time as the next.
  std::ranges::stable_sort(useful, {}, [&](Variable v) { return data.cardinality(v); });

  threads = thread_count(threads);
  std::vector<std::unique_ptr<PairWorker>> workers(threads);
  workers[0] = std::make_unique<PairWorker>(data, planes, spec, useful, keep, shard);
  std::size_t const tiles = (useful.size() + tile - 1) / tile;
  // Round and round, so that every variable has met as many others if this is stopped.
  std::vector<std::pair<std::size_t, std::size_t>> tasks;
  for (std::size_t apart = 0; 2 * apart <= tiles; ++apart)
    for (std::size_t a = 0; a < (2 * apart == tiles && apart > 0 ? apart : tiles); ++a)
      tasks.emplace_back(std::min(a, (a + apart) % tiles), std::max(a, (a + apart) % tiles));
  parallel_for(threads, tasks.size(), control, [&](std::size_t task, std::size_t w) {
    if (!workers[w])
      workers[w] = std::make_unique<PairWorker>(data, planes, spec, useful, keep, shard);
    auto const [a, b] = tasks[task];
    std::span const order(useful);
    workers[w]->score_tile(order.subspan(a * tile, std::min(tile, order.size() - a * tile)),
                           order.subspan(b * tile, std::min(tile, order.size() - b * tile)),
                           control);
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
