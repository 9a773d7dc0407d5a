// Every tuned number of orders but those that a caller sets. Run benchmarks/micro/insert_kernel.py and
// benchmarks/tables/order_search/score_over_time before and after a change; what is found by a given
// number of looks does not depend on them.
#pragma once

#include <cstddef>

namespace bayesloom::orders::tuning {

/// Candidates, 0 or more: shorter lists are walked through, longer ones remember which parents they
/// name (child_lists.hpp) and what was chosen (choice_memo.hpp).
inline constexpr std::size_t short_list = 64;
/// Entries of a choice memo: so many for each candidate, and at most a power of two, here 4 MB.
inline constexpr std::size_t entries_per_candidate = 4, most_entries = std::size_t{1} << 18;

}  // namespace bayesloom::orders::tuning
