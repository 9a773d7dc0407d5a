// Every tuned number of the scores. Run benchmarks/tables/parent_sets/exhaustive before and after a
// change; the last bits of a score may depend on the tables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom::tuning {

/// Families that a thread scores at a time, 1 or more (local_scores.cpp).
inline constexpr std::size_t families_per_task = 64;
/// Rows, 1 or more, up to which ln of a rising factorial is looked up; 32 KB for each pseudo-count
/// (rising_factorial.hpp).
inline constexpr std::uint32_t most_in_factorials = 4096;
/// Rows, 1 or more, up to which n ln n is looked up: 8 MB (log_likelihood.hpp).
inline constexpr std::size_t most_in_logarithms = 1'000'000;

/// Columns, 1 or more, up to which the variance that all others leave is worked out, for bounds: it
/// takes the cube of this (gaussian.hpp).
inline constexpr std::size_t residuals_up_to = 512;
/// Part of one: what rounding may have done to a logarithm of a residual variance, times its columns
/// over the least pivot (gaussian.hpp).
inline constexpr double residual_error = 0x1p-49;

}  // namespace bayesloom::tuning
