// ROOM relaxation: a bound for every cache, and the best network where bound and network meet
// [jaakkola2010].
//
// In any set C of variables (a cluster) at least one takes no parent from C. Each cluster gets a
// price of at least 0, paid to a member that takes no parent inside and subtracted once from the
// total. Any prices give a bound:
//
//   bound = sum over i of max over P of s(i, P; prices)  -  sum over C of price(C)
//   s(i, P; prices) = s(i, P) + sum of price(C) over the clusters C that hold i and no member of P
//
// The bound is lowered by steps on prices, smoothed (dual/smoothed_bound.hpp) and plain
// (dual/ascent.hpp), candidates that cannot be part of a better network are taken out
// (dual/reduction.hpp), and what gap is left is closed by branch and bound (tree.hpp). Larger is
// better throughout, as in the paper; unlike there all numbers are whole, so the bound is exact.
// Where we differ from the paper: docs/papers/jaakkola2010.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/exchange.hpp"
#include "cache/score_cache.hpp"
#include "dual/given_prices.hpp"
#include "dual/linear_program.hpp"
#include "graph/solve_result.hpp"
#include "relaxation/options.hpp"

namespace bayesloom {

struct BblpOptions {
  /// Whether to search over sets of placed variables as well (components of at most 64 variables):
  /// in turns with branching, or in its place.
  enum class Sets { in_turns, never, only };

  std::uint64_t seed = 0;
  std::size_t moves = 10000;  ///< tries to move a variable, for the first network
  bool branch = true;         ///< false: stop after the bound at the root
  Sets sets = Sets::in_turns;
  double memory_bytes = 4e9;       ///< for that search
  std::size_t threads = 1;         ///< once no other solver is at work beside
  std::size_t threads_beside = 1;  ///< before; neither changes the result
  double target_gap = 0;           ///< stop once bound - score is at most this, in nats
  std::vector<std::size_t>
      start;                     ///< a network to begin with: one candidate per variable, or empty
  Exchange* exchange = nullptr;  ///< with a solver that runs at the same time
  /// Only networks above this score count: the bound need not fall below it.
  std::optional<Fixed> floor;
  relaxation::DivisionOptions division;
  /// Lists of prices to begin with, taken in turn (dual/given_prices.hpp).
  std::vector<std::vector<dual::Cluster>> prices;
  relaxation::CoolingOptions cooling;
  relaxation::TurnOptions turns;
  relaxation::CutOptions cuts;
  /// If there is one: branch and cut with it takes the place of branching by prices.
  dual::LinearProgram* program = nullptr;
  relaxation::CutTreeOptions cut_tree;
  relaxation::SetsOptions set_search;
  relaxation::TreeOptions tree;
  relaxation::DiveOptions dive;
};

/// A moment at which score or bound got better.
struct BoundPoint {
  double seconds;
  std::uint64_t work;
  Fixed score, bound;
};

/// A part of what is open, by numbers of the cache, for others to go on with: any network over these
/// candidates (and what is decided) scores at most `bound`, those of the variables that are named alone.
struct OpenPart {
  std::vector<std::size_t> candidates;  ///< ascending
  std::vector<std::size_t> decided;     ///< of variables that have one candidate only
  std::vector<dual::Cluster> clusters;  ///< with a price
  Fixed bound = 0;
};

struct BblpResult : SolveResult {
  std::vector<BoundPoint> trace;
  std::uint64_t nodes = 0;              ///< of the trees
  std::size_t cuts = 0;                 ///< with a price, at roots
  Fixed root_bound = 0;                 ///< before any branching
  std::vector<dual::Cluster> clusters;  ///< with a price at the root
  /// Without branching: the prices that took candidates out on the way there, in turn.
  std::vector<std::vector<dual::Cluster>> fixes;
  /// If it was to be divided: where a network above both score and floor is, if there is one. Of subtrees one
  /// of them has it whole. Of components each has what is open of it, and what is not is in `closed`.
  std::vector<OpenPart> open;
  Fixed closed = 0;  ///< bound of the variables that are in no part, together
};

/// Bound, network, and unless stopped a proof that they are equal. Throws InfeasibleError if the
/// candidates allow no network, InputError for a start that is none. Work: price steps and moves.
BblpResult bblp(ScoreCache const& cache, BblpOptions const& options, Control& control);

}  // namespace bayesloom
