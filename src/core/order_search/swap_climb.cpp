#include "order_search/swap_climb.hpp"

#include <algorithm>

#include "orders/insert_kernel.hpp"

namespace bayesloom::order_search {

SwapClimber::SwapClimber(Island& island, std::size_t tabu, std::size_t stall)
    : island_(island), tabu_(tabu), stall_(stall) {
  latest_.reserve(tabu);
}

SwapClimber::Swap SwapClimber::look_up(std::size_t i) const {
  CandidateTable const& table = island_.table;
  auto const& children = table.children();
  Variable const a = state_.order[i], b = state_.order[i + 1];
  Swap swap{0, state_.choice[a], state_.choice[b]};
  // Places of other variables relative to either do not change: b counts as before a, a as after b.
  if (std::size_t const pair = children.find(b, a); pair < children.end(b)) {
    Place const behind = static_cast<Place>(state_.place[b]);
    auto const open = [&](Rank r) {
      for (Variable const p : table.parents(a, r))
        if (state_.place[p] > behind) return false;
      return true;  // a is no parent of itself, so all others stand before it
    };
    if (children.best(pair) < swap.front) {
      if (open(children.best(pair))) {
        swap.front = children.best(pair);
      } else {
        for (Rank const r : children.rest(b, pair)) {
          if (r >= swap.front) break;
          if (open(r)) swap.front = r;
        }
      }
    }
  }
  if (table.contains(b, swap.back, a)) {
    swap.back = table.first_available(b, swap.back + 1, state_.place, state_.place[a]);
    if (swap.back == table.count(b)) return {impossible_gain, 0, 0};
  }
  swap.gain = table.score(a, swap.front) - table.score(a, state_.choice[a]) +
              table.score(b, swap.back) - table.score(b, state_.choice[b]);
  return swap;
}

bool SwapClimber::is_tabu(std::size_t i) const {
  auto const pair = std::minmax(state_.order[i], state_.order[i + 1]);
  return std::ranges::find(latest_, std::pair<Variable, Variable>(pair)) != latest_.end();
}

/// The best swap that is not tabu, looked for from a random position on; n - 1 if there is none.
std::size_t SwapClimber::best_swap() {
  std::size_t const count = swaps_.size();
  std::size_t chosen = count;
  Fixed most = impossible_gain;
  std::size_t const offset = island_.rng.below(count);
  auto const look = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (swaps_[i].gain > most && !is_tabu(i)) {
        most = swaps_[i].gain;
        chosen = i;
      }
  };
  look(offset, count);
  look(0, offset);
  return chosen;
}

void SwapClimber::apply(std::size_t i) {
  Variable const a = state_.order[i], b = state_.order[i + 1];
  if (tabu_ > 0) {
    std::pair<Variable, Variable> const pair = std::minmax(a, b);
    if (latest_.size() < tabu_) {
      latest_.push_back(pair);
    } else {
      latest_[next_] = pair;
    }
    next_ = (next_ + 1) % tabu_;
  }
  state_.score += swaps_[i].gain;
  state_.choice[a] = swaps_[i].front;
  state_.choice[b] = swaps_[i].back;
  std::swap(state_.order[i], state_.order[i + 1]);
  std::swap(state_.place[a], state_.place[b]);
  state_.regather(i + 1, i + 2);
  for (std::size_t k = i > 0 ? i - 1 : 0; k <= i + 1 && k < swaps_.size(); ++k)
    swaps_[k] = look_up(k);
}

bool SwapClimber::climb(std::span<Variable const> order) {
  island_.table.evaluate(order, state_);
  best_ = state_;
  latest_.clear();
  next_ = 0;
  swaps_.resize(order.size() - 1);
  bool stopped = island_.spend(order.size());
  for (std::size_t i = 0; i < swaps_.size() && !stopped; ++i) {
    swaps_[i] = look_up(i);
    stopped = island_.spend(1);
  }
  Fixed highest = state_.score;
  std::size_t stale = 0;
  bool ahead = false;  // the present order is the best one and not copied yet
  while (!stopped && !swaps_.empty()) {
    std::size_t const i = best_swap();
    if (i == swaps_.size()) break;
    bool const gains = swaps_[i].gain > 0;
    if (!gains && ahead) best_ = state_;  // one copy for a whole run of gains
    if (!gains) ahead = false;
    if (!gains && stale >= stall_) break;
    apply(i);
    ++stale;
    stopped = island_.spend(3);
    if (state_.score > highest) {
      highest = state_.score;
      ahead = true;
      stale = 0;
    }
  }
  if (ahead) best_ = state_;
  island_.offer(best_);
  return !stopped;
}

}  // namespace bayesloom::order_search
