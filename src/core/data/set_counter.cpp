#include "data/set_counter.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>

namespace bayesloom {

namespace {

// Costs in nanoseconds, from benchmarks/micro/counting.py; only their ratios matter.
constexpr double ns_per_cell_word = 0.16;  // one AND + popcount of 64 rows
constexpr double ns_per_cell = 0.8;        // overhead per cell and state, bits
constexpr double ns_per_row = 1.0;         // one look-up, groups
constexpr double ns_per_group = 3.0;       // overhead per cell, groups

constexpr std::uint32_t unplaced = std::numeric_limits<std::uint32_t>::max();

template <typename T>
void grow(std::vector<T>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

}  // namespace

SetCounter::SetCounter(EncodedData const& data, BitPlanes const& planes, CountingForm form)
    : data_(data), planes_(planes), form_(form), kernel_(bit_kernels().front()) {
  auto const cardinalities = data.cardinalities();
  auto const most = *std::max_element(cardinalities.begin(), cardinalities.end());
  histogram_.assign(most, 0);
  place_.assign(most, unplaced);

  levels_.resize(1);
  Level& root = levels_.front();
  std::size_t const unique = data.unique_row_count();
  if (unique == 1) {
    settle(root, data.row_count());
  } else {
    root.totals = {data.row_count()};
    root.unique_rows = unique;
    root.rows.resize(unique);
    std::iota(root.rows.begin(), root.rows.end(), 0U);
    root.group_first = {0, static_cast<std::uint32_t>(unique)};
    root.bits.assign(planes.words() * lanes, 0);
    for (std::size_t u = 0; u < unique; ++u)
      root.bits[u / 64 * lanes] |= std::uint64_t{1} << (u % 64);
  }
  root.has_bits = root.has_groups = true;
}

void SetCounter::settle(Level& level, std::uint32_t weight) const {
  if (weight == 1)
    ++level.ones;
  else
    level.settled.push_back(weight);
}

bool SetCounter::prefer_bits(Level const& level, Variable v) const {
  if (!level.has_bits || !planes_.has(v)) return false;
  if (form_ != CountingForm::by_cost) return form_ == CountingForm::bits;
  // Cells are counted in blocks of eight, empty lanes included.
  auto const cells = static_cast<double>((level.totals.size() + lanes - 1) / lanes * lanes);
  auto const planes = static_cast<double>(data_.cardinality(v) - 1);
  double const words = static_cast<double>(planes_.slice_words());
  double const bits = cells * planes * (words * ns_per_cell_word + ns_per_cell);
  double const groups = static_cast<double>(level.unique_rows) * ns_per_row +
                        static_cast<double>(level.totals.size()) * ns_per_group;
  return bits <= groups;
}

void SetCounter::push(Variable v) {
  if (levels_.size() == depth_ + 1) levels_.emplace_back();
  Level& from = levels_[depth_];
  Level& to = levels_[depth_ + 1];
  ++depth_;
  to.states = from.states * data_.cardinality(v);
  to.ones = from.ones;
  to.settled.assign(from.settled.begin(), from.settled.end());
  to.totals.clear();
  to.unique_rows = 0;
  to.has_bits = to.has_groups = false;
  if (prefer_bits(from, v)) {
    push_bits(from, v, to);
  } else {
    if (!from.has_groups) make_groups(from);
    std::visit([&](auto const& states) { push_groups(from, states, to); },
               data_.column(v));
  }
}

void SetCounter::push_bits(Level const& from, Variable v, Level& to) const {
  std::size_t const stride = planes_.words();
  std::size_t const r = data_.cardinality(v);
  auto const weights = data_.weights();
  grow(to.bits, (from.totals.size() * r + lanes - 1) / lanes * lanes * stride);
  std::size_t cells = 0;
  for (std::size_t c = 0; c < from.totals.size(); ++c) {
    std::uint64_t const* const cell = from.bits.data() + c / lanes * stride * lanes + c % lanes;
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
      if (unique == 1) {
        auto const bit = static_cast<std::size_t>(std::countr_zero(target[last_word * lanes]));
        settle(to, weights[last_word * 64 + bit]);
        continue;  // the next cell overwrites it
      }
      std::uint32_t total = 0;
      if (data_.weighted()) {
        for (std::size_t w = 0; w <= last_word; ++w)
          for (std::uint64_t word = target[w * lanes]; word; word &= word - 1)
            total += weights[w * 64 + static_cast<std::size_t>(std::countr_zero(word))];
      } else {
        total = static_cast<std::uint32_t>(unique);
      }
      to.totals.push_back(total);
      to.unique_rows += unique;
      ++cells;
    }
  }
  to.has_bits = true;
}

void SetCounter::make_groups(Level& level) const {
  std::size_t const stride = planes_.words();
  level.rows.clear();
  level.group_first.assign(1, 0);
  for (std::size_t c = 0; c < level.totals.size(); ++c) {
    std::uint64_t const* const cell = level.bits.data() + c / lanes * stride * lanes + c % lanes;
    for (std::size_t w = 0; w < stride; ++w)
      for (std::uint64_t word = cell[w * lanes]; word; word &= word - 1)
        level.rows.push_back(static_cast<std::uint32_t>(
            w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
    level.group_first.push_back(static_cast<std::uint32_t>(level.rows.size()));
  }
  level.has_groups = true;
}

template <typename State>
void SetCounter::push_groups(Level const& from, std::vector<State> const& states, Level& to) {
  auto const weights = data_.weights();
  grow(to.rows, from.unique_rows);
  to.group_first.assign(1, 0);
  std::uint32_t kept = 0;
  for (std::size_t c = 0; c < from.totals.size(); ++c) {
    std::span<std::uint32_t const> const rows(from.rows.data() + from.group_first[c],
                                              from.rows.data() + from.group_first[c + 1]);
    for (auto const row : rows) ++histogram_[states[row]];
    // The first row of a state opens its new cell, so a group costs its rows, not its states.
    for (auto const row : rows) {
      auto const x = states[row];
      if (histogram_[x] == 1) {
        settle(to, weights[row]);
        continue;
      }
      if (place_[x] == unplaced) {
        place_[x] = kept;
        kept += histogram_[x];
        to.group_first.push_back(kept);
      }
      to.rows[place_[x]++] = row;
    }
    for (auto const row : rows) {
      histogram_[states[row]] = 0;
      place_[states[row]] = unplaced;
    }
  }
  for (std::size_t c = 0; c + 1 < to.group_first.size(); ++c) {
    std::uint32_t total = 0;
    for (std::uint32_t i = to.group_first[c]; i < to.group_first[c + 1]; ++i)
      total += weights[to.rows[i]];
    to.totals.push_back(total);
  }
  to.unique_rows = kept;
  to.has_groups = true;
}

void SetCounter::cells(Cells& out) const {
  Level const& level = levels_[depth_];
  out.states = level.states;
  out.ones = level.ones;
  out.counts.assign(level.settled.begin(), level.settled.end());
  out.counts.insert(out.counts.end(), level.totals.begin(), level.totals.end());
}

void SetCounter::cells_with(Variable v, Cells& out) {
  Level& level = levels_[depth_];
  out.states = level.states * data_.cardinality(v);
  out.ones = level.ones;
  out.counts.assign(level.settled.begin(), level.settled.end());
  if (prefer_bits(level, v)) {
    count_bits(level, v, out);
  } else {
    if (!level.has_groups) make_groups(level);
    std::visit([&](auto const& states) { count_groups(level, states, data_.cardinality(v), out); },
               data_.column(v));
  }
}

void SetCounter::count_bits(Level const& level, Variable v, Cells& out) {
  std::size_t const cells = level.totals.size();
  std::size_t const blocks = (cells + lanes - 1) / lanes;
  std::size_t const r = data_.cardinality(v);
  std::size_t const begin = out.counts.size();
  out.counts.resize(begin + cells * r);
  std::uint32_t* const rest = out.counts.data() + begin;
  std::copy(level.totals.begin(), level.totals.end(), rest);
  grow(lane_counts_, blocks * lanes);
  for (std::uint32_t x = 0; x + 1 < r; ++x) {
    std::fill_n(lane_counts_.begin(), blocks * lanes, 0);
    for (std::size_t b = 0; b < planes_.slice_count(); ++b) {
      auto const slice = planes_.slice(v, x, b);
      kernel_.count(level.bits.data(), blocks, planes_.words(), slice.words, slice.count,
                    slice.shift, lane_counts_.data());
    }
    std::uint32_t* const target = rest + (x + 1) * cells;
    for (std::size_t c = 0; c < cells; ++c) {
      target[c] = static_cast<std::uint32_t>(lane_counts_[c]);
      rest[c] -= target[c];
    }
  }
}

template <typename State>
void SetCounter::count_groups(Level const& level, std::vector<State> const& states,
                              std::uint32_t cardinality, Cells& out) {
  auto const weights = data_.weights();
  bool const weighted = data_.weighted();
  for (std::size_t c = 0; c < level.totals.size(); ++c) {
    std::span<std::uint32_t const> const rows(level.rows.data() + level.group_first[c],
                                              level.rows.data() + level.group_first[c + 1]);
    if (weighted)
      for (auto const row : rows) histogram_[states[row]] += weights[row];
    else
      for (auto const row : rows) ++histogram_[states[row]];
    if (cardinality <= rows.size()) {
      out.counts.insert(out.counts.end(), histogram_.begin(), histogram_.begin() + cardinality);
      std::fill_n(histogram_.begin(), cardinality, 0);
    } else {
      for (auto const row : rows) {
        out.counts.push_back(histogram_[states[row]]);  // zero from the second visit on
        histogram_[states[row]] = 0;
      }
    }
  }
}

}  // namespace bayesloom
