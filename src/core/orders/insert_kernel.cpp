#include "orders/insert_kernel.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace bayesloom::orders {

namespace {

constexpr auto nearer_the_end = [](auto const& a, auto const& b) { return a.place > b.place; };
constexpr auto nearer_the_start = [](auto const& a, auto const& b) { return a.place < b.place; };

}  // namespace

InsertKernel::InsertKernel(CandidateTable const& table)
    : table_(table), memo_(table), gain_(table.size()) {}

/// What w, which stands before x, would choose if x stood before it.
Rank InsertKernel::with(OrderState const& state, Variable x, std::size_t pair, Variable w) {
  Rank const present = state.choice[w];
  Place const before = state.place[w];
  auto const open = [&](Rank r) {
    for (Variable const p : table_.parents(w, r))
      if (state.place[p] >= before && p != x) return false;
    return true;
  };
  Rank const first = table_.children().best(pair);
  if (open(first)) return first;
  auto const rest = table_.children().rest(x, pair);
  if (memo_.serves(rest.size())) return memo_.first(w, first + 1, state.before[before].with(x));
  for (Rank const r : rest) {
    if (r >= present) break;
    if (open(r)) return r;
  }
  return present;
}

/// What w, which stands after x and has it as a parent, would choose if x stood behind it; count(w)
/// if nothing is left.
Rank InsertKernel::without(OrderState& state, Variable x, Variable w) {
  Rank const from = state.choice[w] + 1;
  if (memo_.serves(table_.count(w) - from))
    return memo_.first(w, from, state.before[state.place[w]].without(x));
  Place const here = std::exchange(state.place[x], after_all);
  Rank const r = table_.first_available(w, from, state.place, state.place[w]);
  state.place[x] = here;
  return r;
}

Insert InsertKernel::best(OrderState& state, Variable x) {
  auto const& children = table_.children();
  Place const here = state.place[x];
  gains_.clear();
  losses_.clear();
  Fixed total = 0;
  for (std::size_t pair = children.begin(x), end = children.end(x); pair < end; ++pair) {
    Variable const w = children.child(pair);
    Rank const present = state.choice[w];
    if (children.best(pair) > present) continue;
    if (state.place[w] > here) {
      losses_.push_back({state.place[w], w, 0, 0});  // filled in by improve_later, if at all
      continue;
    }
    Rank const r = with(state, x, pair, w);
    if (r == present) continue;
    Fixed const amount = table_.score(w, r) - table_.score(w, present);
    gains_.push_back({state.place[w], w, r, amount});
    total += amount;
  }
  state.pull[x] = total > 0;
  Insert best{here, state.choice[x], 0};
  if (total > 0) best = best_earlier(state, x, total);
  if (state.choice[x] > 0) improve_later(state, x, best);
  return best;
}

Insert InsertKernel::best_earlier(OrderState const& state, Variable x, Fixed total) {
  std::ranges::sort(gains_, nearer_the_end);
  Insert best{state.place[x], state.choice[x], 0};
  Rank r = state.choice[x];
  Rank const count = table_.count(x);
  Fixed const own = table_.score(x, r);
  Place last = table_.last_parent(x, r, state.place);
  Fixed won = 0;
  for (Shift const& shift : gains_) {
    won += shift.amount;
    while (last >= shift.place) {
      r = memo_.serves(count) ? memo_.first(x, r + 1, state.before[shift.place]) : r + 1;
      if (r == count || own - table_.score(x, r) >= total) return best;
      last = table_.last_parent(x, r, state.place);
    }
    Fixed const gain = won + table_.score(x, r) - own;
    if (gain > best.gain) best = {shift.place, r, gain};
  }
  return best;
}

/// The stairs of x: ever nearer places, with the best candidate that is available from there on, as
/// far as it gains more than `least`.
void InsertKernel::find_steps(OrderState const& state, Variable x, Fixed least) {
  Rank const present = state.choice[x];
  Fixed const enough = table_.score(x, present) + least;
  steps_.clear();
  Place reach = after_all;
  if (memo_.serves(present)) {
    for (Rank r = memo_.first(x, 0, VarSet::full().without(x));
         r < present && table_.score(x, r) > enough;) {
      steps_.emplace_back(reach = table_.last_parent(x, r, state.place), r);
      r = memo_.first(x, r + 1, state.before[reach].without(x));
    }
    return;
  }
  for (Rank r = 0; r < present && table_.score(x, r) > enough; ++r) {
    Place const last = table_.last_parent(x, r, state.place);
    if (last < reach || steps_.empty()) steps_.emplace_back(reach = last, r);
  }
}

