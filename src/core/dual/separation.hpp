// Inequalities as rows of a linear program over candidates, and which of them a solution violates.
//
//   maximise    sum of s(i, P) x(i, P)          x the share of each candidate, at least 0
//   so that     sum over P of x(i, P) = 1       for every variable i
//               sum over members i of C, P not blocked, of x(i, P) >= need        for every inequality
//
// The dual of an inequality's row is its price, and the value of the program is the least bound
// that prices on its inequalities give [jaakkola2010, Eq. 6]. With x(i, .) = 1 in sum, "not
// blocked" may be counted as 1 less what is blocked: for each member the shorter list goes into the
// row.
//
// For looking at the inequalities from outside: branch and cut has rows of its own (relaxation/cut_rows.hpp).
//
// Violated inequalities are found greedily (violated.hpp), so not all of them are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "dual/problem.hpp"

namespace bayesloom::dual {

/// For each row: sum of values * shares >= least.
struct Rows {
  std::vector<std::int32_t> first{0};  ///< where the columns of a row begin, and where all end
  std::vector<std::int32_t> columns;
  std::vector<double> values, least;
};

class Separation {
 public:
  /// Columns are these candidates of the cache, ascending, at least one for each variable.
  Separation(ScoreCache const& cache, std::span<std::size_t const> candidates);

  std::size_t columns() const { return problem_.value.size(); }
  std::size_t variable_count() const { return universe_.n; }
  /// The rows of these inequalities, which are not found again.
  Rows add(std::vector<Cluster> inequalities);
  /// Inequalities that the shares violate by `least` or more and that are not rows yet.
  /// FractionalNetwork of each variable add up to 1, but for rounding.
  std::vector<Cluster> violated(std::span<double const> shares, double least,
                                Control& control) const;

 private:
  void put_row(Cluster const& inequality, Rows& out) const;

  Universe const universe_;
  Problem problem_;
};

}  // namespace bayesloom::dual
