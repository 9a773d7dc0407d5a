#include "orders/child_lists.hpp"

#include <algorithm>
#include <limits>

#include "base/errors.hpp"
#include "orders/tuning.hpp"

namespace bayesloom::orders {

ChildLists::ChildLists(ScoreCache const& cache) {
  std::size_t const n = cache.variable_count();
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  constexpr std::size_t limit = std::numeric_limits<Rank>::max();
  std::vector<std::size_t> last_child(n, none);
  auto const each_parent = [&](auto const& visit) {
    std::ranges::fill(last_child, none);
    for (std::size_t w = 0; w < n; ++w) {
      std::size_t const first = cache.begin(static_cast<Variable>(w));
      std::size_t const last = cache.end(static_cast<Variable>(w));
      for (std::size_t c = first; c < last; ++c)
        for (Variable const x : cache.parents(c)) {
          visit(x, static_cast<Variable>(w), c - first, last_child[x] != w);
          last_child[x] = w;
        }
    }
  };

  pair_first_.assign(n + 1, 0);
  rank_first_.assign(n + 1, 0);
  each_parent([&](Variable x, Variable, std::size_t, bool is_new) {
    ++(is_new ? pair_first_ : rank_first_)[x + std::size_t{1}];
  });
  for (std::size_t x = 0; x < n; ++x) {
    auto const v = static_cast<Variable>(x);
    if (cache.end(v) - cache.begin(v) >= limit || rank_first_[x + 1] >= limit)
      throw ResourceError(
          "variable '" + cache.name(v) +
          "' has or occurs in 2^32 candidates or more; order search counts them in 32 bits.");
    pair_first_[x + 1] += pair_first_[x];
    rank_first_[x + 1] += rank_first_[x];
  }
  child_.resize(pair_first_[n]);
  best_.resize(pair_first_[n]);
  rest_.resize(pair_first_[n]);
  ranks_.resize(rank_first_[n]);
  seen_first_.assign(n + 1, 0);
  std::vector<std::size_t> next_pair(pair_first_.begin(), pair_first_.end() - 1);
  std::vector<std::size_t> next_rank(rank_first_.begin(), rank_first_.end() - 1);
  each_parent([&](Variable x, Variable w, std::size_t rank, bool is_new) {
    if (is_new) {
      std::size_t const pair = next_pair[x]++;
      child_[pair] = w;
      best_[pair] = static_cast<Rank>(rank);
      rest_[pair] = static_cast<std::uint32_t>(next_rank[x] - rank_first_[x]);
      if (cache.end(w) - cache.begin(w) > tuning::short_list)
        seen_.push_back({static_cast<Rank>(rank), x});
      seen_first_[w + std::size_t{1}] = static_cast<std::uint32_t>(seen_.size());
    } else {
      ranks_[next_rank[x]++] = static_cast<Rank>(rank);
    }
  });
  for (std::size_t v = 0; v < n; ++v)
    seen_first_[v + 1] = std::max(seen_first_[v + 1], seen_first_[v]);
}

std::size_t ChildLists::find(Variable x, Variable w) const {
  auto const from = child_.begin() + static_cast<std::ptrdiff_t>(begin(x));
  auto const to = child_.begin() + static_cast<std::ptrdiff_t>(end(x));
  auto const found = std::lower_bound(from, to, w);
  return found != to && *found == w ? static_cast<std::size_t>(found - child_.begin()) : end(x);
}

}  // namespace bayesloom::orders
