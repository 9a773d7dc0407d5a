// The anytime search for parent sets of one child [scanagatta2015 section 3].
//
// Single parents are scored already. Larger sets grow by one parent at a time, in an order that the
// strategy gives:
//
//   independence  best estimate first: s(i, P + y) ~ s(i, P) + s(i, {y}) - s(i, {}) + interaction,
//                 which is BIC* in the paper's terms, and exact where P and y do not interact
//   greedy        all sets P + y of the best scored P not grown yet, then of the next best
//   sequential    by size, in the order of the columns
//
// If parents are redundant, BIC* overestimates, more so for larger sets, and the paper's order goes deep into
// supersets of a good set that add nothing to it. So an estimate is capped by the score's own bound. Sets that are
// estimated above all their subsets come first; the others follow by how little they are estimated to lose. (On
// andes, 223 variables, with 5,000 sets per variable: best network -469,301 against -474,227 without.)
//
// `conditional` estimates a set P + y again when it comes first in the queue: for every x in P for which P - x + y
// has been scored, x and y are assumed independent given the others,
//
//   s(i, P + y) ~ s(i, P) + s(i, P - x + y) - s(i, P - x) + interaction,
//
// and if the mean of these is below BIC*, the set waits for its new place. Where all subsets are
// scored this leaves out interactions of pairs given the rest alone, not of y with all of P. Better
// networks on most tables, not on all: docs/parent_sets.md.
//
// Nothing but sets that were scored is stored: the open list holds, for every scored set P and
// every number of states c, one entry that stands for its best ungrown y with c states. All y with
// c states get the same interaction, so within such a group the estimates are in the order of the
// single scores, and the next y follows without a look at the others. The paper's open list starts
// with all n^2 / 2 pairs; ours with n entries per group.
//
// A set is not grown if the score's bounds show that no superset can matter. If the open list becomes empty and
// no set was left out for another reason, the child's list is proved complete: a certificate that the paper does
// not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cache/cache_builder.hpp"
#include "data/bit_planes.hpp"
#include "data/encoded_data.hpp"
#include "parent_sets/pair_scores.hpp"

namespace bayesloom {

enum class Strategy : std::uint8_t { independence, greedy, sequential };

struct GrowOptions {
  Strategy strategy = Strategy::independence;
  std::size_t max_parents = 12;  ///< at most 12: that many ids fit in a key
  bool conditional = true;       ///< independence: look again by larger subsets
  double margin = 0;             ///< keep what no subset beats by more than this, in nats
};

/// What one child's search did.
struct GrowResult {
  CandidateList kept;
  std::uint64_t scored = 0;            ///< sets of two parents or more
  std::uint64_t last_improvement = 0;  ///< how many were scored when the last one kept was found
  bool exhausted = false;              ///< the open list ran empty
  bool cut = false;                    ///< a set of max_parents might have grown further
};

class GrowingSets {
 public:
  /// `bounds`, if the score has such, must outlive it.
  GrowingSets(EncodedData const& data, BitPlanes const& planes, ScoreSpec const& spec,
              GrowOptions options, FamilyBounds const* bounds = nullptr);
  ~GrowingSets();

  /// Grows parent sets of `child` until `go_on(result so far)` says false; it is asked once for
  /// every scored set. `parents` are the single parents to grow from, with the empty set's score.
  GrowResult run(Variable child, Fixed empty, std::vector<SingleParent> parents,
                 std::function<bool(GrowResult const&)> const& go_on);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// More parents than this are never grown from: ids take ten bits.
inline constexpr std::size_t max_grown_parents = 1023;

}  // namespace bayesloom
