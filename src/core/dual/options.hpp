// Every tuned number of the dual but those that a caller sets (AscentOptions in ascent.hpp). Ranges
// are what makes sense, not what was measured; the table named shows what a change does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom::dual {

/// Smoothed steps; all in temperatures. See benchmarks/tables/jaakkola2010/table1.
struct SmoothingOptions {
  double reach = 30;           ///< candidates that far below the best have no weight; 20 to 40
  double longest_step = 8;     ///< of one price, so that no weight overflows; 2 to 10
  double longest_drift = 20;   ///< after that a candidate left out could have weight; < reach
  double least_drift = 0.01;   ///< prices that moved by less are balanced; 0.001 to 0.1
  double least_change = 0.05;  ///< passes end when no price moves by more; 0.01 to 0.5
  double least_step = 1e-3;    ///< a price that would move by less stays; 1e-5 to 0.01
  int newton_steps = 30;       ///< of one price, at most; 5 to 100
  double newton_sum = 1e-3;    ///< they end when shares add up to the need so nearly; 1e-5 to 0.01
  double newton_step = 1e-4;   ///< or when the price is known so nearly; below least_step
};
inline constexpr SmoothingOptions smoothing;

/// Violated inequalities and splits; all in shares. See benchmarks/tables/relaxation/blip.
struct FractionOptions {
  double rounding = 1e-6;     ///< sums that differ by less are the same; 1e-9 to 1e-4
  double most_above = 0.6;    ///< a sum so far above the least met is given up; 0.2 to 1
  double least_even = 0.02;   ///< of a split: the smaller side has more than this; 0 to 0.1
  double cycle_step = 1e-4;   ///< length of an arc besides its share: shorter cycles win ties
  double least_share = 0.01;  ///< smaller shares are left out; 0 to 0.05
  double least_violation =
      0.05;                   ///< a smaller violation does not count while prices move; 0 to 0.2
  double given_share = 1e-6;  ///< smaller shares are left out where a caller gives them; 0 to 0.01
  std::size_t many_starts = 1000;  ///< for each variable, where one found nothing for a caller
};
inline constexpr FractionOptions fractions;

/// Zero-half cuts (zero_half.hpp). Measured on tables with many rows: docs/relaxation.md.
struct ZeroHalfOptions {
  double most_margin = 0.3;    ///< of an inequality that a cut is made of; 0.1 to 0.5
  std::size_t starts = 300;    ///< inequalities from which a search begins; 50 to 1000
  std::size_t steps = 12;      ///< of each search; 4 to 20
  std::size_t most_rules = 8;  ///< of which a cut is made; 3 to 12
  std::size_t tabu = 4;        ///< steps for which a change is not undone; 2 to 8
  double good = 0.5;           ///< a search ends with a cut that is violated by so much; 0.3 to 0.6
  double least_violation = 0.03;  ///< in shares; 0.01 to 0.1
  std::size_t most_cuts = 100;    ///< at a time; 20 to 200
  unsigned most_weight = 31;      ///< of a candidate in a cut; 3 to 255
};
inline constexpr ZeroHalfOptions zero_half;

/// Exact steps: the tolerance is divided by this until it is the least gain; 2 to 10.
inline constexpr std::int64_t finer = 4;

/// The remaining bound. See benchmarks/tables/relaxation/proofs.
struct RemainingOptions {
  std::size_t most_inequalities = 511;  ///< the dearest; one less than a multiple of 64, up to 1023
  std::size_t slots = 1024;             ///< recent maxima held for each variable; a power of two
};
inline constexpr RemainingOptions remaining;

/// How long reduced costs are worked on, from hot to cold. See benchmarks/tables/liao2018/table1.
struct PaceOptions {
  double hottest, coldest;  ///< temperatures, as shares of the gap for each variable; 0.0005 to 1
  double cooling;           ///< factor from one to the next; 0.3 to 1
  std::size_t rounds, passes;   ///< of new clusters at each, and over clusters in each; 1 to 30
  double least;                 ///< share of the margin that a temperature without effect must gain
  std::size_t worthwhile = 50;  ///< it begins anew while one candidate in so many is taken out
};
inline constexpr PaceOptions rough_pace{0.01, 0.01, 1, 1, 5, 0};
inline constexpr PaceOptions quick_pace{0.1, 0.001, 0.36, 8, 15, 0.01};
inline constexpr PaceOptions slow_pace{0.1, 0.001, 0.6, 8, 15, 0};

/// Prices over the candidates that matter (restricted_prices.hpp); temperatures are shares of the gap for each
/// variable. See benchmarks/tables/relaxation/dense.
struct RestrictedOptions {
  double hottest = 0.1, coldest = 0.001;  ///< 0.001 to 1
  double cooling = 0.7;                   ///< factor from one to the next; 0.5 to 0.9
  std::size_t rounds = 2,
              passes = 15;  ///< of new clusters at each, and over clusters in each; 1 to 30
  std::size_t top = 200;    ///< candidates of each variable that come in at a time; 50 to 1000
  std::int64_t least_round = 100;  ///< coldest steps go on while they gain gap / this; 20 to 1000
};
inline constexpr RestrictedOptions restricted;

}  // namespace bayesloom::dual
