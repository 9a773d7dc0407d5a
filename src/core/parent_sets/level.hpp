// Parent sets of one size, in rank order, with the children they still matter to.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/raw_vector.hpp"
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
  RawVector<Variable> members;      ///< `size` per set, ascending
  RawVector<std::uint64_t> alive;   ///< masks
  RawVector<Fixed> component;       ///< f(P); empty for scores without component form
  RawVector<std::size_t> first{0};  ///< of each set in `best` and `score`, and the end
  RawVector<Fixed> best;   ///< over P and its subsets: one per alive child, by set, then child
  RawVector<Fixed> score;  ///< s(child, P), likewise

  Level() = default;
  Level(std::size_t set_size, std::size_t words) : size(set_size), mask_words(words) {}

  std::size_t sets() const { return first.size() - 1; }
  std::span<Variable const> set(std::size_t x) const { return {members.data() + x * size, size}; }
  std::span<std::uint64_t const> mask(std::size_t x) const {
    return {alive.data() + x * mask_words, mask_words};
  }

  std::size_t bytes() const {
    return index.bytes() + members.size() * sizeof(Variable) +
           alive.size() * sizeof(std::uint64_t) + first.size() * sizeof(std::size_t) +
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

  /// Puts the parts of one level together, in their order, and makes the sets findable. `run(count,
  /// body)` calls body(0) .. body(count - 1), from as many threads as it likes.
  template <typename Run>
  void assemble(std::span<Level> parts, Combinations const& combinations, std::size_t n,
                Run&& run) {
    std::vector<std::size_t> sets_before{0}, values_before{0};
    bool components = false, scores = false;
    for (auto const& part : parts) {
      sets_before.push_back(sets_before.back() + part.sets());
      values_before.push_back(values_before.back() + part.best.size());
      components |= !part.component.empty();
      scores |= !part.score.empty();
    }
    std::size_t const sets = sets_before.back(), values = values_before.back();
    members.resize(sets * size);
    alive.resize(sets * mask_words);
    first.resize(sets + 1);
    best.resize(values);
    if (components) component.resize(sets);
    if (scores) score.resize(values);
    index = RankSet(combinations.choose(n, size));
    run(parts.size(), [&](std::size_t p) {
      Level const& part = parts[p];
      std::size_t const x = sets_before[p], v = values_before[p];
      std::copy(part.members.begin(), part.members.end(), members.data() + x * size);
      std::copy(part.alive.begin(), part.alive.end(), alive.data() + x * mask_words);
      std::copy(part.component.begin(), part.component.end(), component.data() + x);
      std::copy(part.best.begin(), part.best.end(), best.data() + v);
      std::copy(part.score.begin(), part.score.end(), score.data() + v);
      for (std::size_t y = 1; y < part.first.size(); ++y) first[x + y] = v + part.first[y];
      for (std::size_t y = 0; y < part.sets(); ++y) index.insert(combinations.rank(part.set(y)));
      parts[p] = {};
    });
    index.freeze();
  }

  /// Makes the sets findable, where they did not come in parts.
  void build_index(Combinations const& combinations, std::size_t n) {
    index = RankSet(combinations.choose(n, size));
    for (std::size_t x = 0; x < sets(); ++x) index.insert(combinations.rank(set(x)));
    index.freeze();
  }
};

}  // namespace bayesloom
