// One level of counting as bit sets: each cell has one bit per unique row.
//
// Counting v takes one AND and one popcount per cell, per 64 rows, and per state except the last (which is the
// remainder), for eight cells at a time. Best for few cells, and for long tables of few states.
//
// Splitting by v ANDs every cell with every plane of v. Up to seven cells are split one by one, and cells that become
// empty or a single row are removed; from eight on, whole blocks are split at once and all cells stay, also empty
// ones, whose counts are zero.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bit_kernels.hpp"
#include "data/bit_planes.hpp"
#include "data/cells.hpp"
#include "data/encoded_data.hpp"

namespace bayesloom {

struct BitCells {
  bool made = false;
  std::uint32_t ones = 0;              // cells of one row that were taken out
  std::vector<std::uint32_t> settled;  // counts of further cells taken out: one unique row each
  std::vector<std::uint32_t> totals;  // rows of each cell; a multiple of eight of them after blocks
  std::size_t seen = 0;               // of those, how many hold a row
  std::vector<std::uint64_t> bits;    // interleaved, see bit_kernels.hpp

  std::size_t cells() const { return totals.size(); }
  std::uint64_t const* cell(std::size_t c, std::size_t stride) const {
    return bits.data() + c / lanes * stride * lanes + c % lanes;
  }
};

/// Splits and counts levels of bit sets. Not thread-safe: it has buffers of its own.
class BitCounter {
 public:
  BitCounter(EncodedData const& data, BitPlanes const& planes)
      : data_(data), planes_(planes), kernel_(bit_kernels().front()) {}

  /// The level of the empty set: one cell with every row.
  void start(BitCells& root) const;

  /// `to` = the cells of `from`, each split by the states of v; v has planes.
  void split(BitCells const& from, Variable v, BitCells& to);

  /// Appends the counts of all cells of `level` split by v.
  void count(BitCells const& level, Variable v, std::vector<std::uint32_t>& counts);

 private:
  void split_one_by_one(BitCells const& from, Variable v, BitCells& to) const;
  void split_blocks(BitCells const& from, Variable v, BitCells& to);

  EncodedData const& data_;
  BitPlanes const& planes_;
  BitKernel kernel_;
  std::vector<std::uint64_t> lane_counts_;
};

}  // namespace bayesloom
