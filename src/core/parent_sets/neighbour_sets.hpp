// Scoring where a search needs it: the parent sets next to those of a network.
//
// Beyond a hundred variables no cache holds all sets that could matter, and what it lacks decides
// how good a network can become. So sets are scored on demand, and everything that was scored is
// kept:
//
//   expand(i, P)    s(i, P + y) for every y that may be added: two countings each, of P + y and of
//                   P + i + y, both as leaves of one stack (set_counter.hpp)
//   around(G)       for every i expands its parent set P and each P - u: all sets with one parent
//                   added, removed or exchanged. With `both_ways` also every {c}, c a child of i:
//                   a direction that is wrong hides parents that show beside c alone
//   look_beyond(G)  for every i adds to its parent set, and to every single child, each variable that is
//                   not considered: one that says nothing alone may say much beside another. What
//                   gains is considered from then on
//   grow(order)     for every i, from nothing and from its parents in G: the best addition among
//                   those before i while one gains, then removals while one gains
//                   [lam2022: grow-shrink]
//   widen(count)    for every i expands its best sets that were not expanded yet
//   beside(c ..)    for candidates P of a cache, such as those of small reduced cost (dual/restricted_prices.hpp),
//                   the same as around(G) does for the parent sets of G
//   climb(G)        hill climbing, see hill_climb.hpp
//
// Of an expansion only those additions are kept as candidates that raise the score: the others are
// dominated by P itself (pruning.hpp). A set is counted again only if it was dropped in this way.
//
// Parents are added from a list of `parents_considered` best single parents per child. At fifty thousand variables to
// count all pairs takes minutes. Given less time than that, these parents are those that are best by a sample of
// the rows, so that there is a network early and every variable has found its best few by then. Rules limit
// what a parent set may be: parents it must contain, parents it may not, and how many it may have.
//
// Children are shared among threads; each has a store of its own, so what comes out does not depend
// on the number of threads. Work: local scores computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "cache/cache_builder.hpp"
#include "cache/score_cache.hpp"
#include "data/bit_planes.hpp"
#include "data/encoded_data.hpp"
#include "parent_sets/pair_scores.hpp"
#include "parent_sets/set_store.hpp"
#include "score/score.hpp"

namespace bayesloom {

/// What the parent sets of one child must look like; lists ascending.
struct ParentRules {
  std::vector<Variable> required, forbidden;
  std::size_t most = std::numeric_limits<std::size_t>::max();

  bool allow(std::span<Variable const> set) const;
};

struct NeighbourOptions {
  std::size_t parents_considered = 1024;
  std::size_t threads = 1;
  std::vector<ParentRules> rules;  ///< one per variable, or none at all
  /// The first comes before the second in some order of the network; no edge need join them. The
  /// climber keeps to it; of the other functions only the rules are asked.
  std::vector<std::pair<Variable, Variable>> before;
  /// Memory for the sets of all children. Each has an equal part; one that has used it up is left
  /// out of `around` and `widen`. What `climb` and `grow` need is kept all the same.
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();
};

/// One ascending parent set per variable.
using ParentSets = std::vector<std::vector<Variable>>;

class NeighbourSets {
 public:
  /// `data` must outlive it. Throws InputError for rules that contradict themselves.
  NeighbourSets(EncodedData const& data, ScoreSpec spec, NeighbourOptions options);
  ~NeighbourSets();
  NeighbourSets(NeighbourSets const&) = delete;
  NeighbourSets& operator=(NeighbourSets const&) = delete;

  std::size_t variable_count() const { return stores_.size(); }
  std::size_t threads() const { return workers_.size(); }
  EncodedData const& data() const { return data_; }
  ScoreSpec const& spec() const { return spec_; }
  ParentRules const& rules(Variable child) const;
  std::vector<std::pair<Variable, Variable>> const& before() const { return options_.before; }

