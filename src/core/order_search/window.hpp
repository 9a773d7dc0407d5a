// The best arrangement of w variables that follow each other in the order, exactly.
//
// The variables before the window, those behind it and what they choose do not depend on how the
// window is arranged. With V the variables of the window and B those before it,
//
//   f(S) = max over i in S of  f(S - i) + s*(i, B + S - i)         for S inside V
//
// is the dynamic programme over subsets of order_graph/, on a window: O(w^2 2^w) after one pass
// over the candidates of each of the w variables. No arrangement of fewer neighbours, and no insert
// or swap inside the window, can then gain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "orders/order_state.hpp"

namespace bayesloom::order_search {

using namespace orders;

inline constexpr std::size_t max_window = 16;

class ExactWindow {
 public:
  /// For windows of `width` variables, 2 .. max_window, and no more than there are.
  ExactWindow(CandidateTable const& instance, std::size_t width);

  std::size_t width() const { return width_; }
  /// Work units of one look: about what as many looks at a variable cost.
  std::uint64_t work() const { return 1 + (std::uint64_t{1} << width_) / 8; }

  /// Arranges order[first .. first + width) in the best way; true if that gains. Only the state of
  /// these variables changes.
  bool improve(OrderState& state, std::size_t first);

 private:
  void tabulate(OrderState const& state, std::size_t first, std::size_t i);
  void arrange(OrderState& state, std::size_t first);

  CandidateTable const& instance_;
  std::size_t const width_;
  std::vector<Fixed> best_;   // f, 2^w
  std::vector<Fixed> table_;  // s*(i, B + S), w tables of 2^w
};

}  // namespace bayesloom::order_search
