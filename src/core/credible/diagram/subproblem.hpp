// What is left to choose once some variables are eliminated.
//
// Eliminate x with parents P: whoever takes x as a parent then has all of P above it as well, so put
// P in the place of x in every set, and x is gone. A set of y that comes to hold y itself closes a
// cycle and is dropped. A choice for the others is acyclic after that if and only if it was before
// together with x's, so what is left is a problem of the same kind with one variable less. Its
// variables fall apart into strong components that choose independently, seen from each only the
// parents inside; sets that become equal are one group: for what follows it does not matter which
// of them is taken.
//
// There is a bound on the loss and one on the reduced cost (dual/reduced_costs.hpp), in which the prices
// for the whole are paid already; prices for clusters of the subproblem come from coordinate steps,
// made anew for every subproblem. Choices that a bound shows to be out of reach are dropped at once.
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

  /// What is left when x has everything in `mask` above it; nothing if someone has no choice left.
  std::optional<Subproblem> eliminated(std::size_t x, VarSet mask) const;
  /// The strong components.
  std::vector<Subproblem> split() const;
  /// A lower bound on the sum of costs (losses or reduced costs, by flat number) of all choices, above
  /// `most` if none has at most that. For those with a given entry it is higher by what is told of
  /// it in `above`.
  Fixed bound(std::vector<Fixed> const& cost, Fixed most, std::vector<Fixed>& above) const;
  /// Drops the entries that are more than `most` above the bound; how many.
  std::size_t drop(std::vector<Fixed> const& above, Fixed most);
  /// Whether two have the same variables and entries, as far as 128 bits tell.
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
