// Checks of a network against a score cache, from the raw arrays of the cache (the layout is told
// in cache/score_cache.hpp, whose code is not used here).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bayesloom::check {

using ParentLists = std::vector<std::vector<std::size_t>>;

/// The flat arrays of a score cache, as they are.
struct RawCache {
  std::span<std::uint64_t const> first;
  std::span<std::int64_t const> scores;
  std::span<std::uint64_t const> parent_first;
  std::span<std::uint32_t const> parents;
};

/// Throws InputError if the arrays, which may come from anywhere, are not those of a score cache.
void check_arrays(RawCache const& cache);

/// Variables v0, v1, ..., vk with v0 a parent of v1, v1 of v2, ... and vk of v0; empty if acyclic.
/// Throws InputError for a parent that is out of range.
std::vector<std::size_t> find_cycle(ParentLists const& parents);

/// The score of the candidate of `variable` with exactly these parents in any order, or nothing.
std::optional<std::int64_t> candidate_score(RawCache const& cache, std::size_t variable,
                                            std::vector<std::size_t> parents);

/// First and second of each pair are variables: the first comes earlier in the order.
using Orders = std::vector<std::pair<std::size_t, std::size_t>>;

/// The best score of all networks over the cache, by the recurrence over sinks
///   best(U) = max over v in U of best(U - v) + s(v, U - v),
/// where s(v, W) is the best candidate of v within W: 2^n steps, each through the candidates.
/// With orders (a, b), a is never the last of a set that holds b: of networks that some order keeping
/// all the pairs fits. Throws InputError for more than 16 variables, a pair out of range, and if no
/// choice of candidates is acyclic.
std::int64_t best_score(RawCache const& cache, Orders const& orders);

}  // namespace bayesloom::check
