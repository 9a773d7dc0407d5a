// Rules with their prices as Python sees them: (members, need, price, blocks).
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

/// Members by their number in the cache, need, fixed-point price, and the blocks of a rule of four
/// or none.
using Rule =
    std::tuple<std::vector<std::int64_t>, std::int64_t, std::int64_t, std::vector<std::int64_t>>;

inline std::vector<std::vector<dual::Cluster>> clusters_of(
    std::vector<std::vector<Rule>> const& lists, std::size_t n) {
  std::vector<std::vector<dual::Cluster>> out;
  for (auto const& list : lists) {
    std::vector<dual::GivenInequality> given;
    for (auto const& [members, need, price, blocks] : list)
      given.push_back({members, need, price, blocks});
    out.push_back(dual::checked_inequalities(given, n));
  }
  return out;
}

inline std::vector<Rule> rules_of(std::span<dual::Cluster const> clusters) {
  std::vector<Rule> out;
  for (auto& rule : dual::given_inequalities(clusters))
    out.emplace_back(std::move(rule.members), rule.need, rule.price, std::move(rule.blocks));
  return out;
}

}  // namespace bayesloom
