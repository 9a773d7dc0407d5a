// Acyclic selection, then order moves [scanagatta2015 section 4].
//
// Letting all variables choose again on an order of the selected network gains nothing
// (docs/papers/scanagatta2015.md, 3), so the climb by swaps starts there. When it ends, selection
// is applied to the order it has reached, which by Theorem 3 is never worse; the two alternate
// until neither gains.
#include <algorithm>

#include "base/errors.hpp"
#include "order_search/acyclic_selection.hpp"
#include "order_search/archipelago.hpp"
#include "order_search/climb.hpp"
#include "order_search/shake.hpp"
#include "order_search/swap_climb.hpp"

namespace bayesloom {

namespace order_search {

AcyclicSelection::AcyclicSelection(CandidateTable const& table)
    : table_(table), choice_(table.size()), chosen_by_(table.size()), seen_(table.size(), 0) {}

void AcyclicSelection::mark_descendants(Variable v, std::uint32_t stamp) {
  queue_.assign(1, v);
  seen_[v] = stamp;
  for (std::size_t i = 0; i < queue_.size(); ++i)
    for (Variable const w : chosen_by_[queue_[i]])
      if (seen_[w] != stamp) {
        seen_[w] = stamp;
        queue_.push_back(w);
      }
}

std::vector<Rank> const& AcyclicSelection::select(std::span<Variable const> order) {
  for (auto& list : chosen_by_) list.clear();
  std::ranges::fill(seen_, 0U);
  std::uint32_t stamp = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    Variable const v = order[i];
    mark_descendants(v, ++stamp);
    auto const open = [&](Rank r) {
      for (Variable const p : table_.parents(v, r))
        if (seen_[p] == stamp) return false;
      return true;
    };
    Rank r = 0;
    while (r < table_.count(v) && !open(r)) ++r;
    if (r == table_.count(v))
      throw InfeasibleError("this order leaves variable '" + table_.cache().name(v) +
                            "' without a candidate.");
    choice_[v] = r;
    for (Variable const p : table_.parents(v, r)) chosen_by_[p].push_back(v);
  }
  return choice_;
}

}  // namespace order_search

using namespace order_search;

namespace {

class SelectAndMove {
 public:
  SelectAndMove(Island& island, AsobsOptions const& options)
      : island_(island),
        moves_(options.moves),
        selection_(island.table),
        swaps_(island, options.tabu, options.stall),
        inserts_(island, Selection::hybrid) {}

  /// From one order until neither selection nor moves gain; false if stopped.
  bool run(std::vector<Variable> order) {
    for (;;) {
      if (island_.spend(order.size())) return false;
      order = random_topological_order(island_.table, selection_.select(order), island_.rng);
      island_.table.evaluate(order, state_);
      island_.offer(state_);
      if (moves_ == OrderMoves::none) return !island_.stopped();
      Fixed const selected = state_.score;
      if (!move(order)) return false;
      if (state_.score == selected) return true;
      order = state_.order;
    }
  }

 private:
  bool move(std::vector<Variable> const& order) {
    if (moves_ == OrderMoves::swaps) {
      bool const done = swaps_.climb(order);
      state_ = swaps_.best();
      return done;
    }
    inserts_.reset(order);
    bool const done = inserts_.climb();
    state_ = inserts_.state();
    return done;
  }

  Island& island_;
  OrderMoves const moves_;
  AcyclicSelection selection_;
  SwapClimber swaps_;
  Climber inserts_;
  OrderState state_;
};

}  // namespace

OrderSearchResult asobs(ScoreCache const& cache, AsobsOptions const& options,
                        OrderSearchLimits const& limits, Control& control) {
  return run_islands(cache, limits, control, [&](Island& island, auto const& start) {
    SelectAndMove search(island, options);
    auto order = start;
    for (std::size_t done = 1; search.run(order) && !island.stopped(); ++done) {
      if (done == options.climbs) return;
      order = island.table.random_order(island.rng);
    }
  });
}

std::vector<std::size_t> acyclic_selection(ScoreCache const& cache,
                                           std::vector<Variable> const& order) {
  check_order(cache, order);
  CandidateTable const table(cache);
  return table.candidates(AcyclicSelection(table).select(order));
}

}  // namespace bayesloom
