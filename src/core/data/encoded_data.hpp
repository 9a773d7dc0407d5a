// The table as the core sees it: columns of small integers, equal rows merged.
//
//   row r of the table        = one state per variable, which occurs as often as its weight says
//   unique row u, weight w_u  = that combination of states occurs w_u times
//   row_count()               = N of every score, the sum of all weights
//
// Every score depends on the data through counts only, so equal rows are merged once, here, and
// every kernel counts weights instead of rows. Unique rows are kept heaviest first: bit b of the
// weights then lives in a prefix of the rows, which is what keeps weighted bit counting cheap
// (see bit_planes.hpp). Merging costs O(rows * variables), once.
//
// A continuous variable has numbers in place of states: `values`. For what goes by states it counts
// as two of them if it varies and as one if it is constant, and its column of states is all zero;
// scores that count cells are never made for a table with such a variable (score.cpp). Rows of a
// table with numbers are ordered by what they hold, so that sums over them do not depend on the
// order of the rows given.
//
// Values may be missing, where that is allowed: a state equal to the cardinality, or a number that is
// NaN. And a variable may have been set from outside in some rows (an intervention): these tell
// nothing of what it depends on and do not count for it as a child. Variables with the same rows left
// share a part, a table of these rows alone; part 0 is the whole table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "base/variable.hpp"

namespace bayesloom {

struct Correlations;
struct ScaledColumns;

/// A column as given: one state per row, in one or two bytes, or one finite number.
using ColumnView = std::variant<std::span<std::uint8_t const>, std::span<std::uint16_t const>,
                                std::span<double const>>;

/// A column as kept: one state per unique row.
using Column = std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>>;

class EncodedData {
 public:
  /// Merges equal rows. Every state must be below its variable's cardinality; the cardinality of a
  /// column of numbers is not looked at. `weights` say how often each row counts, at least once;
  /// without any, every row counts once. `set_rows` has for each variable one byte per row that says
  /// whether it was set there, or is empty; no entry at all: none was.
  EncodedData(std::span<ColumnView const> columns, std::vector<std::uint32_t> cardinalities,
              std::span<std::uint32_t const> weights = {}, bool missing_allowed = false,
              std::span<std::span<std::uint8_t const> const> set_rows = {});

  std::size_t variable_count() const { return cardinalities_.size(); }
  std::size_t unique_row_count() const { return weights_.size(); }
  std::uint32_t row_count() const { return row_count_; }
  /// States of v; of a continuous variable 2 if it varies, else 1.
  std::uint32_t cardinality(Variable v) const { return cardinalities_[v]; }
  std::span<std::uint32_t const> cardinalities() const { return cardinalities_; }

  Column const& column(Variable v) const { return columns_[v]; }
  bool continuous(Variable v) const { return !values_[v].empty(); }
  std::size_t continuous_count() const { return continuous_count_; }
  /// The numbers of a continuous variable, one per unique row.
  std::span<double const> values(Variable v) const { return values_[v]; }
  std::span<std::uint32_t const> weights() const { return weights_; }  ///< descending
  /// Whether v lacks a value in some row.
  bool lacks(Variable v) const { return lacks_[v] != 0; }
  /// Whether any variable does.
  bool incomplete() const { return incomplete_; }

  /// Parts beyond the whole table; 0 where nothing was set.
  std::size_t part_count() const { return parts_.size(); }
  /// Which part v is counted in as a child: 0 for the whole table.
  std::size_t part_of(Variable v) const { return part_of_.empty() ? 0 : part_of_[v]; }
  EncodedData const& part(std::size_t p) const { return p == 0 ? *this : *parts_[p - 1]; }
  /// A number that changes with the rows, their weights and the cardinalities.
  std::uint64_t digest() const;
  /// What `make` makes of this table, made once and kept with it; `kind` is 0 or 1 (moments.hpp).
  template <typename Make>
  auto kept_correlations(bool kind, Make&& make) const {
    std::scoped_lock const lock(kept_->mutex);
    auto& slot = kept_->correlations[kind];
    if (!slot) slot = make();
    return slot;
  }
  /// The same for what moments per cell are made of (cell_moments.hpp).
  template <typename Make>
  auto kept_columns(Make&& make) const {
    std::scoped_lock const lock(kept_->mutex);
    if (!kept_->columns) kept_->columns = make();
    return kept_->columns;
  }
  bool weighted() const { return !weights_.empty() && weights_.front() > 1; }

 private:
  void make_parts(std::span<ColumnView const> columns, std::span<std::uint32_t const> weights,
                  bool missing_allowed, std::span<std::span<std::uint8_t const> const> set_rows);

  std::vector<std::uint32_t> cardinalities_;
  std::vector<Column> columns_;
  std::vector<std::vector<double>> values_;  // empty where there are states
  std::size_t continuous_count_ = 0;
  struct Kept {
    std::mutex mutex;
    std::array<std::shared_ptr<Correlations const>, 2> correlations;
    std::shared_ptr<ScaledColumns const> columns;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::vector<std::uint32_t> weights_;
  std::vector<std::uint8_t> lacks_;
  bool incomplete_ = false;
  std::vector<std::uint32_t> part_of_;
  std::vector<std::shared_ptr<EncodedData const>> parts_;
  std::uint32_t row_count_ = 0;
};

}  // namespace bayesloom
