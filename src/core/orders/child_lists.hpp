// For every variable x the variables that may have it as a parent, and through which candidates.
//
// A pair (x, w) stands for "some candidate of w contains x". Its candidates are given by their rank
// in the list of w (0 is the best), ascending:
//
//   child   the variable w; the pairs of x are ascending in w
//   best    rank of the best candidate of w that contains x
//   rest    where the further ranks begin in `ranks`, counted from the first one of x
//
// If `best` is worse than the present choice of w, then w does not mind where x stands. One compare
// per pair settles most pairs, which is why `best` is kept apart from the other ranks. Memory: 10
// bytes a pair and 4 bytes a further rank, less than the cache itself.
//
// The other way round, for a variable with many candidates: its parents in the order in which its
// list first names them, so that "all parents of candidates 0 .. r" needs no walk through r
// candidates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/variable.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom::orders {

using Rank = std::uint32_t;  ///< of a candidate in its variable's list, best first

class ChildLists {
 public:
  struct Seen {
    Rank rank;  ///< of the best candidate with this parent
    Variable parent;
  };

  /// Throws ResourceError if a variable has, or occurs in, 2^32 candidates or more.
  explicit ChildLists(ScoreCache const& cache);

  std::size_t begin(Variable x) const { return pair_first_[x]; }
  std::size_t end(Variable x) const { return pair_first_[x + std::size_t{1}]; }
  Variable child(std::size_t pair) const { return child_[pair]; }
  Rank best(std::size_t pair) const { return best_[pair]; }

  /// Ranks after `best` of a pair of x.
  std::span<Rank const> rest(Variable x, std::size_t pair) const {
    std::size_t const base = rank_first_[x];
    std::size_t const stop =
        pair + 1 < end(x) ? base + rest_[pair + 1] : rank_first_[x + std::size_t{1}];
    std::size_t const start = base + rest_[pair];
    return {ranks_.data() + start, stop - start};
  }

  /// The parents of v by the rank at which they are first named; empty for short lists (tuning.hpp).
  std::span<Seen const> seen(Variable v) const {
    return {seen_.data() + seen_first_[v], seen_.data() + seen_first_[v + std::size_t{1}]};
  }

  /// The pair (x, w), or end(x) if no candidate of w contains x. O(log of the pairs of x).
  std::size_t find(Variable x, Variable w) const;

 private:
  std::vector<std::size_t> pair_first_;  // n + 1
  std::vector<std::size_t> rank_first_;  // n + 1
  std::vector<Variable> child_;
  std::vector<Rank> best_;
  std::vector<std::uint32_t> rest_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> seen_first_;  // n + 1
  std::vector<Seen> seen_;
};

}  // namespace bayesloom::orders
