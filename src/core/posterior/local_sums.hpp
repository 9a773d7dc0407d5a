// The sums that a chain of partitions asks for, and draws from them.
//
//   tau_i(U, T) = sum of the weights of i's families with parents inside U, some of them in T
//
// (without a T, for the first layer: the families without parents in the part). Sets are over the
// candidate parents of i alone, numbered anew, so they are a word or two long. Where i has few candidate
// parents, W_i of every subset of them is kept in a table, and tau is the difference of two entries, as in
// [viinikka2020]; where that would lose precision, or there is no table, the list is gone through, best
// first, until what is left cannot matter.
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

  /// Tables take at most so many bytes.
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

  /// The number of i's family with these parents, all of them, by their key; nothing if there is none.
  std::optional<std::uint32_t> find(std::size_t i, std::uint64_t key) const {
    auto const at = members_[i].by_key.find(key);
    if (at == members_[i].by_key.end()) return std::nullopt;
    return at->second;
  }

  /// ln tau; `none` if there is no such family. `touched` is null for a first layer.
  double log_sum(std::size_t i, Word const* inside, Word const* touched) const;

  /// The number of a family drawn by weight among those that tau sums.
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

  /// tau by going through the list, in order; too small to be exact if below least_sum.
  static double sum_of_weights(Member const& member, Word const* inside, Word const* touched);

  template <typename Take>
  void go_through(Member const& member, std::span<Family const> families, Word const* inside,
                  Word const* touched, Take const& take) const;

  Part const* part_;
  std::vector<Member> members_;
  std::size_t most_words_ = 1;
};

}  // namespace bayesloom::posterior