void InsertKernel::improve_later(OrderState& state, Variable x, Insert& best) {
  Fixed const own = table_.score(x, state.choice[x]);
  find_steps(state, x, best.gain);
  if (steps_.empty()) return;

  Place const furthest = steps_.front().first;
  Fixed const most = table_.score(x, steps_.front().second) - own;
  std::erase_if(losses_, [&](Shift const& s) {
    return s.place > furthest || !table_.contains(s.child, state.choice[s.child], x);
  });
  std::ranges::sort(losses_, nearer_the_start);

  // Without x: as if it stood behind all.
  Place const here = std::exchange(state.place[x], after_all);
  Fixed lost = 0;
  std::size_t passed = 0;
  auto const pass = [&](Shift& shift) {
    Rank const count = table_.count(shift.child);
    Fixed const held = table_.score(shift.child, state.choice[shift.child]);
    if (memo_.serves(count)) {
      shift.choice = without(state, x, shift.child);
      if (shift.choice == count) return false;
      shift.amount = held - table_.score(shift.child, shift.choice);
      return lost + shift.amount + best.gain < most;
    }
    for (Rank r = state.choice[shift.child] + 1; r < count; ++r) {
      shift.amount = held - table_.score(shift.child, r);
      if (lost + shift.amount + best.gain >= most) return false;
      if (table_.available(shift.child, r, state.place, shift.place)) {
        shift.choice = r;
        return true;
      }
    }
    return false;  // it has nothing to fall back on
  };
  for (std::size_t i = steps_.size(); i-- > 0;) {
    auto const [last, r] = steps_[i];
    bool open = true;
    for (; open && passed < losses_.size() && losses_[passed].place <= last; ++passed) {
      open = pass(losses_[passed]);
      if (open) lost += losses_[passed].amount;
    }
    if (!open) break;
    Fixed const gain = table_.score(x, r) - own - lost;
    if (gain > best.gain) best = {last, r, gain};
  }
  state.place[x] = here;
}

/// All gains and losses, without regard to whether they can pay.
void InsertKernel::collect(OrderState& state, Variable x) {
  auto const& children = table_.children();
  gains_.clear();
  losses_.clear();
  Place const here = state.place[x];
  for (std::size_t pair = children.begin(x); pair < children.end(x); ++pair) {
    Variable const w = children.child(pair);
    Rank const present = state.choice[w];
    Place const at = state.place[w];
    if (children.best(pair) > present) continue;
    Fixed const held = table_.score(w, present);
    if (at < here) {
      Rank const r = with(state, x, pair, w);
      if (r < present) gains_.push_back({at, w, r, table_.score(w, r) - held});
    } else if (table_.contains(w, present, x)) {
      Rank const r = without(state, x, w);
      losses_.push_back({at, w, r, r < table_.count(w) ? held - table_.score(w, r) : 0});
    }
  }
  std::ranges::sort(gains_, nearer_the_end);
  std::ranges::sort(losses_, nearer_the_start);
}

/// The first place of x at which a candidate of it is available.
std::size_t InsertKernel::open_from(OrderState const& state, Variable x, Rank rank) const {
  std::size_t const last = table_.last_parent(x, rank, state.place);
  return last < state.place[x] ? last + 1 : last;
}

Insert InsertKernel::at(OrderState& state, Variable x, Place place) {
  collect(state, x);
  Rank r = 0;
  while (r < table_.count(x) && open_from(state, x, r) > place) ++r;
  if (r == table_.count(x)) return {place, r, impossible_gain};
  Fixed gain = table_.score(x, r) - table_.score(x, state.choice[x]);
  if (place < state.place[x])
    for (auto s = gains_.begin(); s != gains_.end() && s->place >= place; ++s) gain += s->amount;
  if (place > state.place[x])
    for (auto s = losses_.begin(); s != losses_.end() && s->place <= place; ++s) {
      if (s->choice == table_.count(s->child)) return {place, r, impossible_gain};
      gain -= s->amount;
    }
  return {place, r, gain};
}

