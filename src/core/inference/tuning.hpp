// Numbers of `inference` that are neither right nor wrong, only better or worse.
#pragma once

#include <cstddef>

namespace bayesloom::tuning {

/// Tables that are multiplied at once; from 2 on. More are first put together, the smallest first, so
/// that a product can be scaled before it is too small for a number: three factors of 1e-100 are one.
inline constexpr std::size_t most_operands = 3;

/// A table whose largest number is below this is scaled up; 1e-100 leaves room for three factors.
inline constexpr double tiny = 1e-100;

/// Cells of all tables above which other orders of elimination are tried too: below, making them
/// takes longer than they save.
inline constexpr double try_other_orders = 1e5;

/// Variables above which the orders by fill, which look at pairs of neighbours, are not tried.
inline constexpr std::size_t most_for_fill = 4000;

/// Cells between two checks of the clock: some 10 to 100 microseconds.
inline constexpr std::size_t cells_between_polls = 1 << 16;

/// Rows that a thread takes at once: rows of one pattern share a plan.
inline constexpr std::size_t rows_per_task = 128;

}  // namespace bayesloom::tuning
