// How many networks there are at each loss: sorted pairs (loss, count), added and multiplied.
//
// Networks of two independent parts have the losses of one plus those of the other, so lists are
// multiplied by convolution; alternatives are added. Exact lists can grow without end: where one is
// longer than `longest`, its losses are rounded to the nearest whole multiple of `grid`, and so are
// those of every list it is put together with. Multiples of one grid stay such when they are added,
// so each list is rounded once at most; `error` is the most that any loss in the list is off. The
// number of networks with a loss of at most t then lies between those of the list at t - error and
// at t + error: a proved interval, and a number where nothing was rounded.
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
  /// More than all roundings of a product of many lists can amount to.
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
