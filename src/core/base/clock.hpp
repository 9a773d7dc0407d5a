// The one clock of the core: seconds, or looks.
//
// Tests must pass on any machine, however busy. They can make the clock advance by a fixed step each
// time it is read: then a time limit is a count of reads, and stops the work at the same point everywhere.
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

  /// For tests: from now on each reading is `step` later than the one before; 0 restores the real time.
  static void go_by_steps(duration step) noexcept {
    looks_.store(0, std::memory_order_relaxed);
    step_.store(step.count(), std::memory_order_relaxed);
  }

 private:
  static inline std::atomic<std::int64_t> step_{0};
  static inline std::atomic<std::int64_t> looks_{0};
};

}  // namespace bayesloom
