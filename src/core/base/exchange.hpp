// Exchange between two solvers of the same score cache: the best network and the lowest bound of either. Safe from
// any thread.
//
// With a single thread they take turns instead of running in parallel: each waits in `pass` while the other works.
// Turns are limited by time, at the polls of Control, so what is exchanged depends on the machine; a score that is
// proved to be the best does not.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <mutex>
#include <vector>

#include "base/control.hpp"
#include "base/fixed_point.hpp"
#include "base/variable.hpp"

namespace bayesloom {

struct KnownNetwork {
  std::vector<std::size_t> candidates;  ///< of the cache, one per variable; empty if none is known
  std::vector<Variable> order;          ///< in which all parents come before their children
  Fixed score = std::numeric_limits<Fixed>::min();
};

class Exchange {
 public:
  /// `turns`: one solver at a time. A gap of at most `target_gap` counts as met.
  explicit Exchange(bool turns, Fixed target_gap = 0) : turns_(turns), target_gap_(target_gap) {}

  /// Keeps the network if it is better than what is known.
  void offer(KnownNetwork const& network);
  /// Keeps the bound if it is lower than what is known.
  void offer_bound(Fixed bound);

  KnownNetwork best() const;
  Fixed score() const { return score_.load(std::memory_order_acquire); }
  Fixed bound() const { return bound_.load(std::memory_order_acquire); }
  bool met() const;

  /// Tells both to stop.
  void close() { closed_.store(true, std::memory_order_release); }
  bool closed() const { return closed_.load(std::memory_order_acquire); }

  /// Solver 0 or 1 begins; with turns, 0 goes first. Ends when it is its turn.
  void enter(std::size_t who);
  /// Lets the other work for a while if there is one; without turns nothing happens.
  void pass(std::size_t who);
  /// Solver `who` is done for good.
  void leave(std::size_t who);
  /// The other solver is done.
  bool alone(std::size_t who) const;

 private:
  bool const turns_;
  Fixed const target_gap_;
  mutable std::mutex mutex_;
  KnownNetwork best_;
  std::atomic<Fixed> score_{std::numeric_limits<Fixed>::min()};
  std::atomic<Fixed> bound_{std::numeric_limits<Fixed>::max()};
  std::atomic<bool> closed_{false};
  mutable std::mutex turn_mutex_;
  std::condition_variable changed_;
  std::array<bool, 2> present_{true, true};
  std::size_t holder_ = 0;
};

/// The control of a solver that may have an exchange with another one: it works only in its turns, and
/// stops once the exchange is closed or bound and score have met.
class ExchangeControl : public Control {
 public:
  using Control::Control;

  /// From now on; `who` says whose turns are ours. A null exchange changes nothing.
  void watch(Exchange* exchange, std::size_t who) {
    exchange_ = exchange;
    who_ = who;
  }
  /// Waits for the first turn.
  void enter() {
    if (exchange_ == nullptr) return;
    exchange_->enter(who_);
    if (exchange_->closed()) cancel();
  }

 protected:
  /// Lets the other have its turn. Whoever overrides this calls it.
  void on_poll() override {
    if (exchange_ == nullptr) return;
    if (exchange_->closed() || exchange_->met()) cancel();
    exchange_->pass(who_);
  }

 private:
  Exchange* exchange_ = nullptr;
  std::size_t who_ = 0;
};

}  // namespace bayesloom