  /// Scores all single parents, once; the other functions begin with it. False if stopped. Where that would take
  /// longer than so many seconds, only those that are best by a sample of the rows; or by a sample of that size,
  /// if one is given.
  bool prepare(Control& control, std::optional<double> seconds = std::nullopt,
               std::optional<std::size_t> sample = std::nullopt);

  /// Rows by which the parents considered were chosen: all of them, or a sample.
  std::size_t rows_compared() const { return rows_compared_; }

  /// s(child, set), counted unless it is known. Only for the thread that has `worker`.
  Fixed score(Variable child, std::span<Variable const> set, std::size_t worker);
  /// The same; throws InputError if the set has none.
  Fixed possible_score(Variable child, std::span<Variable const> set, std::size_t worker);

  /// The additions to a set that gain, best first, and the best few of the others; counted unless
  /// known. Nothing if stopped. With `side_by_side` all threads share the parents.
  std::vector<Addition> const* expand(Variable child, std::span<Variable const> set,
                                      std::size_t worker, Control& control,
                                      bool side_by_side = false);

  /// Expands P and every P - u for the parent set P of each child; with `both_ways` every single child too.
  void around(ParentSets const& parents, bool both_ways, Control& control);

  /// Tries parents that are not considered beside the parent set of each child and beside each of its
  /// children alone, once for each such set; returns how many gain.
  std::size_t look_beyond(ParentSets const& parents, Control& control);

  /// Grows and shrinks a parent set for each child among those before it in the order. Throws
  /// InputError unless the order names every variable once.
  void grow(std::vector<Variable> const& order, ParentSets const& parents, Control& control);

  /// Expands the best `count` sets of each child that were not expanded yet; returns how many there
  /// were.
  std::size_t widen(std::size_t count, Control& control);

  /// Expands candidates of a cache, and each without one of its parents, where that was not done;
  /// returns how many sets that were. Throws InputError for a cache over other variables.
  std::size_t beside(ScoreCache const& cache, std::span<std::uint64_t const> candidates,
                     Control& control);

  /// Adds candidates of a cache over the same variables that the rules allow.
  void add(ScoreCache const& cache);

  /// Everything scored so far that the rules allow, without what is dominated; the required parents
  /// of a child are a candidate always.
  ScoreCache cache(std::vector<std::string> names) const;

  std::uint64_t scored() const;    ///< local scores computed
  std::size_t set_count() const;   ///< sets kept
  std::size_t bytes() const;       ///< memory of the sets kept
  std::size_t full_count() const;  ///< children that have used up their part of the memory

 private:
  struct Worker;

  PairScores pairs_within(double seconds, std::size_t keep, Control& control);
  PairScores pairs_of_sample(std::size_t rows, std::size_t keep, Control& control);
  void count_additions(Variable child, std::span<Variable const> set, std::size_t from,
                       std::size_t to, std::size_t worker, std::vector<Addition>& out,
                       Control& control);
  std::size_t expand_around(Variable child, std::span<Variable const> set, std::size_t worker,
                            Control& control);
  std::size_t look_beyond_one(Variable child, std::span<Variable const> set, std::size_t worker,
                              Control& control);
  void grow_one(Variable child, std::vector<Variable> set, std::span<std::uint32_t const> place,
                std::size_t worker, Control& control);
  bool dominated(Variable child, std::size_t number) const;
  bool full(Variable child) const;
  Worker& worker(std::size_t number);

  EncodedData const& data_;
  ScoreSpec const spec_;
  NeighbourOptions const options_;
  BitPlanes const planes_;
  std::vector<std::vector<Variable>> considered_;  // per child, ascending
  std::vector<SetStore> stores_;
  std::vector<std::unordered_set<std::size_t>> looked_beyond_;  // per child, numbers of sets
  std::vector<std::unique_ptr<Worker>> workers_;
  bool prepared_ = false;
  std::size_t rows_compared_ = 0;
};

}  // namespace bayesloom
