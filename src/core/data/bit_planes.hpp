// One bit per unique row: plane (v, x) has bit u set where variable v is in state x.
//
// A set of rows ANDed with a plane and counted is a count N_ijk without touching the rows. Weights
// are cut into binary digits: with W_b the rows whose weight has bit b set,
//
//   rows of the table in S = sum over b of 2^b * popcount(S AND W_b).
//
// The planes ANDed with every W_b are made here once ("slices"). Rows are kept heaviest first, so
// W_b lies in a prefix and slice b is only as long as the last row of weight 2^b or more: the
// slices together never hold more bits than the table has rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/encoded_data.hpp"

namespace bayesloom {

class BitPlanes {
 public:
  /// Variables with more states than this get no planes; the partition kernel counts them. Nor do
  /// variables that lack values: planes of all their states would not add up to all rows.
  static constexpr std::uint32_t max_states = 64;

  explicit BitPlanes(EncodedData const& data);

  bool has(Variable v) const { return first_[v + 1] > first_[v]; }

  /// Words of one plane over all unique rows.
  std::size_t words() const { return words_; }

  /// Words over all slices of one plane: the work of counting it against one cell.
  std::size_t slice_words() const { return slice_words_; }

  /// The rows where v is in state x, all of weight counted once.
  std::uint64_t const* plane(Variable v, std::uint32_t x) const {
    return planes_.data() + (first_[v] + x) * words_;
  }

  struct Slice {
    std::uint64_t const* words;
    std::size_t count;
    unsigned shift;
  };
  std::size_t slice_count() const { return slice_length_.size(); }
  Slice slice(Variable v, std::uint32_t x, std::size_t b) const {
    auto const& all = slices_.empty() ? planes_ : slices_;
    return {all.data() + (first_[v] + x) * slice_words_ + slice_first_[b], slice_length_[b],
            static_cast<unsigned>(b)};
  }

 private:
  std::size_t words_;
  std::size_t slice_words_ = 0;
  std::vector<std::size_t> first_;  // index of plane (v, 0)
  std::vector<std::size_t> slice_first_, slice_length_;
  std::vector<std::uint64_t> planes_;
  std::vector<std::uint64_t> slices_;  // empty where all weights are 1: the planes serve
};

}  // namespace bayesloom
