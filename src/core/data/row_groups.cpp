#include "data/row_groups.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "data/tuning.hpp"

namespace bayesloom {

namespace {

constexpr std::uint32_t unplaced = std::numeric_limits<std::uint32_t>::max();

using tuning::few_states;

void grow(std::vector<std::uint32_t>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

}  // namespace

void RowGroups::clear() {
  ones = 0;
  settled.clear();
  totals.clear();
  begin.clear();
  end.clear();
  row_count = 0;
}

void RowGroups::close_cell(std::uint32_t first, std::uint32_t last) {
  if (last - first > 1) {
    std::uint32_t total = 0;
    for (std::uint32_t i = first; i < last; ++i) total += weights[i];
    totals.push_back(total);
    begin.push_back(first);
    end.push_back(last);
    row_count += last - first;
  } else if (weights[first] == 1) {
    ++ones;
  } else {
    settled.push_back(weights[first]);
  }
}

GroupCounter::GroupCounter(EncodedData const& data, BitPlanes const& planes,
                           RowClasses const* classes)
    : data_(data), planes_(planes), classes_(classes) {
  auto const cardinalities = data.cardinalities();
  auto const most = *std::max_element(cardinalities.begin(), cardinalities.end());
  histogram_.assign(most, 0);
  place_.assign(most, unplaced);
}

void GroupCounter::start(BitCells const& bits, std::size_t to_come, RowGroups& groups) {
  std::size_t const stride = planes_.words();
  std::size_t const cells = bits.cells();
  auto const weights = data_.weights();
  groups.clear();
  groups.ones = bits.ones;
  groups.settled.assign(bits.settled.begin(), bits.settled.end());
  cell_of_.assign(data_.unique_row_count(), unplaced);
  auto& first = groups.begin;  // where the rows of a cell stand, and where its next one goes
  auto& next = groups.end;
  first.resize(cells);
  std::uint32_t place = 0;
  for (std::size_t c = 0; c < cells; ++c) {
    first[c] = place;
    if (bits.totals[c] == 0) continue;
    std::uint64_t const* const cell = bits.cell(c, stride);
    for (std::size_t w = 0; w < stride; ++w)
      for (std::uint64_t word = cell[w * lanes]; word; word &= word - 1, ++place)
        cell_of_[w * 64 + static_cast<std::size_t>(std::countr_zero(word))] =
            static_cast<std::uint32_t>(c);
  }
  next.assign(first.begin(), first.end());
  grow(groups.rows, place);
  grow(groups.weights, place);
  auto const add = [&](std::uint32_t u, std::uint32_t const* classes) {
    std::uint32_t const c = cell_of_[u];
    if (c == unplaced) return;
    std::uint32_t const at = next[c];
    if (classes && at > first[c] && classes[groups.rows[at - 1]] == classes[u]) {
      groups.weights[at - 1] += weights[u];
      return;
    }
    groups.rows[at] = u;
    groups.weights[at] = weights[u];
    ++next[c];
  };
  if (classes_) {
    auto const* const classes = classes_->classes(to_come).data();
    for (auto const u : classes_->order()) add(u, classes);
  } else {
    for (std::uint32_t u = 0; u < data_.unique_row_count(); ++u) add(u, nullptr);
  }
  std::vector<std::uint32_t> const firsts(std::move(first)), lasts(std::move(next));
  groups.begin.clear();
  groups.end.clear();
  for (std::size_t c = 0; c < cells; ++c)
    if (lasts[c] > firsts[c]) groups.close_cell(firsts[c], lasts[c]);
  groups.made = true;
}

void GroupCounter::split(RowGroups const& from, Variable v, RowGroups& to) {
  to.clear();
  to.ones = from.ones;
  to.settled.assign(from.settled.begin(), from.settled.end());
  auto const* const classes = classes_ ? classes_->classes(classes_->number(v)).data() : nullptr;
  std::uint32_t const r = data_.cardinality(v);
  std::visit(
      [&](auto const& states) {
        if (r <= few_states)
          split_by_few(from, states.data(), r, classes, to);
        else
          split_by_many(from, states.data(), classes, to);
      },
      data_.column(v));
  to.made = true;
}

// Few states: every state gets room for all rows of the cell, so one pass does.
template <typename State>
void GroupCounter::split_by_few(RowGroups const& from, State const* states, std::uint32_t r,
                                std::uint32_t const* classes, RowGroups& to) {
  grow(to.rows, from.row_count * r);
  grow(to.weights, from.row_count * r);
  std::uint32_t at[few_states], last[few_states], weight[few_states];
  std::uint32_t kept = 0;
  for (std::size_t c = 0; c < from.cells(); ++c) {
    std::uint32_t const begin = from.begin[c], end = from.end[c];
    for (std::uint32_t x = 0; x < r; ++x) {
      at[x] = kept + x * (end - begin);
      last[x] = unplaced;
      weight[x] = 0;
    }
    for (std::uint32_t i = begin; i < end; ++i) {
      std::uint32_t const row = from.rows[i];
      auto const x = states[row];
      std::uint32_t const kind = classes ? classes[row] : row;
      bool const same = kind == last[x];
      weight[x] = from.weights[i] + (same ? weight[x] : 0U);
      at[x] += same ? 0U : 1U;
      to.rows[at[x] - 1] = row;
      to.weights[at[x] - 1] = weight[x];
      last[x] = kind;
    }
    for (std::uint32_t x = 0; x < r; ++x) {
      std::uint32_t const first = kept + x * (end - begin);
      if (at[x] > first) to.close_cell(first, at[x]);
    }
    kept += r * (end - begin);
  }
}

template <typename State>
void GroupCounter::split_by_many(RowGroups const& from, State const* states,
                                 std::uint32_t const* classes, RowGroups& to) {
  grow(to.rows, from.row_count);
  grow(to.weights, from.row_count);
  std::uint32_t const* const rows = from.rows.data();
  std::uint32_t const* const weights = from.weights.data();
  std::uint32_t kept = 0;
  for (std::size_t c = 0; c < from.cells(); ++c) {
    std::uint32_t const begin = from.begin[c], end = from.end[c];
    for (std::uint32_t i = begin; i < end; ++i) ++histogram_[states[rows[i]]];
    // The first row of a state opens its new cell, so a group costs its rows, not its states.
    opened_.clear();
    for (std::uint32_t i = begin; i < end; ++i) {
      std::uint32_t const row = rows[i];
      auto const x = states[row];
      std::uint32_t at = place_[x];
      if (at == unplaced) {
        at = kept;
        opened_.push_back({x, at});
        kept += histogram_[x];
      } else if (classes && classes[to.rows[at - 1]] == classes[row]) {
        to.weights[at - 1] += weights[i];
        continue;
      }
      to.rows[at] = row;
      to.weights[at] = weights[i];
      place_[x] = at + 1;
    }
    for (auto const& [state, first] : opened_) {
      to.close_cell(first, place_[state]);
      histogram_[state] = 0;
      place_[state] = unplaced;
    }
  }
}

void GroupCounter::count(RowGroups const& level, Variable v, std::vector<std::uint32_t>& counts) {
  std::visit(
      [&](auto const& states) { count_by(level, states.data(), data_.cardinality(v), counts); },
      data_.column(v));
}

template <typename State>
void GroupCounter::count_by(RowGroups const& level, State const* states, std::uint32_t cardinality,
                            std::vector<std::uint32_t>& counts) {
  std::uint32_t const* const rows = level.rows.data();
  std::uint32_t const* const weights = level.weights.data();
  std::size_t const cells = level.cells();
  if (cardinality == 2) {
    std::size_t const at = counts.size();
    counts.resize(at + 2 * cells);
    std::uint32_t* target = counts.data() + at;
    for (std::size_t c = 0; c < cells; ++c, target += 2) {
      std::uint32_t ones = 0;
      for (std::uint32_t i = level.begin[c]; i < level.end[c]; ++i)
        ones += weights[i] & (0U - static_cast<std::uint32_t>(states[rows[i]]));
      target[0] = level.totals[c] - ones;
      target[1] = ones;
    }
    return;
  }
  for (std::size_t c = 0; c < cells; ++c) {
    std::uint32_t const begin = level.begin[c], end = level.end[c];
    for (std::uint32_t i = begin; i < end; ++i) histogram_[states[rows[i]]] += weights[i];
    if (cardinality <= end - begin) {
      counts.insert(counts.end(), histogram_.begin(), histogram_.begin() + cardinality);
      std::fill_n(histogram_.begin(), cardinality, 0);
    } else {
      for (std::uint32_t i = begin; i < end; ++i) {
        counts.push_back(histogram_[states[rows[i]]]);  // zero from the second visit on
        histogram_[states[rows[i]]] = 0;
      }
    }
  }
}

}  // namespace bayesloom
