// Prices from outside, and what they prove.
//
// Any prices of at least 0 on any rules give a bound (node.hpp), wherever they come from: an
// earlier run, or the duals of a linear program. So they are checked for form alone, and the bound
// is computed from them here, in whole numbers.
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

namespace bayesloom::prices {

/// A rule and its price as it comes in: members by their number in the cache, blocks empty or one
/// number for each of four members (Cluster::blocks).
struct GivenRule {
  std::vector<std::int64_t> members;
  std::int64_t need = 1;
  std::int64_t price = 0;
  std::vector<std::int64_t> blocks;
};

/// Throws InputError, with what is wrong, unless every network over n variables obeys each rule,
/// prices are at least 0, and their sum is in range.
std::vector<Cluster> checked_rules(std::span<GivenRule const> rules, std::size_t n);

/// The other way round.
std::vector<GivenRule> given_rules(std::span<Cluster const> clusters);

/// A cache as a node with given prices.
struct PricedRoot {
  Node node;
  Fixed bound;  ///< the least bound of any list, in losses; at least what the known network loses
};

/// Lists are applied in turn. Without any, the node has no prices. `known` is the score of some
/// network: candidates that no better one uses are left out.
PricedRoot priced_root(ScoreCache const& cache, Universe const& universe, Fixed known,
                       std::span<std::vector<Cluster> const> lists);

}  // namespace bayesloom::prices
