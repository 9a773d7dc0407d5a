// Moments of the continuous members of a set in each cell of its discrete members.
//
//   counts    n_z, rows in each cell z that holds any
//   moments   log_det = sum over z of n_z ln det Sigma_z, Sigma_z the covariance of the continuous
//             columns over the rows of z, divided by n_z; 0 if there are none
//
// A set with continuous members is singular also if some cell with rows has fewer than its columns
// and two, or than `least_rows`: what such a cell tells of a covariance is nearly nothing, and its
// likelihood may be without limit.
//
// The stack keeps the rows sorted by cell; a discrete variable splits the cells, rows staying in their
// order, and a continuous one is one column more. Terms of cells are whole numbers of a fine unit, so
// that their sum does not depend on the order in which variables came. Columns are centred and scaled
// over all rows first.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/moments.hpp"

namespace bayesloom {

/// Centred columns of variance 1, shared by all counters of a table.
struct ScaledColumns {
  std::vector<std::vector<double>> columns;  ///< of each variable; empty: discrete, or constant
  std::vector<double> log_variance;
};
std::shared_ptr<ScaledColumns const> scaled_columns(EncodedData const& data);

class CellMomentCounter final : public MomentReader {
 public:
  CellMomentCounter(EncodedData const& data, std::shared_ptr<ScaledColumns const> columns,
                    std::uint32_t least_rows);
  void push(Variable v) override;
  void pop() override;
  void read(Cells& out) override;
  void read_with(Variable v, Cells& out) override;

 private:
  struct Partition {
    std::vector<std::uint32_t> rows;   // unique rows, cell by cell
    std::vector<std::size_t> ends;     // of each cell
    std::vector<std::uint64_t> count;  // rows by weight
    double states = 1;
  };
  struct Entry {
    Variable variable;
    bool continuous;
  };

  void split(Partition const& from, Variable v, Partition& to);
  void evaluate(Partition const& cells, Cells& out);
  /// ln det of the covariance in one cell; false if it is singular.
  bool log_det(std::uint32_t const* rows, std::size_t size, double count, double& out);

  EncodedData const& data_;
  std::shared_ptr<ScaledColumns const> columns_;
  std::uint32_t const least_rows_;
  int const digits_;  // of the fine unit
  std::vector<Entry> stack_;
  std::vector<Partition> partitions_;  // one more than discrete members; reused
  std::size_t discrete_ = 0;
  std::vector<Variable> continuous_;
  Partition leaf_;
  std::vector<Variable> chosen_;  // continuous members, descending
  std::vector<std::size_t> place_;
  std::vector<double> mean_, matrix_, row_;
};

}  // namespace bayesloom
