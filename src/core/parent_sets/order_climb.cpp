#include "parent_sets/order_climb.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/rng.hpp"
#include "data/moments.hpp"
#include "parent_sets/regression.hpp"
#include "score/gaussian.hpp"

namespace bayesloom {

namespace {

using Set = std::vector<Variable>;

/// A network with its score. Sets that are too large, or have no score, lose their last parents: eliminated in another
/// order than before a set may just be singular, and a network to begin with may have any.
ClimbResult scored(NeighbourSets& sets, ParentSets parents) {
  ClimbResult out;
  out.parents = std::move(parents);
  out.parents.resize(sets.variable_count());
  for (std::size_t v = 0; v < out.parents.size(); ++v) {
    auto const child = static_cast<Variable>(v);
    Set& own = out.parents[v];
    std::ranges::sort(own);
    while (own.size() > sets.rules(child).most) own.pop_back();
    while (!own.empty() && !is_score(sets.score(child, own, 0))) own.pop_back();
    out.score += sets.possible_score(child, own, 0);
  }
  return out;
}

class OrderClimber {
 public:
  OrderClimber(NeighbourSets& sets, MomentMatrix const& matrix, SetScore& score,
               OrderClimbOptions const& options, Control& control)
      : sets_(sets),
        options_(options),
        control_(control),
        dense_(matrix),
        regression_(dense_, score),
        rng_(options.seed),
        n_(sets.variable_count()),
        words_((n_ + 63) / 64),
        offers_(n_ * words_, 0),
        children_(n_ * words_, 0),
        own_offers_(words_),
        saved_in_(n_, 0) {
    varies_.assign(n_, 0);
    for (std::size_t v = 0; v < n_; ++v)
      if (matrix.begin(static_cast<Variable>(v)) < matrix.end(static_cast<Variable>(v))) {
        varies_[v] = 1;
        useful_.push_back(static_cast<Variable>(v));
      }
    waiting_.assign(n_, 0);
  }

  ClimbResult run(ParentSets const& start) {
    begin(start);
    climb();
    for (std::uint64_t idle = 0; idle < options_.patience && !control_.stopped(); ++idle) {
      save();
      shake();
      climb();
      // A round that was broken off is judged too: its parent sets are whole.
      if (gains(now_.total, saved_total_)) idle = 0;
      if (now_.total < saved_total_) undo();
    }
    ClimbResult out = scored(sets_, std::move(now_.parents));
    out.steps = steps_;
    return out;
  }

 private:
  struct State {
    std::vector<Variable> order;
    std::vector<std::size_t> place;
    ParentSets parents;  // not sorted
    std::vector<Fixed> score;
    Fixed total = 0;
  };
  /// What a variable had before a round.
  struct Saved {
    Variable variable;
    Set parents;
    Fixed score;
    std::vector<std::uint64_t> offers;
  };
  struct Changed {
    Variable variable;
    Set parents;
    Fixed score;
  };

  /// Adds the best parent among those allowed while one gains, then takes parents away while one gains; again
  /// until neither does. Beyond the number of parents that is allowed, each that is added drives out the one that is
  /// missed least.
  template <typename Allowed>
  Fixed grow_and_shrink(Variable child, Set& set, Allowed const& allowed) {
    std::size_t const most = sets_.rules(child).most;
    while (!regression_.set(child, set)) set.pop_back();  // on the border of what is singular
    while (set.size() > most) drop(child, set, regression_.best_removal(true).first);
    for (bool changed = true; changed && !control_.stopped();) {
      changed = false;
      for (;;) {
        regression_.scan();
        auto const [chosen, best] = regression_.best_addition(child, useful_, [&](Variable u) {
          return allowed(u) && std::ranges::find(set, u) == set.end();
        });
        if (control_.should_stop(useful_.size())) return regression_.own();
        if (chosen == child) break;
        Fixed const before = regression_.own();
        before_set_ = set;
        set.push_back(chosen);
        bool fine = regression_.set(child, set);  // or on the border of what is singular
        if (fine && set.size() > most) {
          drop(child, set, regression_.best_removal(true).first);
          fine = gains(regression_.own(), before);
        }
        if (!fine) {
          set = before_set_;
          regression_.set(child, set);
          break;
        }
        changed = true;
      }
      while (!set.empty()) {
        auto const [chosen, best] = regression_.best_removal(false);
        if (chosen == set.size()) break;
        drop(child, set, chosen);
        changed = true;
      }
    }
    return regression_.own();
  }

