// ROOM order_search: good networks for any number of variables, by search over orders
// [teyssier2005, scanagatta2015 section 4, lee2017].
//
// Given an order, each variable takes its best candidate among those whose parents all come before
// it; the score of an order is the sum of these local scores. Every network arises from some order.
//
//   obs     swaps neighbours in the order, with a tabu list
//   asobs   acyclic selection: goes through an order backwards and lets parents come later where that
//           closes no cycle; then order moves
//   inobs   moves one variable to any place (insert neighbourhood)
//   iinobs  inobs, shaken up and climbed again, with restarts
//   minobs  a population of local optima with crossover and mutation
//
// Scores are maximised throughout; [lee2017] minimises costs. Differences from the papers: all places of a variable
// are evaluated at once instead of by a sequence of swaps (insert_kernel.hpp), only variables that may gain are
// evaluated again, and neutral moves are added. The bound
// is the sum of the best local scores: it proves optimality only where every variable gets its best
// candidate.
//
// Work: variables whose choice, place or swap was looked up. A search stops at its limits, at the
// target, or when the bound is reached. Islands are independent searches; under a work limit each
// gets an equal share, so the result does not depend on the number of threads.
//
// Throws InfeasibleError if the candidates allow no network, which is decided for certain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/control.hpp"
#include "base/exchange.hpp"
#include "cache/score_cache.hpp"
#include "graph/solve_result.hpp"

namespace bayesloom {

struct OrderSearchLimits {
  std::optional<std::uint64_t> work;  ///< over all islands; give Control none
  std::optional<Fixed> target;        ///< stop at this score
  /// Stop once the work is this many times the work at the last improvement; 0 means never.
  double patience = 0;
  std::size_t islands = 1;
  std::optional<std::size_t> only;  ///< run this island alone, as it is among all of them
  std::size_t threads = 1;
  std::uint64_t seed = 0;
  std::vector<Variable> start;  ///< an order to begin with; empty means a random one
  Exchange* exchange =
      nullptr;  ///< with a solver that runs at the same time; `minobs` also takes from it
};

struct TraceEntry {
  double seconds;
  std::uint64_t work;
  Fixed score;
};

struct OrderSearchResult : SolveResult {
  std::vector<Variable> order;    ///< the order in which the network was found
  std::vector<TraceEntry> trace;  ///< improvements, each above the one before
};

struct ObsOptions {
  std::size_t tabu = 10;    ///< so many of the latest swaps may not be undone
  std::size_t stall = 100;  ///< steps without a better score before a climb ends
  std::size_t climbs = 1;   ///< 0 means until stopped
};

OrderSearchResult obs(ScoreCache const& cache, ObsOptions const& options,
                      OrderSearchLimits const& limits, Control& control);

/// What follows acyclic selection.
enum class OrderMoves : std::uint8_t { none, swaps, inserts };

struct AsobsOptions {
  OrderMoves moves = OrderMoves::swaps;
  std::size_t tabu = 10;
  std::size_t stall = 100;
  std::size_t climbs = 1;  ///< 0 means until stopped
};

OrderSearchResult asobs(ScoreCache const& cache, AsobsOptions const& options,
                        OrderSearchLimits const& limits, Control& control);

/// How a climb picks among improving inserts [lee2017 section 3].
enum class Selection : std::uint8_t { best, first, hybrid };

struct InobsOptions {
  Selection selection = Selection::hybrid;
  std::size_t climbs = 1;  ///< 0 means until stopped
};

OrderSearchResult inobs(ScoreCache const& cache, InobsOptions const& options,
                        OrderSearchLimits const& limits, Control& control);

/// How a local optimum is left: by exchanging pairs, or by moving single variables.
enum class Shake : std::uint8_t { swaps, inserts };

struct IinobsOptions {
  Shake shake = Shake::inserts;
  double strength = 0;  ///< p_s: share of n that is disturbed, at least one
  double leeway = 0;    ///< epsilon: accept down to score - leeway |score|
  std::size_t soft_restart =
      0;  ///< r_s: after so many shakes without a better score; 0 means never
  double soft_restart_share = 100;  ///< the same as a multiple of n; 0 means never
  std::size_t hard_restart = 0;     ///< r_h: after so many shakes in all; 0 means never
  std::size_t neutral = 100;        ///< every so many shakes a neutral move instead; 0 means never
};

OrderSearchResult iinobs(ScoreCache const& cache, IinobsOptions const& options,
                         OrderSearchLimits const& limits, Control& control);

enum class Crossover : std::uint8_t { cx, rx, ob };

struct MinobsOptions {
  std::size_t population = 20;  ///< N
  Crossover crossover = Crossover::ob;
  std::size_t crossovers = 20;       ///< c_n, a generation
  std::size_t mutations = 6;         ///< m_n, a generation
  double mutation_power = 0.01;      ///< m_p: share of n exchanged
  std::size_t diversify_after = 32;  ///< d_t generations
  double diversify_change = 0.001;   ///< d_delta: change of the mean score, in nats
  std::size_t diversify_keep = 4;    ///< d_n
  double polish = 10;                ///< trials in vain before a member is done, as a share of n
  std::size_t neutral = 100;         ///< every so many trials a neutral move instead; 0 means never
};

OrderSearchResult minobs(ScoreCache const& cache, MinobsOptions const& options,
                         OrderSearchLimits const& limits, Control& control);

/// The best network for an order: each variable's best candidate among those before it, one
/// candidate of the cache per variable. Throws InfeasibleError if the order leaves a variable
/// without any, InputError unless the order names every variable once.
std::vector<std::size_t> best_for_order(ScoreCache const& cache,
                                        std::vector<Variable> const& order);

/// The network of acyclic selection for an order; errors as above.
std::vector<std::size_t> acyclic_selection(ScoreCache const& cache,
                                           std::vector<Variable> const& order);

/// What the order gains if x moves to position 0 .. n-1, nothing where a variable would be left
/// without a candidate; and what the pruned search for the best of them answers.
struct InsertGains {
  std::vector<std::optional<Fixed>> gains;
  std::size_t best_position;
  Fixed best_gain;
};
InsertGains insert_gains(ScoreCache const& cache, std::vector<Variable> const& order, Variable x);

}  // namespace bayesloom
