// Every tuned number of this room. Ranges are what makes sense, not what was measured; whoever
// changes a number looks at benchmarks/tables/relaxation/proofs and benchmarks/tables/relaxation/blip
// before and after.
//
// Temperatures (dual/smoothed_bound.hpp) are given in the scale of a node: its gap divided by its
// number of variables. Smoothing costs about half the temperature for each variable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fixed_point.hpp"
#include "dual/options.hpp"

namespace bayesloom::relaxation {

/// The bound at the root, from hot to cold, and the search for networks beside it.
struct CoolingOptions {
  double hottest = 10;   ///< first temperature: scale / this; 2 to 50
  double coldest = 20;   ///< last temperature: scale / this; 10 to 100
  double reheated = 2;   ///< first temperature when it is lowered once more: scale * this; 1 to 10
  double cooling = 0.6;  ///< factor from one temperature to the next; 0.3 to 0.9
  std::size_t rounds = 8;    ///< at each temperature, of new clusters and steps; 2 to 20
  std::size_t passes = 15;   ///< over all clusters in a round; 5 to 30
  Fixed least_round = 200;   ///< if held, a temperature stays while a round gains gap / this
  Fixed least_balance = 20;  ///< given prices stay if balancing them costs more than gap / this
  Fixed least_dive = 20;     ///< it goes on while a dive's network gains gap / this
  Fixed least_polish = 100;  ///< insert search goes on while it gains gap / this
  std::size_t polish_looks = 100;  ///< of that search, for each variable; 20 to 500
  std::size_t near_part = 10;      ///< of BblpOptions::moves, around a decoded network: 1 / this
  std::size_t near_looks = 20;     ///< and at least so many for each variable of the component
};

/// Branching and search over sets in turns, where a gap is left.
struct TurnOptions {
  std::uint64_t first = 30000;  ///< work of the first turn; each has twice the one before
  std::uint64_t second_wind =
      4;                         ///< first turns after which the bound at the root is lowered again
  std::uint64_t look_part = 32;  ///< insert search first, with work of 1 / this of a turn; 4 to 64
  std::uint64_t sets_pace =
      8;               ///< units of search over sets that take as long as one of branching; 2 to 16
  Fixed steady = 8;    ///< branching rests if search over sets gained what is left / this, and more
  Fixed behind = 2;    ///< and if its own gap is more than what that has left * this; 2 to 8
  Fixed resting = 32;  ///< search over sets rests if it gained less than what is left / this
};

/// Zero-half cuts at the root of a component that the first turns did not close: for its bound, and to take
/// candidates out. Trees go without: prices of cuts take long to find, and a node has little time.
struct CutOptions {
  bool wanted = true;
  std::uint64_t after = 8;  ///< first turns after which they begin; a power of two, 1 to 16
  double temperature = 10;  ///< scale / this; 3 to 20
  std::size_t rounds = 4,
              passes = 60;  ///< at it: new cuts, and passes over prices; 2 to 8, 15 to 100
  Fixed least_round = 40;   ///< they go on while that gains gap / this
  dual::ZeroHalfOptions zero_half{.starts = 200, .most_rules = 3};
};

/// Branch and cut by a linear program. Figures: docs/relaxation.md.
struct CutTreeOptions {
  std::uint64_t after = 2;        ///< first turns after which it is used; a power of two, 1 to 16
  double first_columns = 30;      ///< candidates for each variable in the first program; 5 to 100
  std::size_t most_columns = 50;  ///< that come in for each variable at a time; 10 to 200
  Fixed least_better = 1 << 10;   ///< what prices better by less stays out, in units
  double least_violation = 0.02;  ///< of an inequality that becomes a row; 0.01 to 0.1
  std::size_t rule_rounds = 5;    ///< of these between rounds of cuts; 1 to 20
  dual::ZeroHalfOptions zero_half{.starts = 300};
  std::size_t node_starts = 60;   ///< of the search for cuts at a node below the root; 20 to 300
  double margin = 0.1;            ///< a row with more that has no price is idle; 0.01 to 0.5
  unsigned most_idle = 1;         ///< solutions after which an idle row goes; 1 to 10
  double root_gain = 0.02;        ///< rounds of cuts go on while they gain that part of the gap
  double node_gain = 0.03;        ///< the same below the root
  std::size_t root_patience = 3;  ///< rounds in a row that gain less
  std::size_t node_rounds = 3;    ///< of cuts at a node below the root; 0 to 10
  std::size_t most_tried = 8;     ///< arrows tried on both sides; 4 to 30
  std::size_t trial_steps = 100;  ///< of the simplex method, for each side; 20 to 500
  double least_even = 0.05;       ///< of an arrow's share; 0.01 to 0.2
  double near = 1e-4;  ///< a gap of so many nats is a rounding error, to be refined; 1e-6 to 1e-3
  Fixed refined_below =
      1 << 12;                ///< units below its dual from which a price is refined; 2^8 to 2^20
  double refined_near = 1e6;  ///< units: candidates further below the best stay out; 1e5 to 1e8
  int refined_finer = 20;     ///< bits that refined prices have beyond; 10 to 30
  std::uint64_t finish_work = 100'000;  ///< of that
  std::size_t slice = 500;              ///< steps of the simplex method between looks at the clock
  std::uint64_t step_work = 150;   ///< that a step counts as, so that a second is about a million
  std::uint64_t start_work = 100;  ///< the same of a start of the search for cuts
};

/// Search over sets of placed variables. The result depends on the size of batches, not on the rest.
struct SetsOptions {
  std::size_t most_batch = 4096;   ///< sets expanded at a time; 256 to 65536
  std::size_t batch_part = 16;     ///< and at most 1 / this of those expanded before; 4 to 64
  std::size_t per_task = 32;       ///< of a batch, for a thread at a time; 8 to 128
  std::size_t least_shared = 128;  ///< batches of fewer are expanded on one thread; 32 to 1024
  std::size_t shards = 4;          ///< for each thread, up to a power of two; 2 to 16
};

/// Branch and bound.
struct TreeOptions {
  double first_temperature = 2;        ///< scale / this; 1 to 6
  double last_temperature = 12;        ///< scale / this; 6 to 24
  double trial_temperature = 6;        ///< scale / this, to rank splits; 3 to 12
  std::size_t rounds = 2, passes = 4;  ///< of new clusters and over clusters; 1 to 8
  std::size_t trial_rounds = 1, trial_passes = 3;
  std::size_t additions = 5;       ///< attempts at new clusters per round; 3 to 20
  Fixed least_round = 50;          ///< large nodes: more rounds while each gains gap / this
  double least_gain = 4;           ///< of an exact step: last temperature / this
  std::size_t large = 64;          ///< with more variables a split changes little of a node
  std::size_t reduced_part = 10;   ///< a node is bounded again if more than 1 / this of it went
  std::size_t most_divided = 400;  ///< splits that are ranked; 100 to 1000
  std::size_t most_tried = 100;    ///< of these, that are tried; 20 to 400
  std::size_t patience = 6;        ///< trials in a row without a better split; 3 to 20
  std::size_t shallow = 3;         ///< depth up to which patience is `shallow_patience`-fold
  std::size_t shallow_patience = 8;
  std::size_t most_in_round = 32;     ///< nodes that may be worked on at the same time; 1 to 64
  std::size_t spread = 16;            ///< and at most 1 / this of those open; 1 to 64
  std::uint64_t reserve = 4;          ///< each may take so many times the mean work; 2 to 10
  std::uint64_t least_shared = 2000;  ///< mean work of nodes whose trials are shared; 500 to 10000
};

/// What to do where it is stopped by a limit: nothing, or a list of what is open.
struct DivisionOptions {
  enum class Into : std::uint8_t { nothing, components, subtrees };
  Into into = Into::nothing;
  std::size_t subtrees = 8;      ///< to aim at; 2 to 64
  std::uint64_t work = 100'000;  ///< of the limit, for branching into them; at most half of it
};

/// Rounding a fractional network.
struct DiveOptions {
  double decided = 0.98;  ///< share of one candidate from which a variable is decided; 0.9 to 1
  std::size_t at_a_time = 10;  ///< of the undecided, one in so many is held; 4 to 50
  double temperature = 12;     ///< scale / this; 6 to 24
  std::size_t rounds = 1, passes = 5, additions = 3;  ///< around what is held; 1 to 10
};

}  // namespace bayesloom::relaxation
