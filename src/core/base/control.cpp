#include "base/control.hpp"

#include <algorithm>

#include "base/late_start.hpp"

namespace bayesloom {

namespace {

constexpr auto poll_interval = std::chrono::milliseconds(50);

Clock::time_point deadline_after(Clock::time_point start, std::optional<double> seconds) {
  constexpr double a_century = 3.2e9;
  if (!seconds || *seconds > a_century) return Clock::time_point::max();
  return start + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(std::max(*seconds, 0.0)));
}

std::atomic<bool> interrupt_wanted{false};

}  // namespace

void request_interrupt(bool wanted) noexcept {
  interrupt_wanted.store(wanted, std::memory_order_relaxed);
}

bool interrupt_requested() noexcept { return interrupt_wanted.load(std::memory_order_relaxed); }

Control::Control(Limits limits)
    : start_(Clock::now()),
      deadline_(deadline_after(start_, limits.seconds)),
      work_limit_(limits.work.value_or(std::numeric_limits<std::uint64_t>::max())),
      owner_(std::this_thread::get_id()),
      next_poll_(start_ + poll_interval) {
  LateStart::since = LateStart::thread_seconds();
}

bool Control::should_stop(std::uint64_t work) {
  if (LateStart::waiting != nullptr) LateStart::waiting->look();
  std::uint64_t const total = work_.fetch_add(work, std::memory_order_relaxed) + work;
  if (stopped()) return true;
  if (interrupt_requested()) stop_for(StopReason::cancelled);
  if (total >= work_limit_) stop_for(StopReason::work_limit);
  auto const now = Clock::now();
  if (now >= deadline_) stop_for(StopReason::time_limit);
  if (std::this_thread::get_id() == owner_ && now >= next_poll_) {
    on_poll();
    next_poll_ = Clock::now() + poll_interval;
  }
  return stopped();
}

double Control::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Control::stop_for(StopReason reason) noexcept {
  StopReason none = StopReason::none;
  reason_.compare_exchange_strong(none, reason, std::memory_order_relaxed);
}

}  // namespace bayesloom
