// An order with the best candidate of every variable under it.
//
// Places count from 1; place 0 is before all and `after_all` behind all. To evaluate the others with or without a
// variable, it is moved to one of these two.
//
// Every state is complete: each variable has an available candidate. If all variables have the empty candidate, every
// order is complete; otherwise `CandidateTable::repaired` makes one that is.
//
// Up to 64 variables, candidates and predecessors are kept as words too (choice_memo.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/rng.hpp"
#include "base/var_set.hpp"
#include "base/variable.hpp"
#include "cache/score_cache.hpp"
#include "orders/child_lists.hpp"

namespace bayesloom::orders {

using Place = std::uint32_t;

inline constexpr Place after_all = std::numeric_limits<Place>::max();
static_assert(max_variables <= after_all);

struct OrderState {
  std::vector<Variable> order;
  std::vector<Place> place;        ///< order[place[v] - 1] == v
  std::vector<Rank> choice;        ///< rank of the best candidate whose parents all come before
  std::vector<std::uint8_t> pull;  ///< by variable: some child would gain if it came earlier
  std::vector<VarSet> before;      ///< up to 64 variables: those at places before p, at p
  Fixed score = 0;

  std::size_t size() const { return order.size(); }
  /// Brings `before` up to date after the variables at places first .. last have changed places.
  void regather(std::size_t first, std::size_t last) {
    if (before.empty()) return;
    for (std::size_t p = first; p < last; ++p) before[p + 1] = before[p].with(order[p - 1]);
  }
};

/// What all islands share and never change: the cache, its child lists, and how to read them.
class CandidateTable {
 public:
  explicit CandidateTable(ScoreCache const& cache);

  ScoreCache const& cache() const { return cache_; }
  ChildLists const& children() const { return children_; }
  std::size_t size() const { return cache_.variable_count(); }
  /// Whether every variable has the empty candidate, so that every order is complete.
  bool any_order() const { return any_order_; }

  Fixed score(Variable v, Rank rank) const { return cache_.score(cache_.begin(v) + rank); }
  std::span<Variable const> parents(Variable v, Rank rank) const {
    return cache_.parents(cache_.begin(v) + rank);
  }
  Rank count(Variable v) const { return static_cast<Rank>(cache_.end(v) - cache_.begin(v)); }

  /// Whether there are at most 64 variables, and so `parent_sets` and `OrderState::before`.
  bool has_parent_sets() const { return size() <= VarSet::capacity; }
  /// The parents of each candidate of v, best candidate first.
  std::span<VarSet const> parent_sets(Variable v) const {
    return {parent_sets_.data() + cache_.begin(v), parent_sets_.data() + cache_.end(v)};
  }

  /// The place of the last parent; 0 if there is none.
  Place last_parent(Variable v, Rank rank, std::span<Place const> place) const {
    Place last = 0;
    for (Variable const p : parents(v, rank)) last = place[p] > last ? place[p] : last;
    return last;
  }
  bool available(Variable v, Rank rank, std::span<Place const> place, Place before) const {
    for (Variable const p : parents(v, rank))
      if (place[p] >= before) return false;
    return true;
  }
  bool contains(Variable v, Rank rank, Variable parent) const {
    for (Variable const p : parents(v, rank))
      if (p == parent) return true;
    return false;
  }

  /// The first rank from `from` on whose parents all stand before `before`; count(v) if none does.
  Rank first_available(Variable v, Rank from, std::span<Place const> place, Place before) const;

  /// A complete order close to `wanted`: always the first variable there that can come next.
  /// Throws InfeasibleError if there is no complete order. That is a proof: a variable that can come next stays
  /// available, so if none can, no order of the rest is complete.
  std::vector<Variable> repaired(std::span<Variable const> wanted) const;

  /// A random order, repaired if need be.
  std::vector<Variable> random_order(Rng& rng) const;

  /// Fills a state from an order, which must be complete: else InfeasibleError. O(candidates looked
  /// at).
  void evaluate(std::span<Variable const> order, OrderState& state) const;

  /// Positions of the chosen candidates in the cache.
  std::vector<std::size_t> candidates(std::span<Rank const> choice) const;

 private:
  ScoreCache const& cache_;
  ChildLists children_;
  std::vector<VarSet> parent_sets_;
  bool any_order_ = true;
};

/// Throws InputError unless the order names every variable of the cache once.
void check_order(ScoreCache const& cache, std::span<Variable const> order);

/// The variables of a network, one candidate of the cache each, parents first; fewer than all of
/// them if it has a cycle.
std::vector<Variable> order_of(ScoreCache const& cache, std::vector<std::size_t> const& network);

}  // namespace bayesloom::orders
