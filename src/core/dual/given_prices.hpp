// Prices from outside, and what they prove.
//
// Any prices of at least 0 on any inequalities give a bound (problem.hpp), wherever they come from:
// an earlier run, or the duals of a linear program. So they are checked for form alone, and the
// bound is computed from them here, in whole numbers.
//
// Several lists of prices are taken in turn: each takes out candidates that no better network uses
// (reduce.hpp), the next is applied to what is left, and the list with the lowest bound stays. The
// duals of a program over the candidates that one list left are a good bound over these alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cache/score_cache.hpp"
#include "dual/problem.hpp"

namespace bayesloom::dual {

/// An inequality and its price as it comes in: members by their number in the cache, blocks empty
/// or one number for each of four members (Cluster::blocks).
struct GivenInequality {
  std::vector<std::int64_t> members;
  std::int64_t need = 1;
  std::int64_t price = 0;
  std::vector<std::int64_t> blocks;
};

/// Throws InputError, with what is wrong, unless every network over n variables obeys each
/// inequality, prices are at least 0, and their sum is in range.
std::vector<Cluster> checked_inequalities(std::span<GivenInequality const> inequalities,
                                          std::size_t n);

/// The other way round.
std::vector<GivenInequality> given_inequalities(std::span<Cluster const> clusters);

/// A cache as a problem with given prices.
struct PricedProblem {
  Problem problem;
  Fixed bound;  ///< the least bound of any list, in losses; at least what the known network loses
};

/// Lists are applied in turn. Without any, the problem has no prices. `known` is the score of some
/// network: candidates that no better one uses are left out.
PricedProblem priced_problem(ScoreCache const& cache, Universe const& universe, Fixed known,
                             std::span<std::vector<Cluster> const> lists);

/// What lists of prices, taken in turn, say of a cache.
struct GivenBound {
  Fixed bound;                      ///< no network scores above it
  std::vector<std::uint64_t> kept;  ///< the candidates that a network better than the known may use
  std::vector<Fixed> reduced_cost;  ///< of each of these
};
GivenBound given_bound(ScoreCache const& cache, Fixed known,
                       std::span<std::vector<Cluster> const> lists);

}  // namespace bayesloom::dual
