#include "order_search/climb.hpp"

#include <algorithm>

namespace bayesloom::order_search {

Climber::Climber(Island& island, Selection selection)
    : island_(island), selection_(selection), kernel_(island.table), dirty_(island.table.size()) {}

void Climber::reset(std::span<Variable const> order) {
  island_.table.evaluate(order, state_);
  island_.spend(order.size());
  dirty_.add_all();
}

void Climber::restore(OrderState const& optimum) {
  state_ = optimum;
  dirty_.clear();
}

bool Climber::force(Variable x, Place place) {
  if (place == state_.place[x]) return true;
  island_.spend(1);
  Insert const insert = kernel_.at(state_, x, place);
  if (insert.gain == impossible_gain) return false;
  kernel_.apply(state_, x, insert, dirty_);
  dirty_.add(x);
  return true;
}

bool Climber::exchange(Place a, Place b) {
  if (a == b) return true;
  auto const [low, high] = std::minmax(a, b);
  Variable const x = state_.order[low - std::size_t{1}];
  Variable const y = state_.order[high - std::size_t{1}];
  // y first: x then moves up by one and still has everything before it.
  return force(y, low) && force(x, high);
}

bool Climber::climb() {
  bool const done = selection_ == Selection::hybrid  ? climb_hybrid()
                    : selection_ == Selection::first ? climb_first()
                                                     : climb_best();
  island_.offer(state_);
  return done;
}

bool Climber::climb_hybrid() {
  while (!dirty_.empty()) {
    if (island_.spend(1)) return false;
    Variable const x = dirty_.take_random(island_.rng);
    Insert const insert = kernel_.best(state_, x);
    if (insert.gain > 0) kernel_.apply(state_, x, insert, dirty_);
  }
  return true;
}

bool Climber::climb_first() {
  while (!dirty_.empty()) {
    if (island_.spend(1)) return false;
    Variable const x = dirty_.take_random(island_.rng);
    if (kernel_.best(state_, x).gain <= 0) continue;
    auto const gains = kernel_.all(state_, x);
    auto const count = std::ranges::count_if(gains, [](Fixed gain) { return gain > 0; });
    auto left = island_.rng.below(static_cast<std::uint64_t>(count));
    std::size_t place = 1;
    for (; gains[place - 1] <= 0 || left-- > 0;) ++place;
    kernel_.apply(state_, x, kernel_.at(state_, x, static_cast<Place>(place)), dirty_);
    dirty_.add(x);
  }
  return true;
}

bool Climber::climb_best() {
  std::vector<Variable> gaining, looked_at;
  for (;;) {
    // A variable that is neither dirty nor gained last time cannot gain now; the others are valued
    // anew, since a move elsewhere may have lowered what they gain.
    looked_at = gaining;
    for (; !dirty_.empty();) looked_at.push_back(dirty_.take_random(island_.rng));
    std::ranges::sort(looked_at);
    looked_at.erase(std::ranges::unique(looked_at).begin(), looked_at.end());
    gaining.clear();
    Fixed most = 0;
    Variable chosen = 0;
    for (Variable const x : looked_at) {
      if (island_.spend(1)) return false;
      Fixed const gain = kernel_.best(state_, x).gain;
      if (gain > 0) gaining.push_back(x);
      if (gain > most) {
        most = gain;
        chosen = x;
      }
    }
    if (most == 0) return true;
    kernel_.apply(state_, chosen, kernel_.best(state_, chosen), dirty_);
  }
}

}  // namespace bayesloom::order_search
