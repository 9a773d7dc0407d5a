// The last step of learning: local search until no single edge can be removed, added or reversed with a gain.
//
// A search over a cache knows only the sets that were scored. A candidate P of v may be in the cache although P - u
// scores higher and was never scored: P was reached by adding other parents. And a search ended by time may leave
// improvements undone. So, starting from a given network, these steps are made while they raise the score:
//
//   shrink    P becomes P - u, over all sets: scored from the table, whether a candidate or not
//   exchange  P becomes a better candidate Q of the same variable v with at most one parent that
//             is new, Q - P = {y}: if y is no descendant of v as it stands; or if it is one through
//             the edge v -> y alone and turning that edge gains more than y loses by it
//
// Exchanges include every addition, removal and turn over the sets scored: where a set P + y was
// scored and left out of the cache for being dominated, what dominates it is a subset of P + y.
//
// At the end no removal of an edge over all sets, and no addition, removal or turn over the
// candidates, improves the network. Every step raises the score, so it ends. Edges that the rules
// require stay, and so does the order of pairs that come in order.
//
// The network may then hold sets that are not in the cache, so a bound over the cache does not apply to it; the
// caller must account for that (learning/polish.py).
//
// Local scores are computed side by side, a round for all variables that changed; moves are made in
// the order of the variables, so the outcome does not depend on the threads. Work: local scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "data/encoded_data.hpp"
#include "parent_sets/neighbour_sets.hpp"
#include "score/score.hpp"

namespace bayesloom {

struct PolishOptions {
  std::size_t threads = 1;
  std::vector<ParentRules> rules;  ///< one per variable, or none at all
  std::vector<std::pair<Variable, Variable>> before;
};

struct Polished {
  ParentSets parents;
  std::vector<Fixed> scores;  ///< local scores of these
  std::uint64_t steps = 0;    ///< changes made
};

/// Polishes an acyclic network that keeps the rules. If stopped, the steps made so far are kept.
/// Throws InputError unless network, cache and table are over the same variables.
Polished polish(EncodedData const& data, ScoreSpec const& spec, ScoreCache const& cache,
                ParentSets network, PolishOptions const& options, Control& control);

}  // namespace bayesloom
