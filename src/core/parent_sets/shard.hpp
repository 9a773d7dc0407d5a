// A part of the work, for many machines.
#pragma once

#include <cstddef>

namespace bayesloom {

/// The children of one part of the work: those whose number is `index` modulo `count`.
struct Shard {
  std::size_t index = 0, count = 1;
  bool has(std::size_t variable) const { return variable % count == index; }
};

}  // namespace bayesloom