  void drop(Variable child, Set& set, std::size_t place) {
    set.erase(set.begin() + static_cast<std::ptrdiff_t>(place));
    regression_.set(child, set);
  }

  void begin(ParentSets const& start) {
    now_.parents.assign(n_, {});
    now_.score.assign(n_, 0);
    now_.place.assign(n_, 0);
    order_of(start);
    for (Variable const v : useful_) {
      Set& own = now_.parents[v];
      if (!start.empty())
        std::ranges::copy_if(start[v], std::back_inserter(own),
                             [&](Variable u) { return varies_[u] != 0; });
      now_.score[v] =
          grow_and_shrink(v, own, [&](Variable u) { return now_.place[u] < now_.place[v]; });
    }
    now_.total = std::accumulate(now_.score.begin(), now_.score.end(), Fixed{0});
    for (Variable const v : useful_) {
      for (Variable const u : now_.parents[v]) put_bit(children(u), v);
      find_offers(v, now_.parents[v], offers(v));
    }
    auto all = useful_;
    rng_.shuffle(std::span(all));
    for (Variable const v : all) want(v);
  }

  /// An order in which parents come first: of the empty network a random one.
  void order_of(ParentSets const& start) {
    auto left = useful_;
    rng_.shuffle(std::span(left));
    std::vector<std::uint8_t> done(n_, 0);
    for (std::size_t v = 0; v < n_; ++v) done[v] = !varies_[v];
    while (!left.empty()) {
      Set later;
      for (Variable const v : left) {
        bool const ready = start.empty() ||
                           std::ranges::all_of(start[v], [&](Variable u) { return done[u] != 0; });
        if (ready) {
          done[v] = 1;
          now_.place[v] = now_.order.size();
          now_.order.push_back(v);
        } else {
          later.push_back(v);
        }
      }
      left = std::move(later);
    }
  }

  void want(Variable v) {
    if (waiting_[v]) return;
    waiting_[v] = 1;
    queue_.push_back(v);
  }

  void climb() {
    std::size_t at = 0;
    for (; at < queue_.size() && !control_.stopped(); ++at) {
      waiting_[queue_[at]] = 0;
      reinsert(queue_[at], std::nullopt);
      if (at > 4 * n_) {
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        at = static_cast<std::size_t>(-1);
      }
    }
    for (; at < queue_.size(); ++at) waiting_[queue_[at]] = 0;
    queue_.clear();
  }

  /// Puts a few variables elsewhere; those that are touched are tried again, these last.
  void shake() {
    std::size_t const count = 2 + rng_.below(3);
    Set moved;
    for (std::size_t k = 0; k < count && now_.order.size() > 1; ++k) {
      Variable const v = now_.order[rng_.below(now_.order.size())];
      reinsert(v, rng_.below(now_.order.size()));
      moved.push_back(v);
    }
    for (Variable const v : moved) {
      if (waiting_[v]) queue_.erase(std::ranges::find(queue_, v));
      waiting_[v] = 0;
    }
    for (Variable const v : moved) want(v);
  }

  std::span<std::uint64_t> offers(Variable v) {
    return std::span(offers_).subspan(v * words_, words_);
  }
  std::span<std::uint64_t> children(Variable v) {
    return std::span(children_).subspan(v * words_, words_);
  }

