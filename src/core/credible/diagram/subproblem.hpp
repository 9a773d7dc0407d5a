// The problem that remains once some variables are eliminated.
//
// To eliminate x with parents P, replace x by P in every parent set: a child of x has P among its ancestors, too.
// A parent set of y that then contains y closes a cycle and is dropped. A choice for the other variables is
// acyclic afterwards if and only if it was acyclic together with the choice of x, so this is a problem of the same
// kind with one variable less. Its variables split into strong components that choose independently, and within a
// component only parents in it matter. Sets that become equal form one group, since it no longer matters which
// of them is taken.
//
// Two bounds are kept: one on the loss, and one on the reduced cost (dual/reduced_costs.hpp), in which the prices of
// the whole problem are included. Prices for clusters of the subproblem are computed by coordinate ascent for each
// subproblem. Choices that a bound excludes are dropped at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "credible/component.hpp"

namespace bayesloom::credible {

/// The choices of all variables of a component, one after the other.
struct FlatChoices {
  FlatChoices(Component const& component, std::vector<Fixed> const& reduced_cost);
  std::vector<Fixed> loss, reduced_cost;       ///< by flat number
  std::vector<std::uint32_t> variable, place;  ///< by flat number: of whom it is, and which of its
};

class Subproblem {
 public:
  struct Entry {
    VarSet mask;           ///< what must come before
    std::uint32_t choice;  ///< flat number
  };

  Subproblem() = default;
  explicit Subproblem(Component const& component);

  VarSet variables() const { return variables_; }
  std::size_t size() const { return first_.size() - 1; }
  /// The entries of a variable, those with equal masks together.
  std::span<Entry const> entries(std::size_t x) const;
  std::span<Entry const> all_entries() const { return entries_; }

  /// The subproblem after eliminating x with the ancestors `mask`; nothing if some variable has no choice left.
  std::optional<Subproblem> eliminated(std::size_t x, VarSet mask) const;
  /// The strong components.
  std::vector<Subproblem> split() const;
  /// A lower bound on the sum of costs (losses or reduced costs, by flat number); above `most` if no choice is
  /// within it. With a given entry the bound is higher by that entry's value in `above`.
  Fixed bound(std::vector<Fixed> const& cost, Fixed most, std::vector<Fixed>& above) const;
  /// Drops the entries that are more than `most` above the bound; returns how many.
  std::size_t drop(std::vector<Fixed> const& above, Fixed most);
  /// Whether two subproblems are equal, compared by 128-bit hashes of their variables and entries.
  std::array<std::uint64_t, 2> key() const;

 private:
  std::size_t place(std::size_t x) const;
  Subproblem restricted(VarSet part) const;
  void group(std::size_t from);

  VarSet variables_;
  std::vector<std::uint32_t> first_{0};  // by place among the variables
  std::vector<Entry> entries_;
};

}  // namespace bayesloom::credible