std::span<Fixed const> InsertKernel::all(OrderState& state, Variable x) {
  collect(state, x);
  std::size_t const here = state.place[x];
  Fixed const own = table_.score(x, state.choice[x]);
  // The staircase: what x itself gains.
  std::size_t open = state.size() + 1;
  Rank const count = table_.count(x);
  for (Rank r = 0; r < count && open > 1; ++r)
    for (std::size_t const from = open_from(state, x, r); open > from; --open)
      gain_[open - 2] = table_.score(x, r) - own;
  for (; open > 1; --open) gain_[open - 2] = impossible_gain;
  // What the others gain and lose.
  Fixed won = 0;
  auto gain = gains_.begin();
  for (std::size_t place = here; place >= 1; --place) {
    for (; gain != gains_.end() && gain->place >= place; ++gain) won += gain->amount;
    if (gain_[place - 1] != impossible_gain) gain_[place - 1] += won;
  }
  Fixed lost = 0;
  auto loss = losses_.begin();
  for (std::size_t place = here + 1; place <= state.size(); ++place) {
    for (; loss != losses_.end() && loss->place <= place; ++loss) {
      if (loss->choice == table_.count(loss->child)) {
        std::fill(gain_.begin() + static_cast<std::ptrdiff_t>(place - 1), gain_.end(),
                  impossible_gain);
        return gain_;
      }
      lost += loss->amount;
    }
    if (gain_[place - 1] != impossible_gain) gain_[place - 1] -= lost;
  }
  return gain_;
}

void InsertKernel::mark_candidates(Variable v, Rank last, DirtySet& dirty) const {
  if (auto const seen = table_.children().seen(v); !seen.empty()) {
    for (auto s = seen.begin(); s != seen.end() && s->rank <= last; ++s) dirty.add(s->parent);
    return;
  }
  auto const& arrays = table_.cache().arrays();
  std::size_t const first = table_.cache().begin(v);
  std::size_t const from = arrays.parent_first[first];
  std::size_t const to = arrays.parent_first[first + last + 1];
  for (std::size_t i = from; i < to; ++i) dirty.add(arrays.parents[i]);
}

void InsertKernel::apply(OrderState& state, Variable x, Insert const& insert, DirtySet& dirty) {
  Place const from = state.place[x];
  Place const to = insert.place;
  bool const earlier = to < from;
  auto const begin = state.order.begin();
  if (earlier) {
    std::copy_backward(begin + (to - 1), begin + (from - 1), begin + from);
    for (std::size_t i = to; i < from; ++i) ++state.place[state.order[i]];
  } else {
    std::copy(begin + from, begin + to, begin + (from - 1));
    for (std::size_t i = from - std::size_t{1}; i + 1 < to; ++i) --state.place[state.order[i]];
  }
  state.order[to - std::size_t{1}] = x;
  state.place[x] = to;
  state.regather(std::min(from, to), std::max(from, to));
  state.score += insert.gain;
  state.pull[x] = 1;

  Rank const old = std::exchange(state.choice[x], insert.choice);
  mark_candidates(x, std::max(old, insert.choice), dirty);
  for (Shift const& shift : earlier ? gains_ : losses_) {
    if (earlier ? shift.place < to : shift.place > to) break;
    Rank const before = std::exchange(state.choice[shift.child], shift.choice);
    dirty.add(shift.child);
    mark_candidates(shift.child, std::max(before, shift.choice), dirty);
  }
  if (!earlier) return;
  auto const& children = table_.children();
  for (std::size_t pair = children.begin(x), end = children.end(x); pair < end; ++pair) {
    Variable const w = children.child(pair);
    Place const at = state.place[w];
    Rank const present = state.choice[w];
    if (at < to) {
      if (children.best(pair) < present) dirty.add(w);
    } else if (at > from) {
      if (state.pull[w]) dirty.add(w);
    } else {
      dirty.add(w);
      mark_candidates(w, present, dirty);
    }
  }
}

}  // namespace bayesloom::orders
