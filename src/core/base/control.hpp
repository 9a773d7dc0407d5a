// Budget of a long kernel: work limit, deadline, cancellation, progress.
//
// A kernel calls `should_stop(work)` about every 10 to 1000 microseconds, from any thread, with the
// work done since its last call (one unit per expanded node or scored parent set). When it returns
// true the kernel returns its best answer so far: stopping is an outcome, never an exception.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>

#include "base/clock.hpp"

namespace bayesloom {

enum class StopReason : std::uint8_t { none, work_limit, time_limit, cancelled };

struct Limits {
  std::optional<double> seconds;
  std::optional<std::uint64_t> work;
};

/// Asks every kernel of the process, running or yet to run, to stop: for Ctrl-C and SIGTERM of a program
/// that has an answer to save. Safe from any thread and from a signal handler.
void request_interrupt(bool wanted = true) noexcept;
bool interrupt_requested() noexcept;

class Control {
 public:
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
  /// What the work limit leaves; huge if there is none.
  std::uint64_t work_left() const noexcept { return work_limit_ - std::min(work_limit_, work()); }
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

/// A share of the work or of the time of another control, for a part of a kernel that must not use up the whole
/// budget. The work is reported to the other control at every poll and when the slice ends; if that stops, so does
/// the slice. If another thread sets `needless`, the slice stops at the next poll.
class Slice : public Control {
 public:
  Slice(Control& whole, Limits share, std::atomic<bool> const* needless = nullptr)
      : Control(within(whole, share)), whole_(whole), needless_(needless) {}
  Slice(Control& whole, std::uint64_t most_work, std::atomic<bool> const* needless = nullptr)
      : Slice(whole, Limits{std::nullopt, most_work}, needless) {}
  ~Slice() override { tell(); }

 protected:
  void on_poll() override { tell(); }

 private:
  static Limits within(Control const& whole, Limits share) {
    if (share.work) share.work = std::min(*share.work, whole.work_left());
    return share;
  }

  void tell() {
    std::uint64_t const now = work();
    if (whole_.should_stop(now - told_)) cancel();
    told_ = now;
    if (needless_ != nullptr && *needless_) cancel();
  }

  Control& whole_;
  std::atomic<bool> const* const needless_;
  std::uint64_t told_ = 0;
};

}  // namespace bayesloom
