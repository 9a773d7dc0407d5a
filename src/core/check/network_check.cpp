#include "check/network_check.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/errors.hpp"

namespace bayesloom::check {

void check_arrays(RawCache const& cache) {
  auto const offsets_fit = [](std::span<std::uint64_t const> offsets, std::size_t size) {
    return !offsets.empty() && offsets.front() == 0 && offsets.back() == size &&
           std::ranges::is_sorted(offsets);
  };
  bool const parents_fit = std::ranges::all_of(cache.parents, [&](std::uint32_t parent) {
    return parent + std::size_t{1} < cache.first.size();
  });
  if (!offsets_fit(cache.first, cache.scores.size()) ||
      !offsets_fit(cache.parent_first, cache.parents.size()) ||
      cache.parent_first.size() != cache.scores.size() + 1 || !parents_fit)
    throw InputError("the arrays are not those of a score cache.");
}

std::vector<std::size_t> find_cycle(ParentLists const& parents) {
  // Take away variables whose parents are all taken away, until none is left or none can be: then
  // each that is left has a parent that is left, and walking up those must come round.
  std::size_t const n = parents.size();
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t const p : parents[v])
      if (p >= n)
        throw InputError("parent " + std::to_string(p) + " of variable " + std::to_string(v) +
                         " is not among the " + std::to_string(n) + " variables.");
  std::vector<std::vector<std::size_t>> children(n);
  std::vector<std::size_t> waiting(n);
  std::vector<std::size_t> ready;
  for (std::size_t v = 0; v < n; ++v) {
    waiting[v] = parents[v].size();
    if (waiting[v] == 0) ready.push_back(v);
    for (std::size_t const p : parents[v]) children[p].push_back(v);
  }
  for (std::size_t i = 0; i < ready.size(); ++i)
    for (std::size_t const child : children[ready[i]])
      if (--waiting[child] == 0) ready.push_back(child);
  if (ready.size() == n) return {};

  std::vector<bool> left(n, true);
  for (std::size_t const v : ready) left[v] = false;
  auto at = static_cast<std::size_t>(std::ranges::find(left, true) - left.begin());
  std::vector<std::size_t> walk;
  std::vector<std::size_t> place(n, n);  // of a variable in the walk, n if it is not there
  while (place[at] == n) {
    place[at] = walk.size();
    walk.push_back(at);
    at = *std::ranges::find_if(parents[at], [&](std::size_t p) { return left[p]; });
  }
  walk.erase(walk.begin(), walk.begin() + static_cast<std::ptrdiff_t>(place[at]));
  std::ranges::reverse(walk);  // parents first
  return walk;
}

std::optional<std::int64_t> candidate_score(RawCache const& cache, std::size_t variable,
                                            std::vector<std::size_t> parents) {
  if (variable + 1 >= cache.first.size())
    throw InputError("variable " + std::to_string(variable) + " is not in the score cache.");
  std::ranges::sort(parents);
  for (std::uint64_t c = cache.first[variable]; c < cache.first[variable + 1]; ++c) {
    std::uint64_t const at = cache.parent_first[c], end = cache.parent_first[c + 1];
    if (std::ranges::equal(cache.parents.subspan(at, end - at), parents)) return cache.scores[c];
  }
  return std::nullopt;
}

std::int64_t best_score(RawCache const& cache, Orders const& orders) {
  std::size_t const n = cache.first.size() - 1;
  if (n > 16)
    throw InputError("the check of all networks is limited to 16 variables; this score cache has " +
                     std::to_string(n) + ".");
  std::vector<std::uint32_t> masks(cache.scores.size(), 0);
  for (std::size_t c = 0; c < masks.size(); ++c)
    for (std::uint64_t i = cache.parent_first[c]; i < cache.parent_first[c + 1]; ++i)
      masks[c] |= std::uint32_t{1} << cache.parents[i];

  std::vector<std::uint32_t> later(n, 0);  // what may not come before a variable
  for (auto const& [a, b] : orders) {
    if (a >= n || b >= n)
      throw InputError("an order names a variable that is not in the score cache.");
    later[a] |= std::uint32_t{1} << b;
  }

  std::vector<std::optional<std::int64_t>> best(std::size_t{1} << n);
  best[0] = 0;
  for (std::uint32_t set = 1; set < best.size(); ++set)
    for (std::size_t v = 0; v < n; ++v) {
      if ((set >> v & 1) == 0) continue;
      std::uint32_t const others = set & ~(std::uint32_t{1} << v);
      if (!best[others] || (later[v] & others) != 0) continue;
      for (std::uint64_t c = cache.first[v]; c < cache.first[v + 1]; ++c)
        if ((masks[c] & ~others) == 0)
          best[set] = std::max(best[set].value_or(std::numeric_limits<std::int64_t>::min()),
                               *best[others] + cache.scores[c]);
    }
  if (!best.back()) throw InputError("no choice of candidates from this score cache is acyclic.");
  return *best.back();
}

}  // namespace bayesloom::check
