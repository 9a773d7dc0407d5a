#include "data/bit_cells.hpp"

#include <algorithm>
#include <bit>

namespace bayesloom {

void BitCounter::start(BitCells& root) const {
  std::size_t const unique = data_.unique_row_count();
  root.totals = {data_.row_count()};
  root.seen = 1;
  root.bits.assign(planes_.words() * lanes, 0);
  for (std::size_t u = 0; u < unique; ++u)
    root.bits[u / 64 * lanes] |= std::uint64_t{1} << (u % 64);
  root.made = true;
}

void BitCounter::split(BitCells const& from, Variable v, BitCells& to) {
  to.ones = from.ones;
  to.settled.assign(from.settled.begin(), from.settled.end());
  to.totals.clear();
  if (from.cells() >= lanes && 2 * from.seen >= from.cells())
    split_blocks(from, v, to);
  else
    split_one_by_one(from, v, to);
  to.made = true;
}

void BitCounter::split_one_by_one(BitCells const& from, Variable v, BitCells& to) const {
  std::size_t const stride = planes_.words();
  std::size_t const r = data_.cardinality(v);
  auto const weights = data_.weights();
  to.bits.resize((from.cells() * r + lanes - 1) / lanes * lanes * stride);
  std::size_t cells = 0;
  for (std::size_t c = 0; c < from.cells(); ++c) {
    if (from.totals[c] == 0) continue;
    std::uint64_t const* const cell = from.cell(c, stride);
    for (std::uint32_t x = 0; x < r; ++x) {
      std::uint64_t const* const plane = planes_.plane(v, x);
      std::uint64_t* const target = to.bits.data() + cells / lanes * stride * lanes + cells % lanes;
      std::size_t unique = 0;
      std::size_t last_word = 0;
      for (std::size_t w = 0; w < stride; ++w) {
        std::uint64_t const word = cell[w * lanes] & plane[w];
        target[w * lanes] = word;
        if (word) {
          unique += static_cast<std::size_t>(std::popcount(word));
          last_word = w;
        }
      }
      if (unique == 0) continue;
      std::uint32_t total = 0;
      if (data_.weighted()) {
        for (std::size_t w = 0; w <= last_word; ++w)
          for (std::uint64_t word = target[w * lanes]; word; word &= word - 1)
            total += weights[w * 64 + static_cast<std::size_t>(std::countr_zero(word))];
      } else {
        total = static_cast<std::uint32_t>(unique);
      }
      if (unique > 1) {
        to.totals.push_back(total);
        ++cells;  // otherwise the next cell overwrites it
      } else if (total == 1) {
        ++to.ones;
      } else {
        to.settled.push_back(total);
      }
    }
  }
  to.seen = cells;
  // Lanes beyond the last cell are split along with it later: they must be empty.
  for (; cells % lanes != 0; ++cells) {
    std::uint64_t* const target = to.bits.data() + cells / lanes * stride * lanes + cells % lanes;
    for (std::size_t w = 0; w < stride; ++w) target[w * lanes] = 0;
  }
}

void BitCounter::split_blocks(BitCells const& from, Variable v, BitCells& to) {
  std::size_t const stride = planes_.words();
  std::size_t const r = data_.cardinality(v);
  std::size_t const blocks = (from.cells() + lanes - 1) / lanes;
  std::size_t const width = blocks * lanes;
  to.bits.resize(width * r * stride);
  for (std::uint32_t x = 0; x < r; ++x) {
    std::uint64_t const* const plane = planes_.plane(v, x);
    std::uint64_t const* source = from.bits.data();
    std::uint64_t* target = to.bits.data() + x * width * stride;
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t w = 0; w < stride; ++w, source += lanes, target += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) target[lane] = source[lane] & plane[w];
  }
  // Counts come state by state, one per cell; lanes beyond the last cell of `from` stay at zero.
  std::size_t const cells = from.cells();
  to.totals.reserve(width * r);
  count(from, v, to.totals);
  to.totals.resize(width * r);
  if (width > cells)
    for (std::size_t x = r; x-- > 0;) {
      auto const first = to.totals.begin();
      std::copy_backward(first + static_cast<std::ptrdiff_t>(x * cells),
                         first + static_cast<std::ptrdiff_t>((x + 1) * cells),
                         first + static_cast<std::ptrdiff_t>(x * width + cells));
      std::fill_n(first + static_cast<std::ptrdiff_t>(x * width + cells), width - cells, 0U);
    }
  to.seen = static_cast<std::size_t>(std::count_if(to.totals.begin(), to.totals.end(),
                                                   [](std::uint32_t total) { return total > 0; }));
}

void BitCounter::count(BitCells const& level, Variable v, std::vector<std::uint32_t>& counts) {
  std::size_t const cells = level.cells();
  std::size_t const blocks = (cells + lanes - 1) / lanes;
  std::size_t const r = data_.cardinality(v);
  std::size_t const begin = counts.size();
  counts.resize(begin + cells * r);
  std::uint32_t* const rest = counts.data() + begin;
  std::copy(level.totals.begin(), level.totals.end(), rest);
  if (lane_counts_.size() < blocks * lanes) lane_counts_.resize(blocks * lanes);
  // What no counted state took is left for state 0.
  for (std::uint32_t x = 1; x < r; ++x) {
    std::fill_n(lane_counts_.begin(), blocks * lanes, 0);
    for (std::size_t b = 0; b < planes_.slice_count(); ++b) {
      auto const slice = planes_.slice(v, x, b);
      kernel_.count(level.bits.data(), blocks, planes_.words(), slice.words, slice.count,
                    slice.shift, lane_counts_.data());
    }
    std::uint32_t* const target = rest + x * cells;
    for (std::size_t c = 0; c < cells; ++c) {
      target[c] = static_cast<std::uint32_t>(lane_counts_[c]);
      rest[c] -= target[c];
    }
  }
}

}  // namespace bayesloom
