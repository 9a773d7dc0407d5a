// Exhaustive enumeration: all parent sets that matter, level by level. Private to the room.
//
// Level m holds the parent sets P of size m that still matter to some child, in rank order, each
// with its alive children and, for each of those, s(i, P) and the best score over P and its
// subsets. One step from level m to level m + 1:
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
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "data/bit_planes.hpp"
#include "data/set_counter.hpp"
#include "parent_sets/level.hpp"
#include "parent_sets/parent_sets.hpp"
#include "parent_sets/tuning.hpp"

namespace bayesloom {

/// Sets counted in one step, with f of each.
struct Counted {
  RankSet index;
  RawVector<Fixed> component;
  RawVector<std::uint32_t> seen;  // cells that hold a row

  std::size_t bytes() const {
    return index.bytes() + component.size() * (sizeof(Fixed) + sizeof(std::uint32_t));
  }
};

/// The bound on what a child may take, where nothing is left to take.
inline constexpr double nothing_left = -std::numeric_limits<double>::infinity();

/// What one task found worth keeping, in the order found.
struct Kept {
  std::vector<Variable> children;
  std::vector<Fixed> scores;
  std::vector<std::size_t> sets;  // positions in the level
};

/// One thread's tools: a counter whose stack follows the sets asked for.
class Worker {
 public:
  Worker(EncodedData const& data, BitPlanes const& planes, RowClasses const* classes,
         std::span<Variable const> useful, ScoreSpec const& spec)
      : counter_(make_counter(spec, data, planes, classes)),
        useful_(useful),
        score(make_score(spec, data)),
        set_score(dynamic_cast<SetScore*>(score.get())),
        beyond(useful.size(), nothing_left) {}

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

  void expect_leaves_at(std::size_t depth) { counter_.expect_leaves_at(depth); }

  /// Cells of the set on the stack, and of it with one more.
  void cells(Cells& out) const { counter_.cells(out); }
  void cells_with(std::size_t number, Cells& out) { counter_.cells_with(useful_[number], out); }
  /// The set on the stack as the parents of one more: fills `parents` and `family`.
  void read_family(std::size_t number) { counter_.family(useful_[number], parents, family); }
  bool by_family() const { return counter_.by_family(); }

 private:
  SetCounter counter_;
  std::span<Variable const> useful_;
  std::vector<Variable> stack_;

 public:
  std::unique_ptr<Score> score;
  SetScore* set_score;  // the same object, if it is in component form
  std::vector<double>
      beyond;  // by child: the largest bound on what it may still take, of those judged
  Cells parents, family;
};

class Exhaustive {
 public:
  Exhaustive(EncodedData const& data, ScoreSpec const& spec, ExhaustiveOptions const& options,
             Control& control);
  ExhaustiveResult run();

 private:
  struct JoinTask {
    Variable largest;
    std::size_t begin, end;  // sets of the level below it
  };
  /// What is known of one member of a set when the gain from adding it is bounded.
  struct Addition {
    std::size_t subset;  // where the set without it stands in the level
    std::uint32_t cardinality;
    double states;  // of the set without it
    double score;   // s(member, set without it)
    Fixed exact;    // the same
    // Of the set without it: its children in the word that is looked at, where the values of the first of them stand,
    // and those of the child that is looked at.
    std::uint64_t word = 0;
    std::size_t before = 0, place = 0;
  };

  /// Whether bounds show before anything is counted that a set cannot matter to a child.
  bool ruled_out(Level const& level, std::span<Variable const> set, double states, Variable child,
                 std::span<Addition const> additions, std::span<FamilyBounds::Added> added,
                 bool gains_known, Fixed best) const;
  /// The same of all that contain a set, once it is counted.
  double bound_above(Score const& score, std::span<Variable const> set, double states,
                     Variable child, std::size_t seen, Fixed f, Fixed s) const;

  void find_fits();
  /// Level 0: the empty set, alive for every useful variable.
  Level empty_sets();
  Level next(Level const& level);

