// The run of the exhaustive enumeration: level 0, step after step, checkpoints. See exhaustive.hpp.
#include "parent_sets/exhaustive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "parent_sets/by_child.hpp"
#include "score/log_likelihood.hpp"

namespace bayesloom {

namespace {

std::vector<Variable> useful_variables(EncodedData const& data) {
  std::vector<Variable> useful;
  for (std::size_t v = 0; v < data.variable_count(); ++v)
    if (data.cardinality(static_cast<Variable>(v)) > 1) useful.push_back(static_cast<Variable>(v));
  return useful;
}

/// Whether to merge rows while counting: the classes must not take a notable share of the memory.
bool classes_fit(EncodedData const& data, std::size_t n, double memory_bytes) {
  double const bytes = RowClasses::bytes(data, n);
  return bytes <= tuning::most_class_bytes &&
         (memory_bytes <= 0 || tuning::class_part * bytes <= memory_bytes);
}

}  // namespace

Exhaustive::Exhaustive(EncodedData const& data, ScoreSpec const& spec,
                       ExhaustiveOptions const& options, Control& control)
    : data_(data),
      planes_(data),
      spec_(spec),
      options_(options),
      control_(control),
      useful_(useful_variables(data)),
      n_(useful_.size()),
      mask_words_((n_ + 63) / 64),
      threads_(thread_count(options.threads)),
      margin_(static_cast<Fixed>(std::ceil(options.margin * fixed_units_per_nat))),
      combinations_(n_, std::min(n_, options.max_parents.value_or(n_) + 1)),
      classes_(find_score(spec).set_function && find_score(spec).statistic == Statistic::cells &&
                       data.part_count() == 0 && classes_fit(data, n_, options.memory_bytes)
                   ? std::make_unique<RowClasses const>(data, useful_)
                   : nullptr),
      workers_(threads_) {
  result_.candidates.resize(data.variable_count());
  result_.unscored.assign(data.variable_count(), nothing_left);
  result_.fits.assign(data.variable_count(), 0.0);
  for (std::size_t v = 0; v < n_; ++v)
    least_cardinality_ = std::min(least_cardinality_, cardinality(v));
}

ExhaustiveResult Exhaustive::run() {
  find_fits();
  Level level = empty_sets();
  auto const& saved = options_.checkpoint;
  if (checkpoint_exists(saved)) level = restore(saved.path);
  CheckpointTimer timer(saved);
  std::size_t const largest = n_ > 0 ? n_ - 1 : 0;  // of all parent sets there are
  std::size_t const limit = std::min(largest, options_.max_parents.value_or(largest));
  while (level.sets() > 0 && level.size < limit && !control_.stopped()) {
    Level following = next(level);
    if (control_.stopped() || too_large_) break;
    level = std::move(following);
    result_.finished_size = level.size;
    if (timer.due()) {
      save(saved.path, level);
      timer.written();
    }
  }
  result_.exhausted =
      (level.sets() == 0 || level.size == largest) && !control_.stopped() && !too_large_;
  if (result_.exhausted) result_.unscored.assign(data_.variable_count(), nothing_left);
  return std::move(result_);
}

/// fit_[i] = log-likelihood of i given all other variables; 0, which is never too low, where
/// computing it would cost more than it saves.
void Exhaustive::find_fits() {
  fit_.assign(n_, 0.0);
  bool const families = find_score(spec_).statistic == Statistic::families;
  if (families && data_.continuous_count() > 0) {
    for (std::size_t i = 0; i < n_; ++i)
      fit_[i] = most_possible(find_score(spec_), data_, useful_[i]);
    return;
  }
  if (!families && find_score(spec_).statistic != Statistic::cells) {
    fit_.assign(n_, std::numeric_limits<double>::infinity());
    if (options_.prune) bounds_ = make_bounds(spec_, data_);
    return;
  }
  if (n_ > tuning::fits_up_to) return;
  LogLikelihood const log_likelihood(data_.row_count());
  Worker tools(data_, planes_, nullptr, useful_, spec_);  // children in any order
  std::vector<Variable> others;
  for (std::size_t i = 0; i < n_; ++i) {
    if (control_.should_stop(0)) return;
    others.clear();
    for (std::size_t v = 0; v < n_; ++v)
      if (v != i) others.push_back(static_cast<Variable>(v));
    tools.go_to(others);
    tools.read_family(i);
    if (!families) {
      fit_[i] = to_nats(log_likelihood(tools.family.counts, tools.parents.counts));
      continue;
    }
    double const fit = to_nats(log_likelihood(tools.family.counts, tools.family.given));
    tools.go_to({});
    tools.read_family(i);
    // Averaged over as many rows as any set of parents leaves: see pnal.cpp.
    double const rows = std::max(1.0, static_cast<double>(tools.family.rows));
    fit_[i] = std::min(0.0, fit) * data_.part(data_.part_of(useful_[i])).row_count() / rows;
  }
}

Level Exhaustive::empty_sets() {
  for (auto& list : result_.candidates) list.add(0, {});  // what variables of one state score
  Level level(0, mask_words_);
  level.alive.assign(mask_words_, 0);
  Worker& tools = worker(0);
  tools.go_to({});
  tools.cells(tools.parents);
  for (std::size_t i = 0; i < n_; ++i) {
    if (tools.by_family())
      tools.read_family(i);
    else
      tools.cells_with(i, tools.family);
    Fixed const score = tools.score->local_score(tools.family, tools.parents, cardinality(i));
    result_.candidates[useful_[i]].scores.front() = score;
    result_.fits[useful_[i]] = fit_[i];
    result_.unscored[useful_[i]] =
        tools.score->bound(cardinality(i), least_cardinality_, 1, fit_[i]);
    if (options_.shard.has(useful_[i])) {
      level.alive[i / 64] |= std::uint64_t{1} << (i % 64);
      level.score.push_back(score);
    }
    if (tools.set_score) {
      counted_.component.push_back(tools.set_score->component(tools.family));
      counted_.seen.push_back(static_cast<std::uint32_t>(tools.family.seen()));
    }
  }
  level.best = level.score;
  level.first.push_back(level.score.size());
  level.build_index(combinations_, n_);
  result_.scored += data_.variable_count();
  if (tools.set_score) {
    level.component = {tools.set_score->component(tools.parents)};
    counted_.index = RankSet(n_);
    for (std::size_t i = 0; i < n_; ++i) counted_.index.insert(i);
    counted_.index.freeze();
  }
  return level;
}

Level Exhaustive::next(Level const& level) {
  held_ = kept_bytes_ + level.bytes() + counted_.bytes();
  too_large_ = options_.most_scores > 0 &&
               combinations_.choose(n_, std::min(n_, level.size + 2)) > options_.max_sets;
  if (too_large_) return {};
  Level joined = join(level);
  if (control_.stopped()) return joined;
  bound_sets(joined, false);
  if (joined.sets() == 0) return joined;
  too_large_ = options_.most_scores > 0 && joined.best.size() > options_.most_scores;
  if (too_large_) return {};
  held_ += joined.bytes();
  Counted families;
  if (worker(0).set_score) families = count(joined);
  if (control_.stopped()) return {};
  held_ += families.bytes();
  Level judged = judge(joined, families);
  if (!control_.stopped()) bound_judged();
  counted_ = std::move(families);
  return judged;
}

void Exhaustive::bound_sets(Level const& level, bool larger) {
  // Bounds never rise with the joint states of sets of one size: the fewest of each child say it all.
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> fewest(n_, none);
  for (std::size_t x = 0; x < level.sets(); ++x) {
    double const states = states_of(level.set(x));
    for_each_bit(level.mask(x),
                 [&](Variable child) { fewest[child] = std::min(fewest[child], states); });
  }
  Score const& score = *worker(0).score;
  for (std::size_t i = 0; i < n_; ++i) {
    double const largest =
        fewest[i] == none
            ? nothing_left
            : score.bound(cardinality(i), fewest[i] * (larger ? least_cardinality_ : 1),
                          level.size + (larger ? 1 : 0), fit_[i]);
    double& left = result_.unscored[useful_[i]];
    left = std::min(left, largest);
  }
}

void Exhaustive::bound_judged() {
  for (std::size_t i = 0; i < n_; ++i) {
    double largest = nothing_left;
    for (auto const& tools : workers_)
      if (tools) largest = std::max(largest, std::exchange(tools->beyond[i], nothing_left));
    result_.unscored[useful_[i]] = largest;
  }
}

std::uint64_t Exhaustive::fingerprint() const {
  return work_fingerprint(
      data_, spec_,
      {options_.margin, static_cast<double>(options_.max_parents.value_or(max_variables)),
       static_cast<double>(options_.shard.index), static_cast<double>(options_.shard.count)});
}

void Exhaustive::save(std::string const& path, Level const& level) const {
  CheckpointWriter out(path, fingerprint());
  out.put(level.size);
  out.put(level.members);
  out.put(level.alive);
  out.put(level.component);
  out.put(level.first);
  out.put(level.best);
  out.put(level.score);
  out.put(counted_.index.words());
  out.put(counted_.component);
  out.put(counted_.seen);
  out.put(result_.scored);
  out.put(result_.counted);
  for (auto const& list : result_.candidates) {
    out.put(list.scores);
    out.put(list.ends);
    out.put(list.parents);
  }
  out.commit();
}

Level Exhaustive::restore(std::string const& path) {
  CheckpointReader in(path, fingerprint());
  Level level(in.get(), mask_words_);
  in.get(level.members);
  in.get(level.alive);
  in.get(level.component);
  in.get(level.first);
  in.get(level.best);
  in.get(level.score);
  std::vector<std::uint64_t> words;
  in.get(words);
  counted_.index = RankSet::from_words(std::move(words));
  in.get(counted_.component);
  in.get(counted_.seen);
  result_.scored = in.get();
  result_.counted = in.get();
  for (auto& list : result_.candidates) {
    in.get(list.scores);
    in.get(list.ends);
    in.get(list.parents);
    kept_bytes_ += list.scores.size() * (sizeof(Fixed) + sizeof(std::size_t)) +
                   list.parents.size() * sizeof(Variable);
  }
  level.build_index(combinations_, n_);
  result_.finished_size = level.size;
  bound_sets(level, true);
  return level;
}

void Exhaustive::check_memory(std::size_t bytes, std::size_t size) const {
  if (options_.memory_bytes > 0 && static_cast<double>(held_ + bytes) > options_.memory_bytes)
    throw ResourceError("the parent sets of " + std::to_string(size) + " out of " +
                        std::to_string(n_) + " variables that may matter take more than the " +
                        std::to_string(static_cast<long long>(options_.memory_bytes / 1e6)) +
                        " MB allowed. Set max_parents to " + std::to_string(size - 1) +
                        ", or allow more memory.");
}

void Exhaustive::check_universe(std::size_t size) const {
  if (combinations_.choose(n_, size) > options_.max_sets)
    throw ResourceError("there are more than " + std::to_string(options_.max_sets) + " sets of " +
                        std::to_string(size) + " out of " + std::to_string(n_) +
                        " variables, too many to go through. Set max_parents to " +
                        std::to_string(size - 2) + ", or use method='independence'.");
}

ExhaustiveResult exhaustive(EncodedData const& data, ScoreSpec const& spec,
                            ExhaustiveOptions const& options, Control& control) {
  make_score(spec, data);  // refuses a table of other kinds
  if (!(options.margin >= 0)) throw InputError("the margin must be 0 or more.");
  if (by_child_pays(data, spec, options)) return exhaustive_by_child(data, spec, options, control);
  return Exhaustive(data, spec, options, control).run();
}

}  // namespace bayesloom
