#include "parent_sets/by_child.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "data/bit_planes.hpp"
#include "data/row_classes.hpp"
#include "parent_sets/child_search.hpp"
#include "parent_sets/exhaustive.hpp"
#include "parent_sets/regression_search.hpp"
#include "score/cell_bounds.hpp"

namespace bayesloom {

namespace {

/// By size, then by rank: the order of the enumeration by levels.
CandidateList in_order(CandidateList const& list) {
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    auto const x = list.set(a), y = list.set(b);
    if (x.size() != y.size()) return x.size() < y.size();
    return std::lexicographical_compare(x.rbegin(), x.rend(), y.rbegin(), y.rend());
  });
  CandidateList sorted;
  for (auto const i : order) sorted.add(list.scores[i], list.set(i));
  return sorted;
}

class ByChild {
 public:
  ByChild(EncodedData const& data, ScoreSpec const& spec, ExhaustiveOptions const& options,
          Control& control)
      : data_(data),
        spec_(spec),
        options_(options),
        control_(control),
        of_regressions_(searches_regressions(data, spec)),
        timer_(options.checkpoint) {
    for (std::size_t v = 0; v < data.variable_count(); ++v) {
      auto const variable = static_cast<Variable>(v);
      if (data.cardinality(variable) < 2) continue;
      useful_.push_back(variable);
      if (options.shard.has(variable)) children_.push_back(variable);
    }
    done_.assign(data.variable_count(), 0);
  }

  ExhaustiveResult run() {
    ExhaustiveOptions first = options_;
    // A checkpoint is of one of the two stages.
    bool const saved_by_child = was_saved();
    if (saved_by_child) first.checkpoint = {};
    first.most_scores =
        of_regressions_ ? tuning::most_regressions_by_level : tuning::most_scores_by_level;
    if (options_.by_child) first.max_parents = 0;  // asked for, from the first parent on
    result_ = Exhaustive(data_, spec_, first, control_).run();
    bool const all = result_.finished_size == options_.max_parents;
    if (control_.stopped() || result_.exhausted || all) return std::move(result_);
    // Sets of those sizes are scored again; each counts once.
    std::uint64_t const by_levels = result_.scored;
    result_.scored = data_.variable_count() - children_.size();
    if (saved_by_child) restore();

    std::vector<Variable> open;
    for (Variable const v : children_)
      if (!done_[v]) open.push_back(v);
    BitPlanes const planes(data_);
    parallel_for(
        thread_count(options_.threads), open.size(), control_, [&](std::size_t task, std::size_t) {
          Variable const child = open[task];
          ChildResult found =
              of_regressions_
                  ? search_regressions(data_, planes, spec_, options_, useful_, child, control_)
                  : search_child(data_, spec_, options_, useful_, child, control_);
          if (!control_.stopped()) take(child, found);
        });
    if (!cut_)  // else what the levels say of larger sets stands
      for (Variable const v : children_)
        if (done_[v]) result_.unscored[v] = nothing_left;
    if (control_.stopped()) {
      result_.scored += by_levels;
    } else {
      result_.finished_size = 0;
      for (auto const& list : result_.candidates)
        for (std::size_t i = 0; i < list.size(); ++i)
          result_.finished_size = std::max(result_.finished_size, list.set(i).size());
      if (cut_) result_.finished_size = *options_.max_parents;
      result_.exhausted = !cut_;
    }
    return std::move(result_);
  }

 private:
  void take(Variable child, ChildResult const& found) {
    std::lock_guard const lock(mutex_);
    result_.candidates[child] = in_order(found.kept);
    result_.scored += found.scored;
    result_.counted += found.scored;
    cut_ = cut_ || found.cut;
    done_[child] = 1;
    if (timer_.due()) {
      save();
      timer_.written();
    }
  }

  std::uint64_t fingerprint() const {
    return work_fingerprint(
        data_, spec_,
        {options_.margin, static_cast<double>(options_.max_parents.value_or(max_variables)),
         static_cast<double>(options_.shard.index), static_cast<double>(options_.shard.count),
         1.0 /* child by child */});
  }

  /// Whether there is a checkpoint to go on from that was written child by child.
  bool was_saved() const {
    if (!checkpoint_exists(options_.checkpoint)) return false;
    try {
      CheckpointReader const in(options_.checkpoint.path, fingerprint());
      return true;
    } catch (InputError const&) {
      return false;  // by levels, or to be refused there
    }
  }

  void save() const {
    CheckpointWriter out(options_.checkpoint.path, fingerprint());
    out.put(done_);
    out.put(static_cast<std::uint64_t>(cut_));
    out.put(result_.scored);
    out.put(result_.counted);
    for (auto const& list : result_.candidates) {
      out.put(list.scores);
      out.put(list.ends);
      out.put(list.parents);
    }
    out.commit();
  }

  void restore() {
    CheckpointReader in(options_.checkpoint.path, fingerprint());
    in.get(done_);
    cut_ = in.get() != 0;
    result_.scored = in.get();
    result_.counted = in.get();
    for (auto& list : result_.candidates) {
      in.get(list.scores);
      in.get(list.ends);
      in.get(list.parents);
    }
  }

  EncodedData const& data_;
  ScoreSpec const& spec_;
  ExhaustiveOptions const& options_;
  Control& control_;
  bool const of_regressions_;
  std::vector<Variable> useful_, children_;
  ExhaustiveResult result_;
  std::vector<std::uint8_t> done_;
  bool cut_ = false;
  std::mutex mutex_;
  CheckpointTimer timer_;
};

}  // namespace

bool by_child_pays(EncodedData const& data, ScoreSpec const& spec,
                   ExhaustiveOptions const& options) {
  // Levels are quicker for as many sets, and a limit on parents leaves few.
  if (searches_regressions(data, spec))
    return options.by_child.value_or(options.prune && !options.max_parents);
  auto const score = make_score(spec, data);
  if (!score->cell_bounds(2)) return false;
  std::size_t n = 0;
  for (auto const r : data.cardinalities()) n += r > 1;
  if (n < 2 || RowClasses::bytes(data, n) > tuning::most_class_bytes) return false;
  return options.by_child.value_or(options.prune);
}

ExhaustiveResult exhaustive_by_child(EncodedData const& data, ScoreSpec const& spec,
                                     ExhaustiveOptions const& options, Control& control) {
  return ByChild(data, spec, options, control).run();
}

}  // namespace bayesloom