  // 1. join
  Level join(Level const& level);
  void join_part(Level const& level, JoinTask const& task, Level& part);
  /// Finds the subsets of size m and intersects their masks; false if no child is left.
  bool find_subsets(Level const& level, std::span<Variable const> set,
                    std::span<Addition> additions, std::span<std::uint64_t> alive) const;
  /// s(j, set without j) for every member, if f(set) has been counted.
  bool find_gains(Level const& level, std::span<Variable const> set, double states,
                  std::span<Addition> additions) const;

  // 2. count
  Counted count(Level const& joined);
  void count_part(Worker& tools, std::size_t size, std::size_t begin, Counted& families);

  // 3. judge
  Level judge(Level const& joined, Counted const& families);
  void keep(Variable child, Fixed score, std::span<Variable const> set);
  void judge_part(Level const& joined, Counted const& families, std::size_t begin, Worker& tools,
                  Level& part, Kept& kept);
  /// f(set): counted in the step before as somebody's family, or else now.
  Fixed component(Worker& tools, std::span<Variable const> set) const;
  Fixed prepare_parents(Worker& tools, std::span<Variable const> set) const;

  // what is left out if it ends here (ExhaustiveResult::unscored)
  /// Lowers the bounds to what the sets of a level and those that contain them can score, or, with
  /// `larger`, the latter alone.
  void bound_sets(Level const& level, bool larger);
  /// Begins anew with what was judged: larger sets contain a set that is still alive.
  void bound_judged();

  // checkpoints: the level, the sets counted for it, and what was kept so far
  std::uint64_t fingerprint() const;
  void save(std::string const& path, Level const& level) const;
  Level restore(std::string const& path);

  /// Throws if `bytes` more than what is held now are not allowed.
  void check_memory(std::size_t bytes, std::size_t size) const;
  void check_universe(std::size_t size) const;

  std::uint32_t cardinality(std::size_t number) const { return data_.cardinality(useful_[number]); }

  double states_of(std::span<Variable const> set) const {
    double states = 1;
    for (auto const v : set) states *= cardinality(v);
    return states;
  }

  Worker& worker(std::size_t w) {
    if (!workers_[w])
      workers_[w] = std::make_unique<Worker>(data_, planes_, classes_.get(), useful_, spec_);
    return *workers_[w];
  }

  /// Builds a level from parts made by body(task, worker, part), in task order.
  template <typename Body>
  Level in_parts(std::size_t size, std::size_t tasks, Body&& body) {
    std::vector<Level> parts(tasks, Level(size, mask_words_));
    std::atomic<std::size_t> bytes{0};
    worker(0);
    parallel_for(threads_, tasks, control_, [&](std::size_t task, std::size_t w) {
      Level part(size, mask_words_);  // not in `parts` yet: neighbours there share cache lines
      body(task, w, part);
      // Parts are copied once when they are put together.
      check_memory(2 * (bytes += part.bytes()), size);
      parts[task] = std::move(part);
    });
    Level level(size, mask_words_);
    if (control_.stopped()) return level;
    level.assemble(parts, combinations_, n_, [&](std::size_t count, auto const& copy) {
      parallel_for(threads_, count, control_, [&](std::size_t part, std::size_t) { copy(part); });
    });
    return level;
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
  /// None where children are counted one by one, or where they would take too much memory.
  std::unique_ptr<RowClasses const> const classes_;
  std::uint32_t least_cardinality_ = 65535;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<double> fit_;
  std::unique_ptr<FamilyBounds const> bounds_;  // of scores that know more than states
  Counted counted_;       // families of the step before: sets of the current level's size + 1
  std::size_t held_ = 0;  // bytes of levels and counts alive in this step, and of what was kept
  std::size_t kept_bytes_ = 0;
  std::vector<Variable> renumbered_;
  bool too_large_ = false;  // the next level has more than options_.most_scores
  ExhaustiveResult result_;
};

}  // namespace bayesloom
