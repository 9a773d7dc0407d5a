#include "cache/pruning.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "base/errors.hpp"
#include "cache/cache_builder.hpp"
#include "cache/parent_set_index.hpp"

namespace bayesloom {

namespace {

/// Tests whether a set contains another that take as long as one look-up in the index, 1 or more; it
/// decides which is done, not what is kept. See benchmarks/tables/learn/large.
constexpr std::uint64_t tests_per_look_up = 4;

/// Whether a proper subset of `set` is a candidate in `index` with a number below `end`.
template <typename Index>
bool has_subset_in_index(Index const& index, std::span<Variable const> set, std::size_t end) {
  std::vector<Variable> subset;
  std::uint64_t const full = (std::uint64_t{1} << set.size()) - 1;
  for (std::uint64_t mask = 0; mask < full; ++mask) {
    subset.clear();
    for (std::size_t i = 0; i < set.size(); ++i)
      if (mask >> i & 1) subset.push_back(set[i]);
    if (auto const found = index.find(subset); found && *found < end) return true;
  }
  return false;
}

bool has_subset_in_range(ScoreCache const& cache, std::span<Variable const> set, std::size_t begin,
                         std::size_t end) {
  for (std::size_t c = begin; c < end; ++c)
    if (cache.parents(c).size() < set.size() && std::ranges::includes(set, cache.parents(c)))
      return true;
  return false;
}

}  // namespace

ScoreCache select(ScoreCache const& cache, std::span<bool const> keep) {
  if (keep.size() != cache.candidate_count())
    throw InputError("there are " + std::to_string(cache.candidate_count()) + " candidates, but " +
                     std::to_string(keep.size()) + " flags that say which to keep.");
  CacheBuilder builder({cache.names().begin(), cache.names().end()},
                       {cache.cardinalities().begin(), cache.cardinalities().end()});
  for (std::size_t v = 0; v < cache.variable_count(); ++v)
    for (std::size_t c = cache.arrays().first[v]; c < cache.arrays().first[v + 1]; ++c)
      if (keep[c]) builder.list(static_cast<Variable>(v)).add(cache.score(c), cache.parents(c));
  return std::move(builder).finish(cache.info());
}

ScoreCache without_dominated(ScoreCache const& cache, Fixed margin, Ties ties) {
  if (margin < 0) throw InputError("the margin of a dominated candidate cannot be negative.");
  auto const keep = std::make_unique<bool[]>(cache.candidate_count());
  ParentSetIndex index([&](std::size_t c) { return cache.parents(c); });
  for (std::size_t v = 0; v < cache.variable_count(); ++v) {
    std::size_t const begin = cache.begin(static_cast<Variable>(v));
    std::size_t const end = cache.end(static_cast<Variable>(v));
    index.reset(end - begin);
    for (std::size_t c = begin; c < end; ++c) index.insert(c);
    std::size_t better = begin;  // candidates begin .. better - 1 score high enough to dominate c
    for (std::size_t c = begin; c < end; ++c) {
      // Both sides lie within 2^62 of zero, so the difference does not overflow.
      while (better < end && (ties == Ties::drop ? cache.score(better) - cache.score(c) >= margin
                                                 : cache.score(better) - cache.score(c) > margin))
        ++better;
      auto const set = cache.parents(c);
      bool const few_subsets = set.size() < 40 && (std::uint64_t{1} << set.size()) <=
                                                      tests_per_look_up * (better - begin);
      keep[c] = !(few_subsets ? has_subset_in_index(index, set, better)
                              : has_subset_in_range(cache, set, begin, better));
    }
  }
  return select(cache, {keep.get(), cache.candidate_count()});
}

}  // namespace bayesloom
