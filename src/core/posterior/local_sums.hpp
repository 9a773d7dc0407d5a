// The sums over families that a partition chain needs, and draws from them.
//
//   tau_i(U, T) = sum of the weights of i's families with all parents in U and at least one in T
//
// (without T, for the first layer: the families without parents in the part). Sets hold only the candidate
// parents of i, renumbered, so they are a word or two long. If i has few candidate parents, a table holds
// W_i(S), the sum of the weights of all families inside S, for every set S, and tau_i(U, T) = W_i(U) - W_i(U - T)
// [viinikka2020]. If that difference would lose precision, or there is no table, the families are summed one by
// one, best first, until the rest is negligible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/rng.hpp"
#include "posterior/parts.hpp"

namespace bayesloom::posterior {

class LocalSums {
 public:
  using Word = std::uint64_t;
  static constexpr double none = -std::numeric_limits<double>::infinity();

  /// All tables together take at most `table_bytes`.
  LocalSums(Part const& part, std::size_t table_bytes);

  Part const& part() const { return *part_; }
  std::size_t size() const { return members_.size(); }
  /// Members that are a parent in some family of i, ascending: bit k of a set stands for the k-th.
  std::span<std::uint32_t const> candidate_parents(std::size_t i) const { return members_[i].up; }
  /// Members that i is a candidate parent of.
  std::span<std::uint32_t const> candidate_children(std::size_t i) const {
    return members_[i].down;
  }
  std::size_t words(std::size_t i) const { return members_[i].words; }
  std::size_t most_words() const { return most_words_; }

  /// The number of i's family whose parents, also those outside the part, have this key; nothing if none has.
  std::optional<std::uint32_t> find(std::size_t i, std::uint64_t key) const {
    auto const at = members_[i].by_key.find(key);
    if (at == members_[i].by_key.end()) return std::nullopt;
    return at->second;
  }

  /// ln tau; `none` if there is no such family. `touched` is null for a first layer.
  double log_sum(std::size_t i, Word const* inside, Word const* touched) const;

  /// Draws one of the families that tau sums, with probability proportional to its weight; returns its number.
  std::uint32_t draw(std::size_t i, Word const* inside, Word const* touched, Rng& random) const;

 private:
  struct Member {
    std::vector<std::uint32_t> up, down;
    std::size_t words = 1;
    std::vector<Word> sets;       // words of each family
    std::vector<double> weights;  // exp(-loss) of each family
    std::unordered_map<std::uint64_t, std::uint32_t> by_key;
    std::vector<double> table;  // W by set, if there is one
  };

  /// tau as a plain sum over the families, best first; inexact if below least_sum, since weights underflow.
  static double sum_of_weights(Member const& member, Word const* inside, Word const* touched);

  template <typename Take>
  void go_through(Member const& member, std::span<Family const> families, Word const* inside,
                  Word const* touched, Take const& take) const;

  Part const* part_;
  std::vector<Member> members_;
  std::size_t most_words_ = 1;
};

}  // namespace bayesloom::posterior
