// Sets of variables as numbers: the colexicographic rank.
//
//   rank({p_1 < p_2 < .. < p_m}) = C(p_1, 1) + C(p_2, 2) + .. + C(p_m, m)
//
// numbers all sets of size m from 0 without gaps, whatever n is, and all sets below variable b come
// before the first one that contains b. Levels of the enumeration are arrays in this order.
// (The order [malone2011] calls lexicographic is this one.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/variable.hpp"

namespace bayesloom {

class Combinations {
 public:
  /// Binomials C(p, m) for p <= n and m <= largest; values beyond 64 bits are kept at the maximum.
  Combinations(std::size_t n, std::size_t largest)
      : width_(largest + 1), choose_((n + 1) * width_, 0) {
    for (std::size_t p = 0; p <= n; ++p) {
      choose_[p * width_] = 1;
      for (std::size_t m = 1; m < width_ && p > 0; ++m) {
        auto const a = choose(p - 1, m - 1);
        auto const b = choose(p - 1, m);
        choose_[p * width_ + m] = b > overflow - a ? overflow : a + b;
      }
    }
  }

  static constexpr std::uint64_t overflow = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t choose(std::size_t p, std::size_t m) const { return choose_[p * width_ + m]; }

  std::uint64_t rank(std::span<Variable const> set) const {
    std::uint64_t rank = 0;
    for (std::size_t t = 0; t < set.size(); ++t) rank += choose(set[t], t + 1);
    return rank;
  }

  /// Rank of the set with `extra`, not in it, added.
  std::uint64_t rank_with(std::span<Variable const> set, Variable extra) const {
    std::uint64_t rank = 0;
    std::size_t t = 0;
    for (; t < set.size() && set[t] < extra; ++t) rank += choose(set[t], t + 1);
    rank += choose(extra, t + 1);
    for (; t < set.size(); ++t) rank += choose(set[t], t + 2);
    return rank;
  }

  /// The same for several that come in ascending order: what lies below the last one is added up once.
  class With {
   public:
    With(Combinations const& all, std::span<Variable const> set) : all_(all), set_(set) {
      for (std::size_t t = 0; t < set.size(); ++t) sum_ += all.choose(set[t], t + 2);
    }
    std::uint64_t rank(Variable extra) {
      for (; t_ < set_.size() && set_[t_] < extra; ++t_)
        sum_ += all_.choose(set_[t_], t_ + 1) - all_.choose(set_[t_], t_ + 2);
      return sum_ + all_.choose(extra, t_ + 1);
    }

   private:
    Combinations const& all_;
    std::span<Variable const> set_;
    std::size_t t_ = 0;
    std::uint64_t sum_ = 0;
  };

  /// Rank of the set without its member at `position`.
  std::uint64_t rank_without(std::span<Variable const> set, std::size_t position) const {
    std::uint64_t rank = 0;
    for (std::size_t t = 0; t < position; ++t) rank += choose(set[t], t + 1);
    for (std::size_t t = position + 1; t < set.size(); ++t) rank += choose(set[t], t);
    return rank;
  }

  /// The set of out.size() variables below n that has this rank.
  void unrank(std::uint64_t rank, std::size_t n, std::span<Variable> out) const {
    std::size_t p = n;
    for (std::size_t m = out.size(); m > 0; --m) {
      do --p;
      while (choose(p, m) > rank);
      out[m - 1] = static_cast<Variable>(p);
      rank -= choose(p, m);
    }
  }

  /// The set with the next rank.
  static void advance(std::span<Variable> set) {
    std::size_t t = 0;
    while (t + 1 < set.size() && set[t] + 1 == set[t + 1]) {
      set[t] = static_cast<Variable>(t);
      ++t;
    }
    ++set[t];
  }

 private:
  std::size_t width_;
  std::vector<std::uint64_t> choose_;
};

}  // namespace bayesloom
