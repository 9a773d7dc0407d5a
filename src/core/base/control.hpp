// How a long kernel stays a good guest: work budget, deadline, cancel, progress.
//
// A kernel calls `should_stop(work)` about every 10 to 1000 microseconds, from any thread, with the
// work done since its last call (one unit per expanded node or scored parent set). When it returns
// true the kernel returns its best answer so far: stopping is an outcome, never an exception.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>

namespace bayesloom {

enum class StopReason : std::uint8_t { none, work_limit, time_limit, cancelled };

struct Limits {
  std::optional<double> seconds;
  std::optional<std::uint64_t> work;
};

class Control {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Control(Limits limits = {});
  virtual ~Control() = default;
  Control(Control const&) = delete;
  Control& operator=(Control const&) = delete;

  /// Adds `work` and tells whether to stop. Safe from any thread.
  bool should_stop(std::uint64_t work = 1);

  /// Asks the kernel to stop. Safe from any thread and from a signal handler.
  void cancel() noexcept { stop_for(StopReason::cancelled); }

  StopReason stop_reason() const noexcept { return reason_.load(std::memory_order_relaxed); }
  bool stopped() const noexcept { return stop_reason() != StopReason::none; }
  std::uint64_t work() const noexcept { return work_.load(std::memory_order_relaxed); }
  double seconds() const;

 protected:
  /// Runs on the constructing thread only, at most every 50 ms; the Python binding listens for
  /// Ctrl-C and reports progress here. Must not throw.
  virtual void on_poll() {}

 private:
  void stop_for(StopReason reason) noexcept;

  Clock::time_point const start_;
  Clock::time_point const deadline_;
  std::uint64_t const work_limit_;
  std::thread::id const owner_;
  Clock::time_point next_poll_;  // touched by the owner only
  std::atomic<std::uint64_t> work_{0};
  std::atomic<StopReason> reason_{StopReason::none};
};

}  // namespace bayesloom
