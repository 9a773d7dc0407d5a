// All parent sets that matter, level by level.
//
// Level m holds the parent sets P of size m that still matter to some child, in rank order, each
// with its alive children and, for each of those, s(i, P) and the best score over P and its subsets.
// One step from level m to level m + 1:
//
//   1. join     Q = P + b, b above all of P. A child is alive for Q only if it is alive for all
//               m + 1 subsets of size m, and if no bound rules Q out before anything is counted.
//   2. count    f(T) for every T = Q + i that some alive child asks for: each T once, in rank order,
//               so that neighbours share all but their smallest member on the counter's stack.
//   3. judge    s(i, Q) = f(Q + i) - f(Q). Keep it if no subset beats it by more than the margin;
//               leave i alive if the bounds, now with the counts, allow a superset to matter.
//
// Scores without component form skip 2 and count Q + i for each child in 3.
//
// Every step is cut into tasks of fixed shape and put together in task order, so the result does
// not depend on the number of threads. Variables with one state carry no information: they get no
// parents and are nobody's parent. The others are numbered anew; sets here hold those numbers.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "data/bit_planes.hpp"
#include "data/set_counter.hpp"
#include "parent_sets/level.hpp"
#include "parent_sets/parent_sets.hpp"
#include "score/log_likelihood.hpp"

namespace bayesloom {

namespace {

constexpr std::size_t sets_per_task = 2048;
constexpr std::size_t words_per_task = 64;
// Bounds are sums of doubles; nothing is cut off for less than this, so rounding cannot cost a tie.
constexpr double safety = 1e-6;

/// Sets counted in one step, with f of each.
struct Counted {
  RankSet index;
  std::vector<Fixed> component;
  std::vector<std::uint32_t> seen;  // cells that hold a row
};

/// What one task found worth keeping, in the order found.
struct Kept {
  std::vector<Variable> children;
  std::vector<Fixed> scores;
  std::vector<std::size_t> sets;  // positions in the level
};

/// One thread's tools: a counter whose stack follows the sets asked for.
class Worker {
 public:
  Worker(EncodedData const& data, BitPlanes const& planes, std::span<Variable const> useful,
         ScoreSpec const& spec)
      : counter_(data, planes),
        useful_(useful),
        score(make_score(spec, data.row_count())),
        set_score(dynamic_cast<SetScore*>(score.get())) {}

  /// Leaves exactly `set` on the stack, largest variable at the bottom.
  void go_to(std::span<Variable const> set) {
    std::size_t common = 0;
    while (common < stack_.size() && common < set.size() &&
           stack_[common] == set[set.size() - 1 - common])
      ++common;
    for (; stack_.size() > common; stack_.pop_back()) counter_.pop();
    for (; common < set.size(); ++common) {
      stack_.push_back(set[set.size() - 1 - common]);
      counter_.push(useful_[stack_.back()]);
    }
  }

  /// Cells of the set on the stack, and of it with one more.
  void cells(Cells& out) const { counter_.cells(out); }
  void cells_with(std::size_t number, Cells& out) { counter_.cells_with(useful_[number], out); }

 private:
  SetCounter counter_;
  std::span<Variable const> useful_;
  std::vector<Variable> stack_;

 public:
  std::unique_ptr<Score> score;
  SetScore* set_score;  // the same object, if it is in component form
  Cells parents, family;
};

class Exhaustive {
 public:
  Exhaustive(EncodedData const& data, ScoreSpec const& spec, ExhaustiveOptions const& options,
             Control& control)
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
        workers_(threads_) {
    result_.candidates.resize(data.variable_count());
    for (std::size_t v = 0; v < n_; ++v)
      least_cardinality_ = std::min(least_cardinality_, cardinality(v));
  }

  ExhaustiveResult run() {
    find_fits();
    Level level = empty_sets();
    auto const& saved = options_.checkpoint;
    if (checkpoint_exists(saved)) level = restore(saved.path);
    CheckpointTimer timer(saved);
    std::size_t const largest = n_ > 0 ? n_ - 1 : 0;  // of all parent sets there are
    std::size_t const limit = std::min(largest, options_.max_parents.value_or(largest));
    while (level.sets() > 0 && level.size < limit && !control_.stopped()) {
      level = next(level);
      if (control_.stopped()) break;
      result_.finished_size = level.size;
      if (timer.due()) {
        save(saved.path, level);
        timer.written();
      }
    }
    if (!control_.stopped()) remove_checkpoint(saved);
    result_.exhausted = (level.sets() == 0 || level.size == largest) && !control_.stopped();
    return std::move(result_);
  }

