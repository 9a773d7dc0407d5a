// A vector whose resize() leaves new elements as they are in memory, for arrays that several
// threads fill right after: setting them to zero first would touch every page from one thread.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace bayesloom {

template <typename T>
struct RawAllocator : std::allocator<T> {
  static_assert(std::is_trivial_v<T>);
  template <typename U>
  struct rebind {
    using other = RawAllocator<U>;
  };
  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

template <typename T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace bayesloom
