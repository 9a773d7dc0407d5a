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

}  // namespace bayesloom::relaxation
