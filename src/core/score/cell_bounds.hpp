// How much one parent state can add to the score of any superset of a parent set, once the rows of
// that state are known.
//
//   P, C       a parent set of child i, and the parents that may still be added to it
//   cell       the rows of one parent state of P
//   atom       the rows of a cell that agree on all of C: no Q with P inside Q inside P + C splits it
//
// A score that is a sum over parent states is bounded cell by cell: whatever Q splits a cell into,
// the parts consist of whole atoms. The fewer parents may still be added, the larger the atoms, and
// the sharper the bound: that is why the enumeration of parent_sets/by_child.hpp adds parents in a
// fixed order.
//
//   ML(n) = sum_k n_k ln(n_k / n)     the best fit of child counts n_k in hindsight
//
// Dirichlet scores (bdeu, bds, k2). The score of a part with counts n is ln B(n, x), the probability
// of its rows one after another in a Polya urn with x / r imagined rows of each of the r child
// states; x is at most `al` for every Q. The product does not depend on the order of the rows. Take
//   (1) all rows of one atom A*:       together B(A*, x) <= sup over 0 < x <= al
//   (2) one row of each child state that A* lacks, from atoms of that state alone: a first
//       appearance has a probability of at most (x / r) / x = 1 / r
//   (3) the rest: given what came before, rows are drawn from a mixture over parameters t of
//       prod t_k^n_k, and each atom's factor is at most exp ML(A)
// An atom of one child state has ML = 0, with a row taken out as before. So, with V the child states
// that occur, U those that have an atom of their own, a cell adds at most
//   min{ -|V| ln r,  sum_A ML(A) - |U| ln r,
//        min over atoms A* of  sup(A*) - ML(A*) + sum_A ML(A) - |U without states of A*| ln r }
// whether Q leaves it whole or splits it: where a part has no atom A*, (1) is left out for it.
//
// sup(A): order the rows of A by child state, the most frequent first. Its first row has probability
// 1 / r, the others of that state at most 1. A row of a later state, m of it and t rows in all before
// the state's first: (x / r + m) / (x + t + m). Its derivative has the sign of t - m (r - 1), so it
// is largest at x = al while m (r - 1) < t and for x to 0 after that. k2 has x = r for every Q, and
// B(A, r) itself is the bound.
//
// fnml: the regret of a whole is at most that of its parts, C(a + b, r) <= C(a, r) C(b, r), because
// the best fit of all rows is at most the product of the best fits of the parts; summed over all
// sequences this is the claim. So a cell of n rows adds at most sum_A ML(A) - ln C(n, r).
//
// qnml: a cell adds at most sum_A ML(A) to a proper superset, and ML(its rows) to the set itself. All sets pay
// the charge of their joint states, which never falls (qnml.cpp): a proper superset that of the set with one more
// parent of the fewest states that may be added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace bayesloom {

/// Rows of an atom with one child state.
struct AtomItem {
  std::uint32_t row;     ///< one of them
  std::uint32_t weight;  ///< how many
  std::uint16_t value;   ///< state of the child
  bool opens;            ///< the first of its atom
};

/// Bounds for one child. Not thread-safe.
class CellBounds {
 public:
  virtual ~CellBounds() = default;

  /// What follows is about a parent set with `states` joint states, of which `seen` hold a row; a
  /// parent that may be added has at least `least` states.
  virtual void start(double states, std::size_t seen, std::uint32_t least) = 0;
  /// The most that a cell of n rows can add if all have one child state and no parent splits it.
  virtual double pure(std::uint32_t n) = 0;
  /// The most that a cell with these atoms can add to a proper superset, split or not.
  virtual double cell(std::span<AtomItem const> atoms) = 0;
  /// The most that the last cell asked for can add to the set itself; where x depends on the parents it is larger
  /// than for supersets.
  double itself() const { return itself_; }
  /// What every set that contains one with `states` joint states adds besides, at most.
  virtual double whole(double /*states*/) const { return 0; }

 protected:
  double itself_ = 0;
};

/// x is at most ess / (states * least): BDeu. The child has r states.
std::unique_ptr<CellBounds> bdeu_cell_bounds(std::uint32_t r, double ess);
/// x is at most ess / seen: BDs.
std::unique_ptr<CellBounds> bds_cell_bounds(std::uint32_t r, double ess);
/// x is r: K2.
std::unique_ptr<CellBounds> k2_cell_bounds(std::uint32_t r);
std::unique_ptr<CellBounds> fnml_cell_bounds(std::uint32_t r);
/// A log-likelihood less charge(states), which never falls: the score must outlive the bounds.
std::unique_ptr<CellBounds> fit_cell_bounds(std::uint32_t r, std::function<double(double)> charge);

}  // namespace bayesloom