 private:
  static std::vector<Variable> useful_variables(EncodedData const& data) {
    std::vector<Variable> useful;
    for (std::size_t v = 0; v < data.variable_count(); ++v)
      if (data.cardinality(static_cast<Variable>(v)) > 1) useful.push_back(static_cast<Variable>(v));
    return useful;
  }

  std::uint32_t cardinality(std::size_t number) const { return data_.cardinality(useful_[number]); }

  double states_of(std::span<Variable const> set) const {
    double states = 1;
    for (auto const v : set) states *= cardinality(v);
    return states;
  }

  Worker& worker(std::size_t w) {
    if (!workers_[w]) workers_[w] = std::make_unique<Worker>(data_, planes_, useful_, spec_);
    return *workers_[w];
  }

  /// fit_[i] = log-likelihood of i given all other variables; 0, which is never too low, where
  /// computing it would cost more than it saves.
  void find_fits() {
    fit_.assign(n_, 0.0);
    if (n_ > 64) return;
    LogLikelihood const log_likelihood(data_.row_count());
    Worker& tools = worker(0);
    std::vector<Variable> others;
    for (std::size_t i = 0; i < n_; ++i) {
      others.clear();
      for (std::size_t v = 0; v < n_; ++v)
        if (v != i) others.push_back(static_cast<Variable>(v));
      tools.go_to(others);
      tools.cells(tools.parents);
      tools.cells_with(i, tools.family);
      fit_[i] = to_nats(log_likelihood(tools.family) - log_likelihood(tools.parents));
    }
  }

