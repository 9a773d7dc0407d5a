// Networks in great numbers: from those near the best, all known, to those within the limit.
//
// Let  Z(b) = sum over credible G of exp(-b * loss(G)),  with losses below the best. Z(0) is the
// number of networks. At a large rate b much of Z(b) is in networks near the best, which can be
// listed. From there to rate 0, with networks drawn at rate b,
//
//   Z(b)          =  Z(b) of the list / share of draws that are in the list
//   Z(b') / Z(b)  =  mean of exp((b - b') * loss)
//
// A population of networks goes along [delmoral2006]: drawn from the list, weighted, drawn anew by
// weight, and kept moving by a Markov chain that leaves the distribution of the rate as it is.
// Independent populations tell how far the estimate is off.
//
// A move draws the parent sets P of x and Q of y anew, all others given, from just their
// distribution. With the edges into x and y taken out, let D(x) be what x leads to. Then P and Q
// close no cycle if P misses D(x), Q misses D(y), and not both P meets D(y) and Q meets D(x): so
// one pass over either list is enough, and nothing is ever rejected. Turning an edge is one such
// move.
//
// What it cannot tell: networks that few ways within the limit lead to from those of the list are
// found too seldom, so the estimate tends to be low. From F = 20 to 150 it is so by 4 to 9 percent
// on three tables where both counts are known (benchmarks/tables/liao2018/table1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "credible/component.hpp"
#include "credible/subset_dp/probe.hpp"

namespace bayesloom::credible {

/// All networks at most `slack` below the best, known to be all. Losses are below the best.
class NearNetworks {
 public:
  struct Drawn {
    std::vector<std::uint64_t> candidates;  ///< one per variable of the cache
    Fixed loss;
  };

  explicit NearNetworks(Fixed within) : slack(within) {}
  virtual ~NearNetworks() = default;
  Fixed const slack;
  /// How many lose at most so much.
  virtual double count(Fixed loss) const = 0;
  /// The sum of exp(-rate * loss), and networks drawn in proportion to it.
  virtual double mass(double rate) const = 0;
  virtual std::vector<Drawn> draw(double rate, std::size_t size, Rng& rng) const = 0;
};

/// Networks in a list: candidates row by row.
class ListedNear final : public NearNetworks {
 public:
  /// Throws InputError if there is none, or if rows are not of `width` candidates.
  ListedNear(std::span<std::uint64_t const> candidates, std::vector<Fixed> losses,
             std::size_t width, Fixed within);
  double count(Fixed loss) const override;
  double mass(double rate) const override;
  std::vector<Drawn> draw(double rate, std::size_t size, Rng& rng) const override;

 private:
  std::vector<double> weights(double rate) const;

  std::span<std::uint64_t const> const candidates_;
  std::vector<Fixed> const losses_;
  std::size_t const width_;
};

struct TemperingOptions {
  std::size_t populations = 16;
  std::size_t networks = 1000;  ///< in each
  std::size_t threads = 1;
  std::uint64_t seed = 0;
};

/// How many networks of the components have a loss of at most `best` + `slack`, where `best` is
/// the least there is. Nothing if stopped before two populations came to an end.
std::optional<CountEstimate> tempered_count(std::vector<Component> const& components, Fixed best,
                                            Fixed slack, NearNetworks const& near,
                                            TemperingOptions const& options, Control& control);

}  // namespace bayesloom::credible
