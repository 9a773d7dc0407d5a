// A 128-bit key per equivalence class, by Zobrist hashing [zobrist1970].
//
// The class is the skeleton and the v-structures a -> x <- b with a, b not adjacent [verma1990]. Give
// every pair {a, b} and every triple ({a, b}, x) a random word; the key is the exclusive or of those
// that the network has. Two different classes share a key with probability 2^-128.
//
// Within one component the key starts from a constant per choice (its edges, and all pairs of its
// parents as if none were adjacent) and takes out the pairs that an edge b -> a joins. Pairs of
// parents that both lie outside are left out: whether they are adjacent is another component's matter,
// and the same for all networks that agree there. Equivalent networks differ in edges within
// components only (an edge between two has one direction), and get from one to another by turning
// covered edges [chickering1995], each of which looks at the parents of two variables of a component:
// so the classes of a product are the products of classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cache/score_cache.hpp"
#include "credible/component.hpp"

namespace bayesloom::credible {

struct ClassKey {
  std::uint64_t a = 0, b = 0;
  void operator^=(ClassKey const& other) {
    a ^= other.a;
    b ^= other.b;
  }
  bool operator==(ClassKey const&) const = default;
};

class ClassKeys {
 public:
  ClassKeys(ScoreCache const& cache, Component const& component);

  /// The key of the network in which local variable x takes its choice choices[x].
  ClassKey key(std::span<std::uint32_t const> choices) const;

 private:
  struct Entry {
    ClassKey alone;
    std::vector<std::uint64_t> parents;  // all of them, one bit per variable of the cache
  };

  Component const& component_;
  std::size_t words_;
  std::vector<std::vector<Entry>> entries_;
};

}  // namespace bayesloom::credible
