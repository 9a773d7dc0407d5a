// Families in a table with missing values: each is counted over the rows that are complete on it.
//
// With parents P on the stack and a child i,
//
//   rows      rows that have a value of i and of every member of P
//   counts    of these, in each cell of P + i, where i is discrete
//   given     of these, in each cell of P
//   moments   where i is continuous: log_det = sum over the cells z of the discrete members of P of
//             n_z ln v_z, with v_z the residual variance of i by its regression on the continuous
//             members within the rows of z, divided by n_z; columns = continuous members and i
//
// The family of a continuous child is singular if some cell with rows has fewer than columns + 2 or `least_rows` of
// them, or if a residual variance vanishes; that of a discrete child, if P has a continuous member.
//
// Each level of the stack holds the rows that are complete on it, sorted by cell and ascending within. A cell of one
// row adds nothing to a likelihood of states, so it is set aside and only counted, unless there are continuous
// variables. Terms of cells are whole numbers of a fine unit, so that sums do not depend on the order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/cell_moments.hpp"

namespace bayesloom {

class FamilyCounter final : public MomentReader {
 public:
  FamilyCounter(EncodedData const& data, std::shared_ptr<ScaledColumns const> columns,
                std::uint32_t least_rows);
  void push(Variable v) override;
  void pop() override;
  /// Returns the number of possible cells only: everything else depends on the child.
  void read(Cells& out) override;
  /// The family of v.
  void read_with(Variable v, Cells& out) override;
  bool by_family() const override { return true; }
  void read_family(Variable child, Cells& parents, Cells& family) override;

 private:
  struct Level {
    std::vector<std::uint32_t> rows;     // unique rows, cell by cell
    std::vector<std::size_t> ends;       // of each cell
    std::vector<std::uint32_t> singles;  // rows that are alone in their cell
    double states = 1;                   // possible cells
    std::size_t continuous = 0;          // continuous members
  };

  void split(Level const& from, Variable v, Level& to);
  void keep_complete(Level const& from, Variable v, Level& to) const;
  void count_states(Level const& level, Variable child, Cells& out);
  void regress(Level const& level, Variable child, Cells& out);
  /// ln of the residual variance of the last of `chosen_` by the others; false if it vanishes.
  bool residual(double count, double& out);

  EncodedData const& data_;
  std::shared_ptr<ScaledColumns const> columns_;
  std::uint32_t const least_rows_;
  int const digits_;  // of the fine unit
  bool const puts_aside_;
  std::vector<Variable> stack_;
  std::vector<Level> levels_;  // one more than the stack; reused
  std::vector<std::uint32_t> histogram_;
  std::vector<std::size_t> place_;
  std::vector<Variable> chosen_;
  std::vector<std::uint32_t> used_;  // rows of one cell
  std::vector<double> mean_, matrix_, row_;
};

}  // namespace bayesloom
