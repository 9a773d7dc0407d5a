// What is known of a node after it was searched.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "dual/problem.hpp"

namespace bayesloom::relaxation {

using namespace dual;

using Choice =
    std::vector<std::pair<Index, std::size_t>>;  ///< variables and their candidates in the cache

struct NodeResult {
  Fixed bound = nothing;  ///< no network in the node is better
  bool found = false;     ///< is there one better than the floor?
  Fixed value = nothing;  ///< its value
  Choice choice;          ///< and the network
};

/// What is left to search of a node, by numbers of the cache. Every variable is decided or has candidates
/// left; parents that are neither of this node nor decided in it come before.
struct OpenNode {
  Fixed bound = nothing;
  std::vector<std::size_t> candidates;  ///< left, in any order
  Choice decided;                 ///< variables with one candidate only, placed before the others
  std::vector<Cluster> clusters;  ///< with a price
};

}  // namespace bayesloom::relaxation
