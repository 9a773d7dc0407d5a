// From an order to a network, and to better orders: moves of one variable to its best place.
//
// With o the order without x, `free` the score of w where x comes after it and `with` where x comes
// before, moving x to place p is worth
//
//   best_x(o[:p]) + sum over w in o[:p] of free(w) + sum over w in o[p:] of with(w)
//
// Only variables with x in some candidate differ in the two, so all places of x are valued in one
// pass over their lists and two prefix sums [lee2017, insert neighbourhood; our evaluation].
// Variables may lack the empty candidate: an order without a network is worth minus infinity.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "cache/score_cache.hpp"
#include "dual/problem.hpp"

namespace bayesloom::relaxation {

using namespace dual;

class LocalOrder {
 public:
  explicit LocalOrder(ScoreCache const& cache);

  /// Improves an order, which must have a network: first every variable is moved while that gains,
  /// then again and again a few random ones are moved and what is near them improved; what is not
  /// worse is kept. Ends after `moves` tries to move a variable, or when control says stop.
  void search(std::vector<Variable>& order, std::size_t moves, Rng& rng, Control& control);

  /// The best candidate of each variable for the order, nothing if some variable has none.
  std::optional<std::vector<std::size_t>> network(std::vector<Variable> const& order) const;

  Fixed score(std::vector<std::size_t> const& network) const;

 private:
  /// Moves the waiting variables, and those near what moved, until no move gains; counts tries.
  void improve(std::vector<Variable> waiting, std::size_t& tries, std::size_t most,
               Control& control);
  /// Adds to `list` the variables whose best place may change when x moves.
  void add_near(Variable x, std::vector<Variable>& list) const;
  /// Moves x to its best place; true if that gained.
  bool move(Variable x);
  /// First candidate of w whose parents are placed before w, where x counts as asked.
  double value(Variable w, Variable x, bool with) const;
  void load(std::vector<Variable> const& order);
  void insert(std::size_t from, std::size_t to);

  ScoreCache const& cache_;
  std::vector<std::vector<Variable>> children_;
  std::vector<Variable> order_;
  std::vector<std::size_t> position_;
  std::vector<double> gain_;
};

/// An order in which every variable finds all parents it has in `network` before it.
std::vector<Variable> order_of(ScoreCache const& cache, std::vector<std::size_t> const& network);

}  // namespace bayesloom::relaxation