  /// Level 0: the empty set, alive for every useful variable.
  Level empty_sets() {
    for (auto& list : result_.candidates) list.add(0, {});  // what variables of one state score
    Level level(0, mask_words_);
    level.alive.assign(mask_words_, 0);
    Worker& tools = worker(0);
    tools.go_to({});
    tools.cells(tools.parents);
    for (std::size_t i = 0; i < n_; ++i) {
      tools.cells_with(i, tools.family);
      Fixed const score = tools.score->local_score(tools.family, tools.parents, cardinality(i));
      result_.candidates[useful_[i]].scores.front() = score;
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

  Level next(Level const& level) {
    Level const joined = join(level);
    if (control_.stopped() || joined.sets() == 0) return joined;
    Counted families;
    if (worker(0).set_score) families = count(joined);
    if (control_.stopped()) return {};
    Level judged = judge(joined, families);
    counted_ = std::move(families);
    return judged;
  }

  // ---- 1. join --------------------------------------------------------------------------------

  struct JoinTask {
    Variable largest;
    std::size_t begin, end;  // sets of the level below it
  };

  Level join(Level const& level) {
    check_universe(level.size + 1);
    std::vector<JoinTask> tasks;
    for (std::size_t b = level.size; b < n_; ++b) {
      std::size_t const below =
          level.size == 0 ? 1 : level.index.position(combinations_.choose(b, level.size));
      for (std::size_t begin = 0; begin < below; begin += sets_per_task)
        tasks.push_back({static_cast<Variable>(b), begin, std::min(begin + sets_per_task, below)});
    }
    return in_parts(level.size + 1, tasks.size(), [&](std::size_t task, std::size_t, Level& part) {
      join_part(level, tasks[task], part);
    });
  }

  /// What is known of one member of a set when the gain from adding it is bounded.
  struct Addition {
    std::size_t subset;  // where the set without it stands in the level
    std::uint32_t cardinality;
    double states;       // of the set without it
    double score;        // s(member, set without it)
  };

  void join_part(Level const& level, JoinTask const& task, Level& part) {
    std::size_t const m = level.size;
    std::vector<Variable> set(m + 1);
    std::vector<Addition> additions(m + 1);
    std::vector<std::uint64_t> alive(mask_words_);
    Score const& rules = *worker(0).score;  // its bounds are pure functions
    for (std::size_t x = task.begin; x < task.end; ++x) {
      if ((x - task.begin) % 256 == 0 && control_.should_stop(0)) return;
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
                                              j.states) + safety < -options_.margin)
            possible = false;
        }
        if (options_.prune &&
            rules.bound(r, states, fit_[child]) + safety < to_nats(best - margin_))
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

  /// Finds the subsets of size m and intersects their masks; false if no child is left.
  bool find_subsets(Level const& level, std::span<Variable const> set,
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

  /// s(j, set without j) for every member, if f(set) has been counted.
  bool find_gains(Level const& level, std::span<Variable const> set, double states,
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

  // ---- 2. count -------------------------------------------------------------------------------

  Counted count(Level const& joined) {
    std::size_t const size = joined.size + 1;
    check_universe(size);
    Counted families;
    families.index = RankSet(combinations_.choose(n_, size));
    std::size_t const parts = (joined.sets() + sets_per_task - 1) / sets_per_task;
    parallel_for(threads_, parts, control_, [&](std::size_t task, std::size_t) {
      std::size_t const end = std::min(joined.sets(), (task + 1) * sets_per_task);
      for (std::size_t x = task * sets_per_task; x < end; ++x)
        for_each_bit(joined.mask(x), [&](Variable child) {
          families.index.insert(combinations_.rank_with(joined.set(x), child));
        });
    });
    families.index.freeze();
    check_memory(families.index.size() * (sizeof(Fixed) + sizeof(std::uint32_t)), joined.size);
    families.component.resize(families.index.size());
    families.seen.resize(families.index.size());
    result_.counted += families.index.size();
    std::size_t const tasks = (families.index.word_count() + words_per_task - 1) / words_per_task;
    parallel_for(threads_, tasks, control_, [&](std::size_t task, std::size_t w) {
      count_part(worker(w), size, task * words_per_task, families);
    });
    return families;
  }

  void count_part(Worker& tools, std::size_t size, std::size_t begin, Counted& families) {
    std::size_t const end = std::min(families.index.word_count(), begin + words_per_task);
    std::size_t at = families.index.position(begin * 64);
    std::vector<Variable> set(size);
    std::optional<std::uint64_t> previous;
    for (std::size_t w = begin; w < end; ++w) {
      for (std::uint64_t word = families.index.word(w); word; word &= word - 1, ++at) {
        std::uint64_t const rank = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
        if (previous && rank == *previous + 1)
          Combinations::advance(set);
        else
          combinations_.unrank(rank, n_, set);
        previous = rank;
        if (at % 64 == 0 && control_.should_stop(64)) return;
        tools.go_to(std::span(set).subspan(1));
        tools.cells_with(set.front(), tools.family);
        families.component[at] = tools.set_score->component(tools.family);
        families.seen[at] = static_cast<std::uint32_t>(tools.family.seen());
      }
    }
  }

  // ---- 3. judge -------------------------------------------------------------------------------

  Level judge(Level const& joined, Counted const& families) {
    std::size_t const tasks = (joined.sets() + sets_per_task - 1) / sets_per_task;
    std::vector<Kept> kept(tasks);
    Level judged =
        in_parts(joined.size, tasks, [&](std::size_t task, std::size_t w, Level& part) {
          judge_part(joined, families, task * sets_per_task, worker(w), part, kept[task]);
        });
    if (control_.stopped()) return judged;
    for (auto const& part : kept)
      for (std::size_t k = 0; k < part.children.size(); ++k)
        keep(part.children[k], part.scores[k], joined.set(part.sets[k]));
    result_.scored += joined.best.size();
    return judged;
  }

  void keep(Variable child, Fixed score, std::span<Variable const> set) {
    renumbered_.clear();
    for (auto const v : set) renumbered_.push_back(useful_[v]);
    result_.candidates[useful_[child]].add(score, renumbered_);
  }

  void judge_part(Level const& joined, Counted const& families, std::size_t begin, Worker& tools,
                  Level& part, Kept& kept) {
    std::size_t const end = std::min(joined.sets(), begin + sets_per_task);
    std::vector<std::uint64_t> alive(mask_words_);
    for (std::size_t x = begin; x < end; ++x) {
      auto const set = joined.set(x);
      double const states = states_of(set);
      Fixed const f = tools.set_score ? component(tools, set) : prepare_parents(tools, set);
      if (control_.should_stop(joined.first[x + 1] - joined.first[x])) return;

      std::copy_n(joined.mask(x).begin(), mask_words_, alive.begin());
      std::size_t at = joined.first[x];
      bool any = false;
      for_each_bit(joined.mask(x), [&](Variable child) {
        std::uint32_t const r = cardinality(child);
        Fixed score = 0;
        std::size_t seen = 0;
        if (tools.set_score) {
          std::size_t const t = families.index.position(combinations_.rank_with(set, child));
          score = families.component[t] - f;
          seen = families.seen[t];
        } else {
          tools.cells_with(child, tools.family);
          score = tools.score->local_score(tools.family, tools.parents, r);
          seen = tools.family.seen();
        }
        Fixed const best_subset = joined.best[at++];
        if (score >= best_subset - margin_) {
          kept.children.push_back(child);
          kept.scores.push_back(score);
          kept.sets.push_back(x);
        }
        Fixed const best = std::max(best_subset, score);
        double const bound = std::min(tools.score->bound(r, states * least_cardinality_, fit_[child]),
                                      tools.score->bound_counted(r, seen, fit_[child]));
        if (options_.prune && bound + safety < to_nats(best - margin_)) {
          alive[child / 64] &= ~(std::uint64_t{1} << (child % 64));
        } else {
          any = true;
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

  /// f(set): counted in the step before as somebody's family, or else now.
  Fixed component(Worker& tools, std::span<Variable const> set) const {
    std::uint64_t const rank = combinations_.rank(set);
    if (counted_.index.contains(rank)) return counted_.component[counted_.index.position(rank)];
    tools.go_to(set.subspan(1));
    tools.cells_with(set.front(), tools.parents);
    return tools.set_score->component(tools.parents);
  }

  Fixed prepare_parents(Worker& tools, std::span<Variable const> set) const {
    tools.go_to(set);
    tools.cells(tools.parents);
    return 0;
  }

  // ---- shared ---------------------------------------------------------------------------------

  /// Builds a level from parts made by body(task, worker, part), in task order.
  template <typename Body>
  Level in_parts(std::size_t size, std::size_t tasks, Body&& body) {
    std::vector<Level> parts(tasks, Level(size, mask_words_));
    std::atomic<std::size_t> bytes{0};
    worker(0);
    parallel_for(threads_, tasks, control_, [&](std::size_t task, std::size_t w) {
      body(task, w, parts[task]);
      // Parts are copied once when they are put together.
      check_memory(2 * (bytes += parts[task].bytes()), size);
    });
    Level level(size, mask_words_);
    if (control_.stopped()) return level;
    for (auto& part : parts) {
      level.append(part);
      part = {};
    }
    level.build_index(combinations_, n_);
    return level;
  }

  // ---- checkpoints: the level, the sets counted for it, and what was kept so far ----------------

  std::uint64_t fingerprint() const {
    return work_fingerprint(
        data_, spec_,
        {options_.margin, static_cast<double>(options_.max_parents.value_or(max_variables)),
         static_cast<double>(options_.shard.index), static_cast<double>(options_.shard.count)});
  }

  void save(std::string const& path, Level const& level) const {
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

  Level restore(std::string const& path) {
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
    }
    level.build_index(combinations_, n_);
    result_.finished_size = level.size;
    return level;
  }

  void check_memory(std::size_t bytes, std::size_t size) const {
    if (options_.memory_bytes > 0 && static_cast<double>(bytes) > options_.memory_bytes)
      throw ResourceError("the parent sets of " + std::to_string(size) + " out of " +
                          std::to_string(n_) + " variables that may matter take more than the " +
                          std::to_string(static_cast<long long>(options_.memory_bytes / 1e6)) +
                          " MB allowed. Set max_parents to " + std::to_string(size - 1) +
                          ", or allow more memory.");
  }

  void check_universe(std::size_t size) const {
    if (combinations_.choose(n_, size) > options_.max_sets)
      throw ResourceError("there are more than " + std::to_string(options_.max_sets) +
                          " sets of " + std::to_string(size) + " out of " + std::to_string(n_) +
                          " variables, too many to go through. Set max_parents to " +
                          std::to_string(size - 2) + ", or use method='independence'.");
  }

  EncodedData const& data_;
  BitPlanes const planes_;
  ScoreSpec const& spec_;
  ExhaustiveOptions const& options_;
  Control& control_;
  std::vector<Variable> const useful_;  // the variable of each number
  std::size_t const n_, mask_words_, threads_;
  Fixed const margin_;
  Combinations const combinations_;
  std::uint32_t least_cardinality_ = 65535;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<double> fit_;
  Counted counted_;  // families of the step before: sets of the current level's size + 1
  std::vector<Variable> renumbered_;
  ExhaustiveResult result_;
};

}  // namespace

ExhaustiveResult exhaustive(EncodedData const& data, ScoreSpec const& spec,
                            ExhaustiveOptions const& options, Control& control) {
  find_score(spec);
  if (!(options.margin >= 0)) throw InputError("the margin must be 0 or more.");
  return Exhaustive(data, spec, options, control).run();
}

}  // namespace bayesloom
