// Cluster inequalities with their dual prices as Python sees them: (members, need, price, blocks).
#pragma once

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "dual/given_prices.hpp"

namespace bayesloom {

/// Members by their number in the cache, need, fixed-point price, and the blocks of an inequality of four
/// or none.
using Inequality =
    std::tuple<std::vector<std::int64_t>, std::int64_t, std::int64_t, std::vector<std::int64_t>>;

inline std::vector<std::vector<dual::Cluster>> clusters_of(
    std::vector<std::vector<Inequality>> const& lists, std::size_t n) {
  std::vector<std::vector<dual::Cluster>> out;
  for (auto const& list : lists) {
    std::vector<dual::GivenInequality> given;
    for (auto const& [members, need, price, blocks] : list)
      given.push_back({members, need, price, blocks});
    out.push_back(dual::checked_inequalities(given, n));
  }
  return out;
}

inline std::vector<Inequality> inequalities_of(std::span<dual::Cluster const> clusters) {
  std::vector<Inequality> out;
  for (auto& one : dual::given_inequalities(clusters))
    out.emplace_back(std::move(one.members), one.need, one.price, std::move(one.blocks));
  return out;
}

}  // namespace bayesloom
