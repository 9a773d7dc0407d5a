// ROOM parent_sets: which parent sets are worth keeping, and their local scores.
//
// `exhaustive` finds, for every variable i, all parent sets P that no proper subset beats by more
// than a margin:
//
//   keep (i, P)  iff  s(i, P) >= s(i, P') - e   for every P' inside P,      e = ln(Bayes factor)
//
// Swapping P for such a P' keeps a network acyclic, so what is dropped can be in no optimal network
// (e = 0), and in no network within the Bayes factor of the best (e > 0) [liao2018 Lemma 1, with
// the sign put right]. The comparison is strict: ties are kept. Supersets are cut off by bounds
// that the score declares (see score.hpp), so nothing here asks which score it is.
//
// Differs from [malone2011]: parent sets are counted once for all children, as functions of the
// set; the limit on parents follows from the bounds instead of a formula. Differs from [liao2018]:
// its printed rules, see docs/papers/liao2018.md.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/control.hpp"
#include "cache/cache_builder.hpp"
#include "data/encoded_data.hpp"
#include "parent_sets/checkpoint.hpp"
#include "parent_sets/growing_sets.hpp"
#include "parent_sets/shard.hpp"
#include "score/score.hpp"

namespace bayesloom {

struct ExhaustiveOptions {
  std::optional<std::size_t> max_parents;
  double margin = 0;  ///< e above, in nats; >= 0
  bool prune = true;  ///< use the score's bounds; off for tests, the result is the same
  std::size_t threads = 1;
  double memory_bytes = 0;                          ///< gives up beyond this; 0 means no limit
  std::uint64_t max_sets = std::uint64_t{1} << 33;  ///< of one size that are numbered: a bit each
  Shard shard;                                      ///< other children get the empty set only
  CheckpointOptions checkpoint;
  /// By levels or child by child (by_child.hpp), for scores that allow both; the result is the same.
  std::optional<bool> by_child = std::nullopt;
  std::uint64_t most_scores = 0;  ///< of one level: it ends before a larger one; 0 for no limit
};

struct ExhaustiveResult {
  std::vector<CandidateList> candidates;  ///< one list per variable, by size, then by rank
  /// Every parent set of up to this size was scored or shown not to matter...
  std::size_t finished_size = 0;
  /// ...and no larger one can matter: nothing was stopped or cut by max_parents.
  bool exhausted = false;
  std::uint64_t scored = 0;   ///< local scores computed
  std::uint64_t counted = 0;  ///< sets counted
  /// By variable, in nats: no parent set of more than `finished_size` variables that can matter scores
  /// above this; minus infinity where none can. Sets that a proper subset beats do not count.
  std::vector<double> unscored;
  std::vector<double> fits;  ///< by variable, in nats: no log-likelihood given any parents is above
};

ExhaustiveResult exhaustive(EncodedData const& data, ScoreSpec const& spec,
                            ExhaustiveOptions const& options, Control& control);

/// Upper bounds on the work, before any of it; see estimate.cpp.
struct ExhaustiveEstimate {
  double local_scores = 0;      ///< at most this many are computed
  std::size_t largest_set = 0;  ///< no parent set of more variables can matter
};

ExhaustiveEstimate estimate_exhaustive(EncodedData const& data, ScoreSpec const& spec,
                                       ExhaustiveOptions const& options);

// ---- anytime: sequential, greedy, independence --------------------------------------------------

struct AnytimeOptions {
  Strategy strategy = Strategy::independence;
  bool conditional = true;  ///< how independence selection estimates; see growing_sets.hpp
  std::size_t max_parents = 12;
  double margin = 0;
  std::size_t parents_considered = 512;  ///< best single parents that sets grow from; at most 1023
  std::optional<double> seconds_per_variable;
  std::optional<double> seconds_in_all;
  std::optional<std::uint64_t> sets_per_variable;  ///< deterministic budget
  double memory_bytes = 0;  ///< a child whose sets would take more is stopped; 0 means no limit
  Shard shard;              ///< other children get the empty set only
  CheckpointOptions checkpoint;
  bool adaptive = true;  ///< give the time that settled children leave to those that still improve
  std::size_t threads = 1;
};

struct AnytimeResult {
  std::vector<CandidateList> candidates;  ///< one list per variable
  std::vector<std::uint8_t> certified;    ///< whether a variable's list is proved complete
  std::uint64_t scored = 0;               ///< local scores computed
  double pair_seconds = 0;
  bool capped_parents = false;    ///< there were more variables than sets grow from
  bool cut = false;               ///< some set of max_parents might have grown further
  std::size_t out_of_memory = 0;  ///< children stopped by the memory limit
};

AnytimeResult anytime_parent_sets(EncodedData const& data, ScoreSpec const& spec,
                                  AnytimeOptions const& options, Control& control);

}  // namespace bayesloom
