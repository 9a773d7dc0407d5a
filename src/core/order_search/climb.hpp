// From an order to a local optimum of the insert neighbourhood [lee2017 Algorithm 1].
//
// hybrid   a random variable; its best place if that gains
// first    a random variable; a random place among those that gain
// best     of all variables the one with the largest gain
//
// The paper draws random variables until one gains, and starts over after each move. Here variables are drawn from
// the dirty set only, which skips those known not to gain and changes nothing else. `first` draws a variable, then a
// place; the paper draws the pair.
#pragma once

#include <span>
#include <vector>

#include "order_search/island.hpp"
#include "order_search/order_search.hpp"
#include "orders/insert_kernel.hpp"

namespace bayesloom::order_search {

using namespace orders;

class Climber {
 public:
  Climber(Island& island, Selection selection);

  OrderState const& state() const { return state_; }

  /// Starts from a complete order.
  void reset(std::span<Variable const> order);
  /// Goes back to a local optimum that was reached before.
  void restore(OrderState const& optimum);

  /// Moves a variable to a place regardless of the score; false, and nothing happens, if some
  /// variable would be left without a candidate.
  bool force(Variable x, Place place);
  /// Exchanges the variables at two places by two inserts; false if one of them could not be done.
  bool exchange(Place a, Place b);

  /// Climbs until no insert gains, and offers the result to the island. False if stopped before.
  bool climb();

 private:
  bool climb_hybrid();
  bool climb_first();
  bool climb_best();

  Island& island_;
  Selection selection_;
  InsertKernel kernel_;
  DirtySet dirty_;
  OrderState state_;
};

}  // namespace bayesloom::order_search