  /// Which variables would raise the score of a child as one more parent, wherever they stand.
  void find_offers(Variable child, Set const& set, std::span<std::uint64_t> bits) {
    if (sets_.rules(child).most == 0 || !regression_.set(child, set)) {
      std::ranges::fill(bits, 0);
      return;
    }
    regression_.scan();
    regression_.mark_gains(useful_, bits);
    for (Variable const u : set) take_bit(bits, u);
  }

  /// Moves v to its best place, or to a given one, and asks to try again whom it touched. Of the variables that it
  /// passes only those are looked at that it is joined with, or that one of the two would gain.
  void reinsert(Variable v, std::optional<std::size_t> target) {
    std::size_t const from = now_.place[v], last = now_.order.size() - 1;
    std::size_t best_place = from;
    Fixed best = target ? no_score : least_gain;
    Set best_parents = now_.parents[v];
    Fixed best_score = now_.score[v];
    for (bool const back : {false, true}) {
      auto& passed = back ? behind_ : before_;
      passed.clear();
      if (target && (back ? *target <= from : *target >= from)) continue;
      Set own = now_.parents[v];
      Fixed own_score = now_.score[v], gained = 0;
      if (back) std::ranges::copy(offers(v), own_offers_.begin());
      std::size_t const end = target.value_or(back ? last : 0);
      for (std::size_t at = from; at != end && !control_.stopped();) {
        at = back ? at + 1 : at - 1;
        Variable const u = now_.order[at];
        auto const comes_before = [&](Variable w) {
          return w != v && (back ? now_.place[w] <= at : now_.place[w] < at);
        };
        if (back ? has_bit(children(v), u) : has_bit(offers(u), v)) {
          Changed one = back ? without(u, v) : offered(u, v);
          if (back || gains(one.score, now_.score[u])) {
            gained += one.score - now_.score[u];
            passed.push_back(std::move(one));
          }
          if (++looks_ % 64 == 0) control_.should_stop(64);
        }
        if (back) {
          if (has_bit(own_offers_, u)) {
            Set more = own;
            more.push_back(u);
            if (Fixed const score = grow_and_shrink(v, more, comes_before);
                gains(score, own_score)) {
              own = std::move(more);
              own_score = score;
              find_offers(v, own, own_offers_);
            }
          }
        } else if (auto const found = std::ranges::find(own, u); found != own.end()) {
          own.erase(found);
          own_score = grow_and_shrink(v, own, comes_before);
        }
        Fixed const here = gained + own_score - now_.score[v];
        if (here > best && (!target || at == *target)) {
          best = here;
          best_place = at;
          best_parents = own;
          best_score = own_score;
        }
      }
    }
    if (control_.stopped() || best_place == from) return;  // what was broken off is not whole
    ++steps_;
    bool const back = best_place > from;
    change(v, std::move(best_parents), best_score);
    for (Changed& one : back ? behind_ : before_) {
      std::size_t const at = now_.place[one.variable];
      if (back ? at > best_place : at < best_place) break;
      change(one.variable, std::move(one.parents), one.score);
      want(one.variable);
    }
    for (std::size_t at = from; at != best_place;) {
      std::size_t const next = back ? at + 1 : at - 1;
      now_.order[at] = now_.order[next];
      now_.place[now_.order[at]] = at;
      at = next;
    }
    now_.order[best_place] = v;
    now_.place[v] = best_place;
    want(v);
  }

  /// Gives a variable other parents, and asks to try again those it had and has.
  void change(Variable v, Set parents, Fixed score) {
    if (round_ > 0 && saved_in_[v] != round_) {
      saved_in_[v] = round_;
      saved_.push_back({v, now_.parents[v], now_.score[v], {}});
      std::ranges::copy(offers(v), std::back_inserter(saved_.back().offers));
    }
    touch(now_.parents[v]);
    touch(parents);
    put(v, std::move(parents), score);
    find_offers(v, now_.parents[v], offers(v));
  }

  void put(Variable v, Set parents, Fixed score) {
    for (Variable const u : now_.parents[v]) take_bit(children(u), v);
    for (Variable const u : parents) put_bit(children(u), v);
    now_.total += score - now_.score[v];
    now_.parents[v] = std::move(parents);
    now_.score[v] = score;
  }

