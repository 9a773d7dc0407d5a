// A set of ranks that also says where each one stands: a bit per possible rank, and how many bits
// are set before each block of 512. C(45, 7) sets fit in 6 MB, and a look-up touches two lines.
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
    AtomicPlace(words_[rank / 64]).set_bits(std::uint64_t{1} << (rank % 64));
  }

  /// Call once after the last insert.
  void freeze() {
    before_.assign(words_.size() / 8 + 1, 0);
    std::size_t count = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if (w % 8 == 0) before_[w / 8] = count;
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
    std::size_t count = before_[w / 8];
    for (std::size_t u = w / 8 * 8; u < w; ++u)
      count += static_cast<std::size_t>(std::popcount(words_[u]));
    std::uint64_t const below = (std::uint64_t{1} << (rank % 64)) - 1;
    return count + static_cast<std::size_t>(std::popcount(words_[w] & below));
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::size_t> before_;
  std::size_t size_ = 0;
};

}  // namespace bayesloom
