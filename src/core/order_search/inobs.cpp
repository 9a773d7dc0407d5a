// Climbs by inserts, again and again from random orders [lee2017 section 3].
#include "base/errors.hpp"
#include "order_search/archipelago.hpp"
#include "order_search/climb.hpp"
#include "order_search/order_search.hpp"

namespace bayesloom {

using namespace order_search;

OrderSearchResult inobs(ScoreCache const& cache, InobsOptions const& options,
                        OrderSearchLimits const& limits, Control& control) {
  return run_islands(cache, limits, control, [&](Island& island, auto const& start) {
    Climber climber(island, options.selection);
    climber.reset(start);
    for (std::size_t done = 1; climber.climb() && !island.stopped(); ++done) {
      if (done == options.climbs) return;
      climber.reset(island.table.random_order(island.rng));
    }
  });
}

std::vector<std::size_t> best_for_order(ScoreCache const& cache,
                                        std::vector<Variable> const& order) {
  check_order(cache, order);
  CandidateTable const table(cache);
  OrderState state;
  table.evaluate(order, state);
  return table.candidates(state.choice);
}

InsertGains insert_gains(ScoreCache const& cache, std::vector<Variable> const& order, Variable x) {
  check_order(cache, order);
  if (x >= cache.variable_count()) throw InputError("there is no such variable.");
  CandidateTable const table(cache);
  OrderState state;
  table.evaluate(order, state);
  InsertKernel kernel(table);
  InsertGains out{};
  for (Fixed const gain : kernel.all(state, x))
    out.gains.push_back(gain == impossible_gain ? std::nullopt : std::optional(gain));
  Insert const best = kernel.best(state, x);
  out.best_position = best.place - std::size_t{1};
  out.best_gain = best.gain;
  return out;
}

}  // namespace bayesloom
