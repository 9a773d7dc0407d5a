#include "orders/insert_search.hpp"

#include <algorithm>

namespace bayesloom::orders {

InsertSearch::InsertSearch(CandidateTable const& table, InsertSearchOptions options)
    : table_(table), options_(options), kernel_(table), dirty_(table.size()) {}

void InsertSearch::run(std::vector<Variable>& order, std::size_t looks, Rng& rng,
                       Control& control) {
  looks_left_ = looks;
  table_.evaluate(order, state_);
  dirty_.add_all();
  bool going = climb(rng, control);
  OrderState best = state_;
  while (going && table_.size() > 2) {
    move_at_random(rng);
    going = climb(rng, control);
    if (state_.score >= best.score) {
      best = state_;
    } else {
      state_ = best;
    }
  }
  dirty_.clear();
  order = std::move(best.order);
}

bool InsertSearch::climb(Rng& rng, Control& control) {
  while (!dirty_.empty()) {
    if (looks_left_ == 0 || control.should_stop()) return false;
    --looks_left_;
    Variable const x = dirty_.take_random(rng);
    if (Insert const insert = kernel_.best(state_, x); insert.gain > 0)
      kernel_.apply(state_, x, insert, dirty_);
  }
  return looks_left_ > 0 && !control.stopped();
}

void InsertSearch::move_at_random(Rng& rng) {
  std::size_t const n = table_.size();
  auto const pool = near(static_cast<Variable>(rng.below(n)));
  std::size_t const moved = 1 + rng.below(std::min(pool.size(), options_.most_moved));
  looks_left_ -= std::min(looks_left_, moved);
  for (std::size_t k = 0; k < moved; ++k) {
    Variable const x = pool[k == 0 ? 0 : rng.below(pool.size())];
    auto const place = static_cast<Place>(1 + rng.below(n));
    if (place == state_.place[x]) continue;
    Insert const insert = kernel_.at(state_, x, place);
    if (insert.gain == impossible_gain) continue;
    kernel_.apply(state_, x, insert, dirty_);
    dirty_.add(x);
  }
}

std::vector<Variable> InsertSearch::near(Variable x) const {
  std::vector<Variable> out{x};
  ChildLists const& children = table_.children();
  for (std::size_t pair = children.begin(x); pair < children.end(x); ++pair)
    out.push_back(children.child(pair));
  std::size_t const candidates = std::min<std::size_t>(table_.count(x), options_.near_candidates);
  for (std::size_t r = 0; r < candidates; ++r)
    for (Variable const p : table_.parents(x, static_cast<Rank>(r))) out.push_back(p);
  return out;
}

}  // namespace bayesloom::orders
