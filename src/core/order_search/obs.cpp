// Order-based search: swaps of neighbours, tabu list, restarts [teyssier2005].
#include "order_search/archipelago.hpp"
#include "order_search/swap_climb.hpp"

namespace bayesloom {

using namespace order_search;

OrderSearchResult obs(ScoreCache const& cache, ObsOptions const& options,
                      OrderSearchLimits const& limits, Control& control) {
  return run_islands(cache, limits, control, [&](Island& island, auto const& start) {
    SwapClimber climber(island, options.tabu, options.stall);
    auto order = start;
    for (std::size_t done = 1; climber.climb(order) && !island.stopped(); ++done) {
      if (done == options.climbs) return;
      order = island.table.random_order(island.rng);
    }
  });
}

}  // namespace bayesloom
