// Rows that agree on everything still to come can be counted as one.
//
// An enumeration that adds variables in falling order (number n-1 first) knows, once number k is on
// the stack, that only numbers below k can follow. Two rows of one cell with equal states in all
// numbers below k will then stay together for good: they become one row with their weights added.
//
//   class_k(u) = which combination of states of the numbers 0 .. k-1 row u holds
//
// Classes are numbered in lexicographic order, number 0 deciding first, and `order` lists the rows
// in that order: rows of one class_k are neighbours there for every k, so a partition that keeps
// this order finds rows to merge by looking at the row before. With k = 2 binary variables to come
// a cell has at most 4 rows left, however long the table is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/variable.hpp"
#include "data/encoded_data.hpp"

namespace bayesloom {

class RowClasses {
 public:
  /// `numbered[k]` is the variable of number k; variables not listed are never counted.
  RowClasses(EncodedData const& data, std::span<Variable const> numbered);

  /// What the classes of n variables take.
  static double bytes(EncodedData const& data, std::size_t n) {
    return static_cast<double>((n + 1) * data.unique_row_count() * sizeof(std::uint32_t));
  }

  std::size_t number(Variable v) const { return number_[v]; }
  std::size_t numbers() const { return count_.size() - 1; }

  /// Unique rows, sorted by class.
  std::span<std::uint32_t const> order() const { return order_; }

  /// class_k of every unique row.
  std::span<std::uint32_t const> classes(std::size_t k) const {
    return {classes_.data() + k * order_.size(), order_.size()};
  }

  /// How many classes there are when only numbers below k are to come.
  std::size_t count(std::size_t k) const { return count_[k]; }

 private:
  std::vector<std::size_t> number_;  // of each variable
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> classes_;  // numbers + 1 arrays of unique rows
  std::vector<std::size_t> count_;
};

}  // namespace bayesloom
