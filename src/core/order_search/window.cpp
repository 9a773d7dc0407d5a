#include "order_search/window.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace bayesloom::order_search {

namespace {

// Far below any score, and two of them still fit in 64 bits.
constexpr Fixed impossible = std::numeric_limits<Fixed>::min() / 4;

}  // namespace

ExactWindow::ExactWindow(CandidateTable const& instance, std::size_t width)
    : instance_(instance),
      width_(width),
      best_(std::size_t{1} << width),
      table_(width << width) {}

void ExactWindow::tabulate(OrderState const& state, std::size_t first, std::size_t i) {
  std::size_t const size = best_.size();
  Fixed* const table = table_.data() + i * size;
  std::fill_n(table, size, impossible);
  Variable const v = state.order[first + i];
  for (Rank r = 0, count = instance_.count(v); r < count; ++r) {
    std::size_t inside = 0;
    bool open = true;
    for (Variable const p : instance_.parents(v, r)) {
      std::size_t const place = state.place[p];
      if (place <= first) continue;
      open = open && place <= first + width_;
      if (!open) break;
      inside |= std::size_t{1} << (place - first - 1);
    }
    if (!open) continue;
    table[inside] = std::max(table[inside], instance_.score(v, r));
    if (inside == 0) break;  // available anywhere in the window: nothing after it is of use
  }
  for (std::size_t bit = 1; bit < size; bit *= 2)
    for (std::size_t base = 0; base < size; base += 2 * bit)
      for (std::size_t s = base; s < base + bit; ++s) table[s + bit] = std::max(table[s + bit], table[s]);
}

bool ExactWindow::improve(OrderState& state, std::size_t first) {
  Fixed now = 0;
  for (std::size_t i = 0; i < width_; ++i) {
    Variable const v = state.order[first + i];
    now += instance_.score(v, state.choice[v]);
    tabulate(state, first, i);
  }
  std::size_t const size = best_.size();
  best_[0] = 0;
  for (std::size_t s = 1; s < size; ++s) {
    Fixed most = impossible;
    for (std::size_t left = s; left != 0; left &= left - 1) {
      auto const i = static_cast<std::size_t>(std::countr_zero(left));
      std::size_t const rest = s & ~(std::size_t{1} << i);
      most = std::max(most, best_[rest] + table_[i * size + rest]);
    }
    best_[s] = std::max(most, impossible);
  }
  if (best_.back() <= now) return false;
  arrange(state, first);
  state.score += best_.back() - now;
  return true;
}

/// Walks back from the full window and settles places and choices.
void ExactWindow::arrange(OrderState& state, std::size_t first) {
  std::size_t const size = best_.size();
  std::vector<Variable> const before(state.order.begin() + static_cast<std::ptrdiff_t>(first),
                                     state.order.begin() + static_cast<std::ptrdiff_t>(first + width_));
  std::size_t s = size - 1;
  for (std::size_t at = width_; at-- > 0;) {
    for (std::size_t left = s; left != 0; left &= left - 1) {
      auto const i = static_cast<std::size_t>(std::countr_zero(left));
      std::size_t const rest = s & ~(std::size_t{1} << i);
      if (best_[rest] == impossible || best_[rest] + table_[i * size + rest] != best_[s]) continue;
      state.order[first + at] = before[i];
      s = rest;
      break;
    }
  }
  for (std::size_t i = first; i < first + width_; ++i)
    state.place[state.order[i]] = static_cast<Place>(i + 1);
  state.regather(first + 1, first + width_);
  for (std::size_t i = first; i < first + width_; ++i) {
    Variable const v = state.order[i];
    state.choice[v] = instance_.first_available(v, 0, state.place, state.place[v]);
  }
}

}  // namespace bayesloom::order_search
