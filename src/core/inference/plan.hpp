// The plan of a query by variable elimination; it depends on which variables are known, not on their values.
//
// Factors are tables over hidden variables: conditional probability tables reduced by the evidence, and results of
// earlier nodes. A node multiplies a few factors over all of their variables (its axes) and passes on a table over
// some of them:
//
//   bucket   all factors that hold v; the last axis, v, is summed out or maximised over [dechter1999]
//   fold     some of them, nothing summed out, so that no product has too many factors
//   answer   all that is left, over the targets
//
// Each factor is used by one node, so the nodes form a forest, and messages can also be passed backwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "inference/discrete_network.hpp"

namespace bayesloom {

struct Factor {
  std::vector<Variable> scope;
  std::vector<std::size_t> strides;  // one for each variable of the scope
  std::size_t cells = 1;
  std::optional<Variable> family;                          // whose table it is
  std::vector<std::pair<Variable, std::size_t>> evidence;  // known variables of the family, strides
  std::uint32_t node = 0;                                  // else which node makes it
};

struct Node {
  std::vector<Variable> axes;
  std::vector<std::size_t> sizes;
  std::vector<std::uint32_t> operands;
  std::vector<std::vector<std::size_t>> strides;  // for each operand, one for each axis
  std::vector<std::size_t> out_strides;
  std::uint32_t out = 0;  // factor
  bool eliminates = false;
  bool maximum = false;
};

enum class Ask : std::uint8_t { joint, each, modes, most_probable, draw, evidence };

struct Plan {
  std::vector<Factor> factors;
  std::vector<Node> nodes;              // in the order in which they are made
  std::vector<std::uint32_t> scalars;   // factors that are left without variables
  std::vector<Variable> barren;         // hidden, below all that is asked or known; parents first
  std::optional<std::uint32_t> answer;  // the node over the targets
};

/// The plan for a pattern of evidence, `row[v] < 0` where v is hidden. Tables take at most `memory`
/// bytes, or a ResourceError says how much they would.
Plan make_plan(DiscreteNetwork const& network, std::span<std::int32_t const> row, Ask ask,
               std::span<Variable const> targets, double memory);

}  // namespace bayesloom
