#include "order_search/archipelago.hpp"

#include <algorithm>
#include <memory>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "dual/simple_bound.hpp"

namespace bayesloom::order_search {

namespace {

/// Improvements of all islands in order of time, each above all before.
std::vector<TraceEntry> merged(std::vector<std::unique_ptr<Island>> const& islands) {
  std::vector<TraceEntry> all, rising;
  for (auto const& island : islands)
    if (island) all.insert(all.end(), island->trace().begin(), island->trace().end());
  std::ranges::stable_sort(all, {}, &TraceEntry::seconds);
  for (auto const& entry : all)
    if (rising.empty() || entry.score > rising.back().score) rising.push_back(entry);
  return rising;
}

}  // namespace

OrderSearchResult run_islands(
    ScoreCache const& cache, OrderSearchLimits const& limits, Control& control,
    std::function<void(Island&, std::vector<Variable> const& start)> const& search) {
  if (!limits.start.empty()) check_order(cache, limits.start);
  CandidateTable const table(cache);
  Rng const seed(limits.seed);
  std::size_t const count = std::max<std::size_t>(1, limits.islands);
  Fixed const bound = simple_bound(cache);
  std::vector<Variable> given = limits.start;
  if (!given.empty() && !table.any_order()) given = table.repaired(given);

  std::vector<std::unique_ptr<Island>> islands(count);
  auto const visit = [&](std::size_t i) {
    Island::Budget budget{
        .target = limits.target, .patience = limits.patience, .exchange = limits.exchange};
    if (limits.work) budget.work = *limits.work / count + (i < *limits.work % count ? 1 : 0);
    islands[i] = std::make_unique<Island>(table, control, budget, seed.split(i), bound);
    Island& island = *islands[i];
    auto const start = !given.empty() ? given : table.random_order(island.rng);
    search(island, start);
    if (!island.found()) {
      OrderState state;
      table.evaluate(start, state);
      island.offer(state);
    }
    // Without a work limit nothing else is worth waiting for; with one, islands do not look at each
    // other, or the result would depend on which came first.
    bool const enough =
        island.score() == bound || (limits.target && island.score() >= *limits.target);
    if (enough && !limits.work) control.cancel();
  };
  if (limits.only && *limits.only >= count) throw InternalError("there is no such island.");
  std::size_t const first = limits.only.value_or(0);
  parallel_for(limits.threads, limits.only ? 1 : count, control,
               [&](std::size_t task, std::size_t) { visit(first + task); });
  if (!islands[first]) visit(first);

  OrderSearchResult result;
  result.bound = bound;
  Island const* winner = nullptr;
  for (auto const& island : islands) {
    if (!island) continue;
    result.work += island->work();
    if (!winner || island->score() > winner->score()) winner = island.get();
  }
  result.candidates = table.candidates(winner->choice());
  result.order = winner->order();
  result.score = winner->score();
  result.trace = merged(islands);
  return result;
}

}  // namespace bayesloom::order_search
