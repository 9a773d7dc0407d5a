#include "orders/choice_memo.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace bayesloom::orders {

ChoiceMemo::ChoiceMemo(CandidateTable const& table) : table_(table) {
  std::size_t longest = 0;
  for (std::size_t v = 0; v < table.size(); ++v)
    longest = std::max<std::size_t>(longest, table.count(static_cast<Variable>(v)));
  if (!table.has_parent_sets() || longest <= tuning::short_list) return;
  std::size_t const size =
      std::min(tuning::most_entries,
               std::bit_ceil(tuning::entries_per_candidate * table.cache().candidate_count()));
  shift_ = 64 - std::countr_zero(size);
  entries_.assign(size, {VarSet(), 0, std::numeric_limits<Variable>::max()});
}

Rank ChoiceMemo::first(Variable v, Rank from, VarSet predecessors) {
  // Fibonacci hashing; the variable is spread over the word before.
  std::uint64_t const key =
      (predecessors.bits() ^ (v * 0xD6E8FEB86659FD93ULL)) * 0x9E3779B97F4A7C15ULL;
  Entry& entry = entries_[key >> shift_];
  if (entry.variable == v && entry.predecessors == predecessors) return entry.rank;
  auto const parents = table_.parent_sets(v);
  std::size_t r = from;
  while (r < parents.size() && !predecessors.contains_all(parents[r])) ++r;
  entry = {predecessors, static_cast<Rank>(r), v};
  return entry.rank;
}

}  // namespace bayesloom::orders
