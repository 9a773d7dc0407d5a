// Every tuned number of this room but those that a caller sets: what it is, unit, range. None changes
// which sets are kept by `exhaustive`; run before and after a change what is named in brackets:
// `exhaustive`, `growth` and `ten_thousand` are in benchmarks/tables/parent_sets, `table2` in
// benchmarks/tables/scanagatta2015, `large` in benchmarks/tables/learn.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom::tuning {

/// Nats, above 0: bounds are sums of doubles, and nothing is cut off for less than this, so that
/// rounding cannot cost a tie [exhaustive].
inline constexpr double bound_safety = 1e-6;

// Looks at the clock (looks.hpp)

/// Unique rows counted between two looks, 1 or more; a look costs less than a microsecond [exhaustive].
inline constexpr std::size_t rows_between_looks = 65536;
/// And sets at most, 1 or more: of one child, and of a level that is counted [exhaustive, ten_thousand].
inline constexpr std::size_t sets_between_looks = 32, counted_between_looks = 64;
/// Sets joined between two looks, 1 or more; nothing is counted there [exhaustive].
inline constexpr std::size_t joined_between_looks = 256;

// Exhaustive (exhaustive*.cpp)

/// Sets that a thread joins or judges at a time, 1 or more; results do not depend on it [growth].
inline constexpr std::size_t sets_per_task = 2048;
/// Words of 64 ranks each whose sets a thread counts at a time, 1 or more [growth].
inline constexpr std::size_t words_per_task = 64;
/// Rows are merged while counting if that takes at most so many bytes, and 1 / `class_part` of the
/// memory allowed; 0 for never [exhaustive].
inline constexpr double most_class_bytes = 268435456.0, class_part = 8;
/// Variables, 0 or more, up to which a child's fit by all others is worth its time [exhaustive].
inline constexpr std::size_t fits_up_to = 64;

/// Local scores of one level, 0 or more: beyond, scores with bounds by parent states go on child by
/// child, where a set costs some ten times as much and far fewer are looked at [bounds].
inline constexpr std::uint64_t most_scores_by_level = 2'000'000;

/// The same for regressions, where a set costs some fifteen times as much child by child: 18 variables with 8 neighbours
/// each take 0.3 CPU s by levels and 4.6 child by child, 16 with 2 neighbours 0.02 and 0.00 [continuous].
inline constexpr std::uint64_t most_regressions_by_level = 8'000'000;
/// Share of the charge of a parameter, above 0, that rounding may make of a bound where sets of regressions are found
/// child by child (regression_search.cpp); else by levels [continuous].
inline constexpr double regression_error_part = 0.05;

// Pairs (pair_scores.cpp)

/// Words of 64 rows in which pairs are counted between two looks at the clock, 1 or more [growth].
inline constexpr std::size_t words_between_looks = 65536;

/// Variables, 1 or more: pairs are scored tile by tile, so that threads share them [ten_thousand].
inline constexpr std::size_t tile = 64;

/// Share of the time for pairs, 0 to 1, that shows whether it is enough for all rows; then of the rows that
/// it is enough for, a share, 0 to 1, since a pair costs something whatever the rows; and no fewer rows than
/// this, 1 or more [benchmarks/tables/learn/growth].
inline constexpr double trial_part = 0.1, sample_part = 0.8;
inline constexpr std::size_t least_sample = 256;

// Anytime (anytime.cpp)

/// 2 or more: a child whose best set was found in the first 1 / this of its sets has settled, one
/// whose best was found in the last 1 / this still improves [table2].
inline constexpr std::uint64_t improving_part = 4;
/// Sets, 0 or more, and share of its time, 1 / this, before a child can be called settled [table2].
inline constexpr std::uint64_t settled_sets = 2000;
inline constexpr double settled_part = 2;
/// A child that improves gets 1 / `extra_part` of its share more at a time, up to `most_of_share`
/// shares; both 1 or more [table2].
inline constexpr double extra_part = 4, most_of_share = 4;
/// Bytes: a scored set, its place in the index and its open entries, about [ten_thousand].
inline constexpr double bytes_per_set = 192;

// Neighbours of networks (neighbour_sets.cpp)

/// Additions, 0 or more, kept with a set even if they lose: a climb may have to take one [large].
inline constexpr std::size_t least_kept = 8;
/// Parents that a thread tries at a time where one child is all there is to do, 1 or more [large].
inline constexpr std::size_t parents_per_task = 128;

}  // namespace bayesloom::tuning
