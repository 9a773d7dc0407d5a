// Sets of variables.
//
//   VarSet      up to 64 variables: one machine word, passed by value, used as a key and as an index
//   WideVarSet  any number of variables: one bit each, in a vector of words
//
// There are two because dynamic programming over subsets lives on sets that fit into a register,
// while a score cache has up to a million variables. Both have the same member functions; members are
// visited in ascending order:
//
//   for (std::size_t const v : set) ...
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <vector>

namespace bayesloom {

class VarSet {
 public:
  using Word = std::uint64_t;
  static constexpr std::size_t capacity = 64;

  constexpr VarSet() = default;
  /// Bit v of `bits` is variable v.
  constexpr explicit VarSet(Word bits) : bits_(bits) {}
  /// The set of v alone.
  static constexpr VarSet of(std::size_t v) { return VarSet(Word{1} << v); }
  /// The variables 0 .. n-1, n <= 64.
  static constexpr VarSet first(std::size_t n) {
    return VarSet(n >= capacity ? ~Word{0} : (Word{1} << n) - 1);
  }
  /// All 64.
  static constexpr VarSet full() { return VarSet(~Word{0}); }

  constexpr Word bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(std::popcount(bits_)); }
  constexpr bool contains(std::size_t v) const { return (bits_ >> v & 1) != 0; }
  constexpr bool contains_all(VarSet other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr bool meets(VarSet other) const { return (bits_ & other.bits_) != 0; }
  /// The smallest member; the set must not be empty.
  constexpr std::size_t lowest() const { return static_cast<std::size_t>(std::countr_zero(bits_)); }
  /// How many members are smaller than v: the place of v if the members are numbered anew.
  constexpr std::size_t rank(std::size_t v) const { return (*this & first(v)).size(); }

  constexpr void insert(std::size_t v) { bits_ |= Word{1} << v; }
  constexpr void erase(std::size_t v) { bits_ &= ~(Word{1} << v); }
  constexpr void erase_lowest() { bits_ &= bits_ - 1; }
  constexpr VarSet with(std::size_t v) const { return VarSet(bits_ | Word{1} << v); }
  constexpr VarSet without(std::size_t v) const { return VarSet(bits_ & ~(Word{1} << v)); }

  constexpr VarSet& operator|=(VarSet other) { return bits_ |= other.bits_, *this; }
  constexpr VarSet& operator&=(VarSet other) { return bits_ &= other.bits_, *this; }
  constexpr VarSet& operator-=(VarSet other) { return bits_ &= ~other.bits_, *this; }
  friend constexpr VarSet operator|(VarSet a, VarSet b) { return VarSet(a.bits_ | b.bits_); }
  friend constexpr VarSet operator&(VarSet a, VarSet b) { return VarSet(a.bits_ & b.bits_); }
  friend constexpr VarSet operator-(VarSet a, VarSet b) { return VarSet(a.bits_ & ~b.bits_); }
  /// Any total order: that of the words as numbers. Inclusion is `contains_all`.
  friend constexpr auto operator<=>(VarSet, VarSet) = default;

  /// Of the subsets of `whole` the next smaller one as a number; after the empty set comes `whole`.
  constexpr VarSet subset_before(VarSet whole) const { return VarSet((bits_ - 1) & whole.bits_); }

  class Iterator {
   public:
    using value_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr Iterator() = default;
    constexpr explicit Iterator(Word left) : left_(left) {}
    constexpr std::size_t operator*() const {
      return static_cast<std::size_t>(std::countr_zero(left_));
    }
    constexpr Iterator& operator++() { return left_ &= left_ - 1, *this; }
    constexpr Iterator operator++(int) {
      Iterator const before = *this;
      return ++*this, before;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    Word left_ = 0;
  };
  constexpr Iterator begin() const { return Iterator(bits_); }
  constexpr Iterator end() const { return Iterator(); }

 private:
  Word bits_ = 0;
};

class WideVarSet {
 public:
  using Word = VarSet::Word;

  /// The empty set, with room for the variables 0 .. n-1. Sets that are compared or joined must
  /// have the same room.
  constexpr explicit WideVarSet(std::size_t n = 0) : words_((n + 63) / 64, 0) {}

  constexpr std::span<Word const> words() const { return words_; }
  constexpr bool empty() const {
    for (Word const word : words_)
      if (word != 0) return false;
    return true;
  }
  constexpr std::size_t size() const {
    std::size_t count = 0;
    for (Word const word : words_) count += VarSet(word).size();
    return count;
  }
  constexpr bool contains(std::size_t v) const { return (words_[v / 64] >> v % 64 & 1) != 0; }
  constexpr bool contains_all(WideVarSet const& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      if ((other.words_[w] & ~words_[w]) != 0) return false;
    return true;
  }
  constexpr bool meets(WideVarSet const& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      if ((words_[w] & other.words_[w]) != 0) return true;
    return false;
  }

  constexpr void insert(std::size_t v) { words_[v / 64] |= Word{1} << v % 64; }
  constexpr void erase(std::size_t v) { words_[v / 64] &= ~(Word{1} << v % 64); }
  constexpr WideVarSet& operator|=(WideVarSet const& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  friend constexpr bool operator==(WideVarSet const&, WideVarSet const&) = default;

  class Iterator {
   public:
    using value_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr Iterator() = default;
    constexpr Iterator(std::span<Word const> words, std::size_t at) : words_(words), at_(at) {
      if (at_ < words_.size()) left_ = words_[at_];
      skip();
    }
    constexpr std::size_t operator*() const { return at_ * 64 + VarSet(left_).lowest(); }
    constexpr Iterator& operator++() {
      left_ &= left_ - 1;
      skip();
      return *this;
    }
    constexpr Iterator operator++(int) {
      Iterator const before = *this;
      return ++*this, before;
    }
    friend constexpr bool operator==(Iterator const& a, Iterator const& b) {
      return a.at_ == b.at_ && a.left_ == b.left_;
    }

   private:
    constexpr void skip() {
      while (left_ == 0 && at_ < words_.size())
        if (++at_ < words_.size()) left_ = words_[at_];
    }
    std::span<Word const> words_;
    std::size_t at_ = 0;
    Word left_ = 0;
  };
  constexpr Iterator begin() const { return {words_, 0}; }
  constexpr Iterator end() const { return {words_, words_.size()}; }

 private:
  std::vector<Word> words_;
};

}  // namespace bayesloom

template <>
struct std::hash<bayesloom::VarSet> {
  std::size_t operator()(bayesloom::VarSet set) const noexcept {
    return static_cast<std::size_t>(set.bits() * 0x9e3779b97f4a7c15ULL >> 1);
  }
};
