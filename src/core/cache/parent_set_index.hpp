// Finds the candidate with a given parent set in constant time: an open-addressing hash table over
// the candidates of one variable.
//
// The hash of a set is the sum of its members' hashes, so it does not depend on their order and the
// hash of a subset is cheap. A slot holds 24 bits of the hash beside a 40-bit number, which spares
// nearly all comparisons of the sets themselves.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/variable.hpp"

namespace bayesloom {

inline std::uint64_t variable_hash(Variable v) {
  std::uint64_t z = (v + std::uint64_t{1}) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// `Parents` is a callable: number of a candidate -> its parents, ascending.
template <typename Parents>
class ParentSetIndex {
 public:
  explicit ParentSetIndex(Parents parents) : parents_(parents) {}

  /// Empties the index and makes room for `count` candidates.
  void reset(std::size_t count) {
    slots_.assign(std::bit_ceil(2 * count + 2), 0);
  }

  static std::uint64_t hash(std::span<Variable const> set) {
    std::uint64_t sum = 0x51ed270b0a1f39c1ULL;
    for (Variable const v : set) sum += variable_hash(v);
    return sum;
  }

  /// Adds a candidate, or returns the one already there with the same parents.
  std::optional<std::size_t> insert(std::size_t candidate) {
    std::span<Variable const> const set = parents_(candidate);
    std::uint64_t const code = hash(set);
    std::size_t const slot = probe(code, set);
    if (slots_[slot] != 0) return number(slots_[slot]);
    slots_[slot] = tag(code) | (candidate + 1);
    return std::nullopt;
  }

  std::optional<std::size_t> find(std::span<Variable const> set) const {
    std::size_t const slot = probe(hash(set), set);
    if (slots_[slot] == 0) return std::nullopt;
    return number(slots_[slot]);
  }

 private:
  static constexpr std::uint64_t number_mask = (std::uint64_t{1} << 40) - 1;

  static std::uint64_t tag(std::uint64_t code) { return code & ~number_mask; }
  static std::size_t number(std::uint64_t entry) { return (entry & number_mask) - 1; }

  /// The slot that holds this set, or the empty slot where it belongs.
  std::size_t probe(std::uint64_t code, std::span<Variable const> set) const {
    std::size_t const mask = slots_.size() - 1;
    for (std::size_t slot = code & mask;; slot = (slot + 1) & mask) {
      std::uint64_t const entry = slots_[slot];
      if (entry == 0) return slot;
      if (tag(entry) == tag(code) && std::ranges::equal(parents_(number(entry)), set)) return slot;
    }
  }

  Parents parents_;
  std::vector<std::uint64_t> slots_;
};

}  // namespace bayesloom
