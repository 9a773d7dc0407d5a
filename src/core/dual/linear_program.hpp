// A linear program that grows and shrinks between solutions: what branch and cut asks of a solver.
//
//   minimise    sum of costs * x            every x from 0 to 1, or 0 where it is not allowed
//   so that     the shares of a variable's columns add up to 1         its first rows, one a variable
//               sum of values * x >= least                             all other rows
//
// Nothing is taken on trust from it: shares say where to look for inequalities and where to branch,
// and any duals of at least 0, rounded down to whole numbers, are prices that give a bound
// (problem.hpp). A wrong answer costs time, never a proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bayesloom::dual {

class LinearProgram {
 public:
  enum class End : std::uint8_t { optimal, infeasible, cut_off, unfinished, failed };
  /// Rows or columns, one after the other: where each begins and all end, places and values.
  struct Sparse {
    std::vector<std::int32_t> first{0};
    std::vector<std::int32_t> places{};
    std::vector<double> values{};
  };

  virtual ~LinearProgram() = default;
  /// Anew, with a row for each of so many variables.
  virtual void begin(std::size_t variables) = 0;
  virtual void add_columns(std::span<double const> costs, Sparse const& columns) = 0;
  virtual void add_rows(std::span<double const> least, Sparse const& rows) = 0;
  /// By place, ascending. The others move up.
  virtual void remove_columns(std::span<std::int32_t const> columns) = 0;
  virtual void remove_rows(std::span<std::int32_t const> rows) = 0;
  virtual void change_costs(std::span<double const> costs) = 0;  ///< of all columns
  virtual void allow(std::span<std::int32_t const> columns, std::span<double const> most) = 0;
  /// Goes on from the last basis, for at most so many steps, or until the value is above `cutoff`.
  virtual End solve(std::size_t steps, double cutoff) = 0;
  virtual std::size_t steps() const = 0;  ///< of the last call
  virtual void solution(std::vector<double>& shares, std::vector<double>& duals) = 0;
  /// Of a program without a solution: duals along which the value grows without end, up to sign.
  virtual bool ray(std::vector<double>& duals) = 0;
  virtual void keep_basis() = 0;
  virtual void return_to_basis() = 0;  ///< to the one kept; rows and columns are the same
};

}  // namespace bayesloom::dual
