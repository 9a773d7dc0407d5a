// Every tuned number of this room but those that a caller sets (order_search.hpp). Run
// benchmarks/tables/order_search/optima and score_over_time beside it before and after a change.
#pragma once

#include <cstdint>

#include "base/fixed_point.hpp"

namespace bayesloom::order_search::tuning {

/// Variables looked up between two checks of the clock, 1 or more (island.hpp).
inline constexpr std::uint64_t work_between_looks = 32;
/// Looks at every variable, 0 or more, that an improvement counts as at least when patience is
/// measured: small score caches improve late by that measure (island.hpp).
inline constexpr double least_patience = 100;
/// Units of 2^-30 nat, 0 or more, that a neutral move may lose: rounding may part members of an
/// equivalence class by a few (shake.cpp).
inline constexpr Fixed neutral_loss = 4;

}  // namespace bayesloom::order_search::tuning
