// From an order to a good one by exchanging neighbours [teyssier2005].
//
// If a stands right before b, exchanging them changes two choices only: a may now take a candidate
// that contains b, and b falls back if it had chosen a. The gains of all n - 1 swaps are kept;
// after a swap three of them are looked up again. Each step takes the best swap that is not tabu,
// even if it loses; pairs swapped lately are tabu. Equal swaps, and there are many, are met in
// random order.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "order_search/island.hpp"

namespace bayesloom::order_search {

class SwapClimber {
 public:
  /// `tabu`: how many of the latest swaps may not be undone; `stall`: steps without a better score
  /// before the climb ends.
  SwapClimber(Island& island, std::size_t tabu, std::size_t stall);

  /// Climbs from a complete order; the best order met is left in `best()`. False if stopped.
  bool climb(std::span<Variable const> order);

  OrderState const& best() const { return best_; }

 private:
  struct Swap {
    Fixed gain;
    Rank front, back;  // what the variables now at i and i + 1 would choose
  };

  Swap look_up(std::size_t i) const;
  bool is_tabu(std::size_t i) const;
  std::size_t best_swap();
  void apply(std::size_t i);

  Island& island_;
  std::size_t const tabu_, stall_;
  OrderState state_, best_;
  std::vector<Swap> swaps_;
  std::vector<std::pair<Variable, Variable>> latest_;  // a ring
  std::size_t next_ = 0;
};

}  // namespace bayesloom::order_search
