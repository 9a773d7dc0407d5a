// ROOM order_graph: exact search over sets of placed variables [malone2011].
//
// The order graph has a node for every set U of variables; an edge from U - x to U places x after
// the others. With s*(x, W) the best local score of x among candidates inside W,
//
//   best(U) = max over x in U of  best(U - x) + s*(x, U - x)          best(all) is the optimum
//
// Like the paper, the solvers minimise internally: a score becomes a loss, its distance to the best score of the
// variable (subsets/components.hpp). At this door scores are maximised.
// Difference from the paper: no parent graphs are built (s* is read from the candidates), which saves most of the
// memory and avoids the unsound pruning of its pseudocode, see docs/papers/malone2011.md.
//
// Every solver splits the problem into components and solves them one after the other. Every solver throws
// InfeasibleError if the candidates allow no network. A good initial network makes every solver faster; in Python
// it comes from `minobs`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "graph/solve_result.hpp"

namespace bayesloom {

struct SubsetDpOptions {
  std::size_t threads = 1;
  double memory_bytes = 0;  ///< refuses to start if it would need more; 0 means no limit
  std::vector<std::size_t> start =
      {};  ///< a known network: what loses more is dropped; may be empty
};

/// Dense dynamic programming over all 2^n subsets: always exact, the oracle for everything else.
/// Work: subsets expanded.
SolveResult subset_dp(ScoreCache const& cache, SubsetDpOptions const& options, Control& control);

/// The least memory that `subset_dp` takes for a component of n variables, in bytes.
double subset_dp_bytes(std::size_t n, std::size_t threads);

/// Effort of preprocessing; it affects the time, never the answer.
struct PreparationOptions {
  std::size_t cluster_rounds = 100000;  ///< steps on dual prices at most; 0 for none
  std::size_t pattern_size = 16;        ///< members per group of the pattern databases
};

struct AstarOptions {
  std::vector<std::size_t> start;  ///< a known network, one candidate per variable; may be empty
  double memory_bytes = 0;         ///< stops there with a bound; 0 means no limit
  PreparationOptions preparation;
  std::size_t threads = 1;
};

/// Best-first search with pattern databases and cluster prices as bounds. Components of at most 64
/// variables. Work: nodes taken from the open list.
SolveResult astar(ScoreCache const& cache, AstarOptions const& options, Control& control);

/// When breadth-first search changes over to dense search. Rough numbers from the times of wdbc and
/// steel (benchmarks/tables/malone2011/table1) on one machine; they decide how long it takes, never what is found.
struct ChangeOver {
  double dense_advantage = 50;        ///< how much cheaper a step of dense search is; 10 to 200
  double candidates_per_step = 2000;  ///< candidates a member whose bounds cost as much as a step
  double worth_a_try = 0.02;          ///< share of the dense work before it is thought of; 0 to 1
};

struct BfbnbOptions {
  /// Whether to use dense search over all subsets on disk, where each costs far less than a node of the search.
  enum class Dense { when_it_pays, never, always };

  std::vector<std::size_t> start;  ///< a known network, one candidate per variable; may be empty
  std::size_t threads = 1;
  double memory_bytes = 0;  ///< for nodes and blocks; the bounds take some 20 MB besides
  std::string scratch;      ///< directory for its files, in a directory of their own
  bool resume = false;      ///< continues an unfinished search of this cache, if there is one
  PreparationOptions preparation;
  Dense dense = Dense::when_it_pays;
  /// Further settings, name and value, that must be the same for a search to be resumed.
  std::vector<std::pair<std::string, std::string>> asked;
  ChangeOver change_over = {};
};

struct BfbnbResult {
  SolveResult result;
  double disk_bytes = 0;  ///< the most its files held at once
};

/// Frontier breadth-first branch and bound in external memory. When stopped, killed or out of disk it leaves its
/// files and can be resumed with the same settings; without `resume` it starts over. It removes its files when it
/// ends. Throws ResourceError if another search of the cache is running in the same place. Components of at most 64
/// variables. Work: nodes expanded, or subsets in dense search.
BfbnbResult bfbnb(ScoreCache const& cache, BfbnbOptions const& options, Control& control);

}  // namespace bayesloom
