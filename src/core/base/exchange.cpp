#include "base/exchange.hpp"

namespace bayesloom {

void Exchange::offer(KnownNetwork const& network) {
  if (network.score <= score()) return;
  std::scoped_lock const lock(mutex_);
  if (network.score <= best_.score) return;
  best_ = network;
  score_.store(network.score, std::memory_order_release);
}

void Exchange::offer_bound(Fixed bound) {
  std::scoped_lock const lock(mutex_);
  if (bound < bound_.load(std::memory_order_relaxed))
    bound_.store(bound, std::memory_order_release);
}

KnownNetwork Exchange::best() const {
  std::scoped_lock const lock(mutex_);
  return best_;
}

bool Exchange::met() const {
  Fixed const known = score(), least = bound();
  return known != std::numeric_limits<Fixed>::min() && least != std::numeric_limits<Fixed>::max() &&
         least - known <= target_gap_;
}

void Exchange::enter(std::size_t who) {
  if (!turns_) return;
  std::unique_lock lock(turn_mutex_);
  changed_.wait(lock, [&] { return holder_ == who || !present_[1 - who]; });
}

void Exchange::pass(std::size_t who) {
  if (!turns_) return;
  std::unique_lock lock(turn_mutex_);
  if (!present_[1 - who]) return;
  holder_ = 1 - who;
  changed_.notify_all();
  changed_.wait(lock, [&] { return holder_ == who || !present_[1 - who]; });
}

bool Exchange::alone(std::size_t who) const {
  std::scoped_lock const lock(turn_mutex_);
  return !present_[1 - who];
}

void Exchange::leave(std::size_t who) {
  std::scoped_lock const lock(turn_mutex_);
  present_[who] = false;
  holder_ = 1 - who;
  changed_.notify_all();
}

}  // namespace bayesloom
