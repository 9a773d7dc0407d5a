// The one clock of the core: seconds, or looks.
//
// Tests must hold on any machine, however busy. They can have the clock go on by a fixed step each
// time somebody looks at it: then a time limit is a count, and what it stops is the same everywhere.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace bayesloom {

class Clock {
 public:
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    std::int64_t const step = step_.load(std::memory_order_relaxed);
    if (step == 0) {
      auto const real = std::chrono::steady_clock::now().time_since_epoch();
      return time_point(std::chrono::duration_cast<duration>(real));
    }
    return time_point(duration(step * looks_.fetch_add(1, std::memory_order_relaxed)));
  }

  /// For tests: from now on each look is `step` later than the one before; 0 is the time again.
  static void go_by_steps(duration step) noexcept {
    looks_.store(0, std::memory_order_relaxed);
    step_.store(step.count(), std::memory_order_relaxed);
  }

 private:
  static inline std::atomic<std::int64_t> step_{0};
  static inline std::atomic<std::int64_t> looks_{0};
};

}  // namespace bayesloom
