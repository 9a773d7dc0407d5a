// How many networks there are at each loss: sorted pairs (loss, count), added and multiplied.
//
// Losses of independent parts add up, so their lists are multiplied by convolution; lists of alternatives are
// added. Exact lists can become very long: a list longer than `longest` has its losses rounded to the nearest
// multiple of `grid`, and so has every list that it is combined with. Sums of multiples of the grid are multiples
// again, so each list is rounded at most once. `error` bounds how far any loss in the list is off. The number of
// networks with a loss of at most t lies between the counts of the list at t - error and at t + error: a proved
// interval, which is a single number if nothing was rounded.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/fixed_point.hpp"
#include "credible/count.hpp"

namespace bayesloom::credible {

class LossList {
 public:
  struct Entry {
    Fixed loss;
    Count count;
  };
  static constexpr Fixed grid = Fixed{1} << 20;  ///< 2^-10 nat
  /// Above the total rounding error of a product of many lists.
  static constexpr Fixed margin = 64 * (grid / 2);
  static constexpr std::size_t longest = std::size_t{1} << 16;

  LossList() = default;
  /// Only the network with nothing in it.
  static LossList one();
  /// Sorts, and adds up equal losses.
  explicit LossList(std::vector<Entry> entries);

  bool empty() const { return entries_.empty(); }
  /// Of a list that is not empty.
  Fixed least() const { return entries_.front().loss; }
  Fixed error() const { return error_; }
  std::span<Entry const> entries() const { return entries_; }

  /// Networks with a loss of at most t.
  Count within(Fixed t) const;

  /// This list times another, up to loss `most`.
  LossList times(LossList const& other, Fixed most) const;
  /// Adds the networks of another list.
  void add(LossList other);
  /// Rounds if there are more than `most` entries, and gives back the memory of those that are
  /// gone.
  void shorten(std::size_t most);

 private:
  void round();

  std::vector<Entry> entries_;
  bool rounded_ = false;  // all losses are multiples of the grid
  Fixed error_ = 0;
};

}  // namespace bayesloom::credible
