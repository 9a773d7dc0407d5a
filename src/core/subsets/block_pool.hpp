// Large aligned blocks of losses, handed out and taken back. Memory is taken from the system when a
// block is first written, by the thread that writes it, in huge pages where the system has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/fixed_point.hpp"

namespace bayesloom::subsets {

class BlockPool {
 public:
  /// Room for `capacity` blocks of `entries` losses each. Throws ResourceError if there is none.
  BlockPool(std::size_t capacity, std::size_t entries);
  ~BlockPool();
  BlockPool(BlockPool const&) = delete;
  BlockPool& operator=(BlockPool const&) = delete;

  /// Safe from any thread. The block's content is not defined.
  std::uint32_t take();
  void give_back(std::uint32_t block);

  Fixed* operator[](std::uint32_t block) const { return data_ + std::size_t{block} * entries_; }

 private:
  std::size_t const capacity_, entries_;
  std::size_t bytes_ = 0;
  Fixed* data_ = nullptr;
  std::mutex mutex_;
  std::uint32_t fresh_ = 0;  // blocks from here on were never handed out
  std::vector<std::uint32_t> free_;
};

}  // namespace bayesloom::subsets
