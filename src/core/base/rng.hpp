// Random numbers that are the same on every machine: xoshiro256++ [blackman2021], seeded by
// splitmix64. The standard library's distributions differ between implementations, so the few we
// need are written here. An Rng is always passed in, never global; `split` gives each thread or
// task a stream of its own, so results do not depend on the number of threads.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace bayesloom {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) {
    for (auto& word : state_) word = splitmix(seed);
  }

  std::uint64_t operator()() {
    std::uint64_t const result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    std::uint64_t const t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in 0 .. bound-1, without bias [lemire2019]; bound >= 1.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>((*this)()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      std::uint64_t const threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold)
        product = static_cast<Wide>((*this)()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform in [0, 1), with 53 random bits.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  /// An independent stream for task `key`; does not disturb this one.
  Rng split(std::uint64_t key) const {
    std::uint64_t seed = state_[0] ^ std::rotl(state_[2], 31);
    std::uint64_t const mixed = splitmix(seed) + key * 0x9e3779b97f4a7c15ULL;
    return Rng(mixed);
  }

 private:
  static std::uint64_t splitmix(std::uint64_t& seed) {
    std::uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace bayesloom
