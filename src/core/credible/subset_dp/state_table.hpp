// What is known about the states (U, R) of the enumeration, for all t at once.
//
// The number of networks below a state is a step function of t, the loss still allowed; a tally is one
// step of it and holds for t in [from, below). A state has a list of tallies, found by hashing (U,
// R). The table is divided into shards with one lock each, so that several threads can fill it. An entry never
// changes, except that its interval may be extended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "credible/component.hpp"
#include "credible/count.hpp"

namespace bayesloom::credible {

/// The networks below a state: how many, their weight, and for which t that holds.
struct Tally {
  Fixed from = 0;
  Fixed below = no_loss;
  Count count = 0;
  double weight = 0;
};

/// A lock that is held for some dozens of nanoseconds, millions of times: a mutex takes twice as long as what
/// it protects.
class BriefLock {
 public:
  void lock() {
    for (int tries = 0; held_.exchange(true, std::memory_order_acquire); ++tries)
      if (tries > 64) std::this_thread::yield();  // whoever holds it may have lost its processor
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

class StateTable {
 public:
  /// `shared`: whether several threads will use it at a time.
  StateTable(double memory_bytes, bool shared) : memory_bytes_(memory_bytes), shared_(shared) {}

  /// What is known, safe while other threads remember.
  std::optional<Tally> known(std::uint32_t u, VarSet barred, Fixed t);
  /// The same without locks, for when nobody remembers any more.
  Tally const* find(std::uint32_t u, VarSet barred, Fixed t) const;
  /// Whether it is known that no network lies behind; without locks too. One look at memory.
  bool dead(std::uint32_t u, VarSet barred, Fixed t) const;
  /// Forgets it again if the memory allowed is full; `whole` tells.
  void remember(std::uint32_t u, VarSet barred, Tally const& tally);

  /// Whether everything is remembered.
  bool whole() const { return whole_.load(std::memory_order_relaxed); }
  /// Number of tallies.
  std::size_t size() const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::size_t shard_bits = 6;

  struct Slot {
    VarSet barred;
    std::uint32_t u = none;     // `none` if the slot is free
    std::uint32_t head = none;  // newest tally of the state
    Fixed dead_below = 0;       // for smaller t there is no network
  };
  struct alignas(64) Shard {  // locks of neighbours on lines of their own
    BriefLock mutex;
    std::vector<Slot> slots = std::vector<Slot>(16);
    std::size_t used = 0;
    std::vector<Tally> tallies;
    std::vector<std::uint32_t> next;  // older tally of the same state

    Slot const* slot(std::uint64_t hash, std::uint32_t u, VarSet barred) const;
    Tally const* find(std::uint64_t hash, std::uint32_t u, VarSet barred, Fixed t) const;
    void grow();
  };

  static std::uint64_t hash(std::uint32_t u, VarSet barred) {
    std::uint64_t h = (barred.bits() ^ (std::uint64_t{u} << 40 | u)) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ULL;
    return h ^ h >> 32;
  }
  Shard& shard(std::uint64_t hash) { return shards_[hash >> (64 - shard_bits)]; }

  double const memory_bytes_;
  bool const shared_;
  std::atomic<bool> whole_{true};
  // Not within the table: who deletes a credible set for Python does not know of such alignment.
  std::vector<Shard> shards_ = std::vector<Shard>(std::size_t{1} << shard_bits);
};

}  // namespace bayesloom::credible
