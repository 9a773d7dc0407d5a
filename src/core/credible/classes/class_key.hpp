// A 128-bit key per equivalence class, by Zobrist hashing [zobrist1970].
//
// The class is the skeleton and the v-structures a -> x <- b with a, b not adjacent [verma1990].
// Give every pair {a, b} and every triple ({a, b}, x) a random word; the key is the exclusive or of
// those that the network has. Two different classes share a key with probability 2^-128.
//
// Within one component the key is updated as the walk removes variables. Each choice adds a constant: its edges, and
// all pairs of its parents as if none were adjacent. When a parent a of x is removed too, the pairs {a, b} of parents
// of x that an edge b -> a joins are cancelled. Pairs of parents that both lie outside the component are ignored:
// whether they are adjacent is decided in another component. Equivalent networks differ only in edges within
// components (an edge between two components has one possible direction), and are connected by reversals of covered
// edges [chickering1995], each of which concerns the parents of two variables of one component. So the classes of a
// product are the products of classes.
#pragma once

#include <cstdint>
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

  /// What choice i of local variable x adds.
  ClassKey alone(std::size_t x, std::size_t i) const { return alone_[first_[x] + i]; }
  /// What choice j of `a`, a parent in choice i of x, takes out: parents of both. Nothing if `a` is
  /// no parent there and stands before x by an order alone (with_orders.hpp).
  ClassKey joined(std::size_t x, std::size_t i, std::size_t a, std::size_t j) const;

 private:
  Component const& component_;
  std::size_t words_;
  std::vector<std::size_t> first_;      // choice of each variable
  std::vector<ClassKey> alone_;         // by choice
  std::vector<std::uint64_t> parents_;  // by choice: all of them, one bit per variable of the cache
};

}  // namespace bayesloom::credible
