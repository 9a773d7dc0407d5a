// One level of counting as a stripped partition [huhtala1999]: rows grouped by cell.
//
// Counting v is one look-up per row. Best for many cells or states. A cell of one row cannot be
// split any more: it is taken out, so the work shrinks with depth. Where variables come in falling
// order, rows of a cell that agree on all variables still to come are merged (row_classes.hpp);
// then most cells are soon of one row.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bit_cells.hpp"
#include "data/bit_planes.hpp"
#include "data/encoded_data.hpp"
#include "data/row_classes.hpp"

namespace bayesloom {

struct RowGroups {
  bool made = false;
  std::uint32_t ones = 0;                 // cells of one row of the table that were taken out
  std::vector<std::uint32_t> settled;     // counts of the other cells taken out
  std::vector<std::uint32_t> totals;      // rows of the table in each cell that is left
  std::vector<std::uint32_t> rows;        // unique rows, by cell; of merged rows, one
  std::vector<std::uint32_t> weights;     // of each of `rows`
  std::vector<std::uint32_t> begin, end;  // cell c holds rows[begin[c] .. end[c])
  std::size_t row_count = 0;              // in all cells

  std::size_t cells() const { return totals.size(); }
  void clear();
  /// Adds a cell whose rows stand at first .. last, or takes it out if there is but one.
  void close_cell(std::uint32_t first, std::uint32_t last);
};

/// Splits and counts partitions. Not thread-safe: it has buffers of its own.
class GroupCounter {
 public:
  GroupCounter(EncodedData const& data, BitPlanes const& planes, RowClasses const* classes);

  /// The same cells as `bits`, when only the numbers below `to_come` may follow.
  void start(BitCells const& bits, std::size_t to_come, RowGroups& groups);

  /// `to` = the cells of `from`, each split by the states of v.
  void split(RowGroups const& from, Variable v, RowGroups& to);

  /// Appends the counts of all cells of `level` split by v.
  void count(RowGroups const& level, Variable v, std::vector<std::uint32_t>& counts);

 private:
  template <typename State>
  void split_by_few(RowGroups const& from, State const* states, std::uint32_t r,
                    std::uint32_t const* classes, RowGroups& to);
  template <typename State>
  void split_by_many(RowGroups const& from, State const* states, std::uint32_t const* classes,
                     RowGroups& to);
  template <typename State>
  void count_by(RowGroups const& level, State const* states, std::uint32_t cardinality,
                std::vector<std::uint32_t>& counts);

  EncodedData const& data_;
  BitPlanes const& planes_;
  RowClasses const* classes_;
  std::vector<std::uint32_t> histogram_;  // one entry per state, all zero between calls
  std::vector<std::uint32_t> place_;      // one entry per state, all unplaced between calls
  struct Opened {
    std::uint32_t state, first;
  };
  std::vector<Opened> opened_;          // states met in one cell
  std::vector<std::uint32_t> cell_of_;  // of each unique row, while bits become groups
};

}  // namespace bayesloom
