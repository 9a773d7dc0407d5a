// A fractional network: for each variable its candidates and their shares, which add up to 1.
//
// It comes from smoothed prices (smooth.hpp), and says where the relaxation is undecided: which
// inequalities it violates (violated.hpp), and on which pairs (i, C) a search should branch.
// Candidates with less than a hundredth of their variable's weight are left out, unless told
// otherwise.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "dual/options.hpp"
#include "dual/problem.hpp"

namespace bayesloom::dual {

/// A pair (i, C): i takes no parent from C, or it takes one.
struct Split {
  Index variable;
  WideVarSet cluster;
  std::size_t need = 1;  ///< with more: i takes fewer than that many from C, or at least as many
  friend bool operator==(Split const&, Split const&) = default;
};

class FractionalNetwork {
 public:
  /// The place of a variable that is no parent in any candidate.
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  explicit FractionalNetwork(Problem const& problem);
  /// Adds variable i with candidates of these weights and masks; each variable once. Candidates
  /// with less than `least_share` of the weight are left out. `origin`, if given, has their numbers
  /// in the cache.
  void add(Index i, std::span<double const> weights, Word const* masks,
           double least_share = fractions.least_share, std::size_t const* origin = nullptr);

  Problem const& problem() const { return problem_; }
  std::size_t size() const { return shares_.size(); }
  std::size_t begin(Index i) const { return begin_[i]; }
  std::size_t end(Index i) const { return end_[i]; }
  double share(std::size_t c) const { return shares_[c]; }
  std::size_t origin(std::size_t c) const { return origin_[c]; }
  Word const* mask(std::size_t c) const { return masks_.data() + c * universe_.words; }

  /// The share of i's candidates with fewer than `need` parents in the cluster; of all its members
  /// in sum.
  double outside(Index i, WideVarSet const& cluster, std::size_t need) const;
  double outside(WideVarSet const& cluster, std::size_t need) const;

  /// The bit of a parent in the masks of i, or `none`.
  std::size_t place_of(Index i, Index parent) const;

  /// Calls body(j) for each parent j in candidate c of i.
  template <typename Body>
  void for_each_parent(Index i, std::size_t c, Body&& body) const {
    for (std::size_t w = 0; w < universe_.words; ++w)
      for (Word left = mask(c)[w]; left != 0; left &= left - 1)
        body(universe_.variable(i, w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
  }

  /// Pairs (i, C) on which the shares are divided: C one variable, or a priced cluster that holds
  /// i. The most evenly divided first, at most `most`.
  std::vector<Split> divided(std::size_t most) const;

 private:
  Problem const& problem_;
  Universe const& universe_;
  std::vector<std::size_t> begin_, end_;  // by variable
  std::vector<double> shares_;
  std::vector<Word> masks_;
  std::vector<std::size_t> origin_;
  mutable std::vector<Word> local_;  // scratch
};

}  // namespace bayesloom::dual
