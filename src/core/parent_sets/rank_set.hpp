// A set of ranks that also says where each one stands: a bit per possible rank; for each block of 512
// how many bits are set before it, and how many from its beginning to each of its words, nine bits
// each [vigna2008: rank9]. C(45, 7) sets fit in 7 MB, and a look-up touches two lines.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/atomic_place.hpp"

namespace bayesloom {

class RankSet {
 public:
  explicit RankSet(std::uint64_t universe = 0) : words_((universe + 63) / 64, 0) {}

  /// Safe from several threads at once; not to be mixed with look-ups.
  void insert(std::uint64_t rank) {
    AtomicPlace const word(words_[rank / 64]);
    std::uint64_t const bit = std::uint64_t{1} << (rank % 64);
    if ((word.load() & bit) == 0) word.set_bits(bit);  // reading is much cheaper
  }

  /// Call once after the last insert.
  void freeze() {
    // A number of nine bits is at most 448, the bits of seven words.
    before_.assign(2 * (words_.size() / 8 + 1), 0);
    std::size_t count = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      std::size_t const block = w / 8;
      if (w % 8 == 0)
        before_[2 * block] = count;
      else
        before_[2 * block + 1] |= std::uint64_t{count - before_[2 * block]} << (9 * (w % 8) - 9);
      count += static_cast<std::size_t>(std::popcount(words_[w]));
    }
    size_ = count;
  }

  std::vector<std::uint64_t> const& words() const { return words_; }
  static RankSet from_words(std::vector<std::uint64_t> words) {
    RankSet set;
    set.words_ = std::move(words);
    set.freeze();
    return set;
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return (words_.size() + before_.size()) * sizeof(std::uint64_t); }
  std::size_t word_count() const { return words_.size(); }
  std::uint64_t word(std::size_t w) const { return words_[w]; }

  bool contains(std::uint64_t rank) const { return (words_[rank / 64] >> (rank % 64)) & 1U; }

  /// How many ranks below this one are in the set.
  std::size_t position(std::uint64_t rank) const {
    std::size_t const w = rank / 64;
    std::uint64_t const below = (std::uint64_t{1} << (rank % 64)) - 1;
    // Word 0 of a block has nothing before it: a shift by 63 leaves the bit that no number uses.
    std::uint64_t const within = before_[w / 8 * 2 + 1] >> (9 * ((w + 7) % 8));
    return before_[w / 8 * 2] + (within & 511U) +
           static_cast<std::size_t>(std::popcount(words_[w] & below));
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> before_;
  std::size_t size_ = 0;
};

}  // namespace bayesloom
