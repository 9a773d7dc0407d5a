#include "subsets/block_pool.hpp"

#include <limits>
#include <string>

#include "base/errors.hpp"
#include "base/system.hpp"

namespace bayesloom::subsets {

BlockPool::BlockPool(std::size_t capacity, std::size_t entries)
    : capacity_(capacity), entries_(entries), bytes_(capacity * entries * sizeof(Fixed)) {
  if (capacity > std::numeric_limits<std::uint32_t>::max())
    throw ResourceError("more than 2^32 blocks of memory would be needed.");
  void* const memory = system_calls::reserve_memory(bytes_);
  if (memory == nullptr)
    throw ResourceError("the system refused " + std::to_string(bytes_ >> 20) + " MB of memory.");
  data_ = static_cast<Fixed*>(memory);
}

BlockPool::~BlockPool() { system_calls::release_memory(data_, bytes_); }

std::uint32_t BlockPool::take() {
  std::scoped_lock const lock(mutex_);
  if (!free_.empty()) {
    std::uint32_t const block = free_.back();
    free_.pop_back();
    return block;
  }
  if (fresh_ == capacity_) throw InternalError("a block pool of planned size ran out of blocks.");
  return fresh_++;
}

void BlockPool::give_back(std::uint32_t block) {
  std::scoped_lock const lock(mutex_);
  free_.push_back(block);
}

}  // namespace bayesloom::subsets
