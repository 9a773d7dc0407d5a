// Iterated climbs: shake up, climb, keep what is not worse [lee2017 section 4, Algorithm 2].
//
// The paper accepts if s'(1 - e) < s, in costs. Here, with scores of any sign and larger better,
//
//   accept if  score' >= score - e |score|
//
// Equal scores are accepted, so that the search can cross plateaus.
#include <algorithm>
#include <cmath>
#include <limits>

#include "order_search/archipelago.hpp"
#include "order_search/shake.hpp"

namespace bayesloom {

using namespace order_search;

namespace {

class IteratedClimb {
 public:
  IteratedClimb(Island& island, IinobsOptions const& options)
      : island_(island),
        options_(options),
        climber_(island, Selection::hybrid),
        times_(shake_times(options.strength, island.table.size())),
        stale_limit_(stale_limit(options, island.table.size())) {}

  /// One descent from a start until a restart is due. False if stopped.
  bool run(std::vector<Variable> const& start) {
    climber_.reset(start);
    if (!climber_.climb() || island_.stopped()) return false;
    current_ = climber_.state();
    Fixed best = current_.score;
    std::size_t since_best = 0;
    for (std::size_t shakes = 0; !island_.stopped(); ++shakes) {
      if (since_best >= stale_limit_) return true;
      if (options_.hard_restart > 0 && shakes >= options_.hard_restart) return true;
      if (!disturb_and_climb(shakes)) return false;
      accept();
      ++since_best;
      if (current_.score > best) {
        best = current_.score;
        since_best = 0;
      }
    }
    return false;
  }

 private:
  /// Shakes without a better score before a restart.
  static std::size_t stale_limit(IinobsOptions const& options, std::size_t n) {
    std::size_t limit = std::numeric_limits<std::size_t>::max();
    if (options.soft_restart > 0) limit = options.soft_restart;
    if (options.soft_restart_share > 0)
      limit = std::min(limit, shake_times(options.soft_restart_share, n));
    return limit;
  }

  bool disturb_and_climb(std::size_t shakes) {
    if (options_.neutral > 0 && (shakes + 1) % options_.neutral == 0) {
      neutral_move(climber_, island_, current_);
    } else {
      shake(climber_, island_.rng, options_.shake, times_);
    }
    return climber_.climb() && !island_.stopped();
  }

  void accept() {
    OrderState const& next = climber_.state();
    double const score = static_cast<double>(current_.score);
    bool const good = next.score >= current_.score ||
                      static_cast<double>(next.score) > score - options_.leeway * std::abs(score);
    if (good) {
      current_ = next;
    } else {
      climber_.restore(current_);
    }
  }

  Island& island_;
  IinobsOptions const& options_;
  Climber climber_;
  std::size_t const times_, stale_limit_;
  OrderState current_;
};

}  // namespace

OrderSearchResult iinobs(ScoreCache const& cache, IinobsOptions const& options,
                         OrderSearchLimits const& limits, Control& control) {
  return run_islands(cache, limits, control, [&](Island& island, auto const& start) {
    IteratedClimb search(island, options);
    for (auto order = start; search.run(order);) order = island.table.random_order(island.rng);
  });
}

}  // namespace bayesloom
