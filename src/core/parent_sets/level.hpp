// Parent sets of one size, in rank order, with the children they still matter to.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/variable.hpp"
#include "parent_sets/combinations.hpp"
#include "parent_sets/rank_set.hpp"

namespace bayesloom {

/// Calls visit(child) for every bit set in a mask, ascending.
template <typename Visit>
void for_each_bit(std::span<std::uint64_t const> mask, Visit&& visit) {
  for (std::size_t w = 0; w < mask.size(); ++w)
    for (std::uint64_t word = mask[w]; word; word &= word - 1)
      visit(static_cast<Variable>(w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
}

struct Level {
  std::size_t size = 0;        ///< members per set
  std::size_t mask_words = 1;  ///< words of one mask: a bit per child
  RankSet index;
  std::vector<Variable> members;      ///< `size` per set, ascending
  std::vector<std::uint64_t> alive;   ///< masks
  std::vector<Fixed> component;       ///< f(P); empty for scores without component form
  std::vector<std::size_t> first{0};  ///< of each set in `best` and `score`, and the end
  std::vector<Fixed> best;   ///< over P and its subsets: one per alive child, by set, then child
  std::vector<Fixed> score;  ///< s(child, P), likewise

  Level() = default;
  Level(std::size_t set_size, std::size_t words) : size(set_size), mask_words(words) {}

  std::size_t sets() const { return first.size() - 1; }
  std::span<Variable const> set(std::size_t x) const { return {members.data() + x * size, size}; }
  std::span<std::uint64_t const> mask(std::size_t x) const {
    return {alive.data() + x * mask_words, mask_words};
  }

  std::size_t bytes() const {
    return members.size() * sizeof(Variable) + alive.size() * sizeof(std::uint64_t) +
           first.size() * sizeof(std::size_t) +
           (component.size() + best.size() + score.size()) * sizeof(Fixed);
  }

  /// Where the values of an alive child of set x stand.
  std::size_t place(std::size_t x, Variable child) const {
    auto const bits = mask(x);
    std::size_t at = first[x];
    for (std::size_t w = 0; w < child / 64U; ++w)
      at += static_cast<std::size_t>(std::popcount(bits[w]));
    std::uint64_t const below = (std::uint64_t{1} << (child % 64)) - 1;
    return at + static_cast<std::size_t>(std::popcount(bits[child / 64] & below));
  }

  /// Adds the sets of a later part of the same level.
  void append(Level const& part) {
    std::size_t const offset = best.size();
    for (std::size_t x = 1; x < part.first.size(); ++x) first.push_back(offset + part.first[x]);
    members.insert(members.end(), part.members.begin(), part.members.end());
    alive.insert(alive.end(), part.alive.begin(), part.alive.end());
    component.insert(component.end(), part.component.begin(), part.component.end());
    best.insert(best.end(), part.best.begin(), part.best.end());
    score.insert(score.end(), part.score.begin(), part.score.end());
  }

  /// Makes the sets findable; call once after the last append.
  void build_index(Combinations const& combinations, std::size_t n) {
    index = RankSet(combinations.choose(n, size));
    for (std::size_t x = 0; x < sets(); ++x) index.insert(combinations.rank(set(x)));
    index.freeze();
  }
};

}  // namespace bayesloom