  /// Begins a round: what is changed from here on can be undone.
  void save() {
    ++round_;
    saved_.clear();
    saved_order_ = now_.order;
    saved_total_ = now_.total;
  }

  void undo() {
    for (Saved& one : saved_) {
      put(one.variable, std::move(one.parents), one.score);
      std::ranges::copy(one.offers, offers(one.variable).begin());
    }
    now_.order = saved_order_;
    for (std::size_t at = 0; at < now_.order.size(); ++at) now_.place[now_.order[at]] = at;
  }

  void touch(Set const& set) {
    for (Variable const u : set) want(u);
  }

  /// What u makes of v coming before it.
  Changed offered(Variable u, Variable v) {
    Changed out{u, now_.parents[u], 0};
    out.parents.push_back(v);
    out.score = grow_and_shrink(
        u, out.parents, [&](Variable w) { return w == v || now_.place[w] < now_.place[u]; });
    return out;
  }

  /// What u makes of v coming after it.
  Changed without(Variable u, Variable v) {
    Changed out{u, now_.parents[u], 0};
    out.parents.erase(std::ranges::find(out.parents, v));
    out.score = grow_and_shrink(
        u, out.parents, [&](Variable w) { return w != v && now_.place[w] < now_.place[u]; });
    return out;
  }

  NeighbourSets& sets_;
  OrderClimbOptions const& options_;
  Control& control_;
  Dense const dense_;
  Regression regression_;
  Rng rng_;
  std::size_t const n_, words_;
  // Bits, a row for each variable: what would raise its score as one more parent, and its children.
  std::vector<std::uint64_t> offers_, children_;
  std::vector<std::uint64_t> own_offers_;  // the former, for a parent set that is tried
  Set before_set_;
  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> saved_in_;  // the round in which each was saved last
  std::vector<Saved> saved_;
  std::vector<Variable> saved_order_;
  Fixed saved_total_ = 0;
  std::uint64_t steps_ = 0, looks_ = 0;
  std::vector<Variable> useful_;  // that vary
  std::vector<std::uint8_t> varies_;
  State now_;
  std::vector<Changed> before_, behind_;  // whom a move to the front, or to the back, changes
  std::vector<Variable> queue_;           // to be tried
  std::vector<std::uint8_t> waiting_;
};

std::shared_ptr<MomentMatrix const> matrix_of(NeighbourSets const& sets) {
  if (sets.data().part_count() > 0 || !sets.before().empty()) return nullptr;
  for (std::size_t v = 0; v < sets.variable_count(); ++v) {
    auto const& rule = sets.rules(static_cast<Variable>(v));
    if (!rule.required.empty() || !rule.forbidden.empty()) return nullptr;
  }
  auto matrix = moment_matrix(sets.spec(), sets.data());
  if (!matrix) return nullptr;
  for (std::size_t v = 0; v < sets.variable_count(); ++v)
    if (matrix->end(static_cast<Variable>(v)) > matrix->begin(static_cast<Variable>(v)) + 1)
      return nullptr;
  return matrix;
}

}  // namespace

bool climbs_orders(NeighbourSets const& sets) { return matrix_of(sets) != nullptr; }

ClimbResult climb_orders(NeighbourSets& sets, ParentSets start, OrderClimbOptions const& options,
                         Control& control) {
  auto const matrix = matrix_of(sets);
  if (!matrix)
    throw InputError(
        "orders are climbed under scores that read the moments of numbers, and without rules.");
  if (!start.empty() && start.size() != sets.variable_count())
    throw InputError("there must be one parent set per variable.");
  if (!sets.prepare(control)) return scored(sets, std::move(start));
  auto const score = make_score(sets.spec(), sets.data());
  return OrderClimber(sets, *matrix, dynamic_cast<SetScore&>(*score), options, control).run(start);
}

}  // namespace bayesloom
