// The credible set of a cache whose components are too large for sets of variables.
//
// Where credible.hpp goes over sets of variables, of which even one sparse network with many
// variables has too many, this goes by diagrams (diagram.hpp), one per strong component. The number
// of networks is exact, or lies in a proved interval where loss lists had to be rounded and the
// networks are too many to go through one by one, or has a proved lower bound where the time ended;
// networks are listed, and drawn, all the same. Posteriors come from networks listed, or from draws
// where there are too many.
//
// It begins with a network that is known, not proved to be the best: all within the slack of the
// known one are counted, the best and its neighbours among them, so a count that ends is a proof.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "cache/score_cache.hpp"
#include "credible/classes/class_key.hpp"
#include "credible/diagram/diagram.hpp"
#include "credible/diagram/diagram_walk.hpp"
#include "credible/diagram/gather.hpp"
#include "credible/subset_dp/probe.hpp"
#include "credible/diagram/annealed_sampling.hpp"
#include "dual/reduced_costs.hpp"

namespace bayesloom::credible {

using dual::ReducedCosts;

/// How many networks there are: at least `low` and, if nothing was stopped, at most `high`.
struct WideCount {
  Count low = 0, high = 0;
  Count nearest = 0;   ///< by losses as they were rounded
  double mass = 0;     ///< sum of exp(score - best), as far as counted and rounded
  bool whole = false;  ///< whether it was counted to the end, so that `high` holds
  bool exact() const { return whole && low == high; }
};

/// Classes of equivalent networks, as far as found.
struct WideClasses {
  struct Class {
    Fixed loss;
    std::uint64_t members;
    std::vector<std::uint64_t> candidates;  ///< of one network
  };
  std::vector<Class> classes;  ///< best first
  bool whole = false;
};

/// How many classes there are: at least so many, and just so many if `whole`.
struct ClassCount {
  Count count = 0;
  bool whole = false;
};

class WideSet {
 public:
  /// `network` is a good one, within the slack of which `fixing` keeps all. `paths` is the cache
  /// with the orders to keep (with_orders.hpp), and both come from it. Throws ResourceError for
  /// components of more than 64.
  WideSet(ScoreCache cache, ScoreCache const& paths, Fixed slack, std::vector<std::size_t> network,
          ReducedCosts fixing, double memory_bytes);

  ScoreCache const& cache() const { return cache_; }
  /// Of the network that is known, which is the best if it was proved to be or all are counted.
  Fixed best() const { return best_; }
  Fixed slack() const { return slack_; }
  /// How far the bound by cluster prices is above the best.
  Fixed gap() const { return fixing_.gap; }
  ReducedCosts const& fixing() const { return fixing_; }
  std::vector<std::size_t> const& best_network() const { return network_; }
  std::vector<Component> const& parts() const { return components_; }
  std::size_t node_count() const;

  /// Builds the diagrams as far as time allows, and counts. Asked again, it goes on with what it
  /// knows. A better network that turns up takes the place of the known one at the end; until then
  /// the numbers are those of the known one.
  WideCount const& count(Control& control);
  std::optional<WideCount> const& counted() const { return counted_; }
  /// Those at most `loss` below the best, where that is at most the slack. Requires a count that is
  /// whole.
  WideCount count_within(Fixed loss) const;

  /// Networks near the best, for when the count does not end; at most `most`. Raises what is
  /// counted for certain, where it is more than that.
  void gather(std::size_t most, Control& control);
  Gathered const& gathered() const { return gathered_; }

  /// The sum of exp(-rate * loss), losses below the best. Requires a count that is whole.
  double mass(double rate) const;

  DiagramWalk walk_within(Fixed loss) const { return DiagramWalk(diagrams_, least_ + loss); }
  /// Candidates, by variable of the cache.
  void candidates(std::span<std::vector<std::uint32_t> const> chosen,
                  std::span<std::uint64_t> out) const;
  Fixed score_of(Fixed loss) const { return best_ + least_ - loss; }

  /// Networks with probability proportional to exp(-rate * loss), with a loss of at most the slack:
  /// rate 1 is by posterior. How many were thrown away for each kept tells how well it goes; gives
  /// up at `most_tries`.
  class Drawing {
   public:
    Drawing(WideSet const& set, double rate, bool even, std::uint64_t seed);
    /// Candidates of a network, and its score; nothing if none was found in many tries.
    std::optional<Fixed> draw(std::span<std::uint64_t> out);

   private:
    WideSet const& set_;
    double const rate_;
    bool const even_;
    DiagramDraw draw_;
    Rng rng_;
  };
  /// Draws by posterior; or, with `even`, every network as likely as the other.
  Drawing drawing(bool even, std::uint64_t seed) const;

  /// By random walks, see sequential_monte_carlo.hpp; they make use of what was counted so far.
  CountEstimate estimate(std::uint64_t probes, std::uint64_t seed, Control& control);

  /// By populations that begin with networks of a smaller set, see annealed_sampling.hpp.
  std::optional<CountEstimate> tempered(NearNetworks const& near, TemperingOptions const& options,
                                        Control& control) const {
    return tempered_count(components_, least_, slack_, near, options, control);
  }

  /// The share of each candidate of the cache in the mass, by networks drawn, or by random walks
  /// where the count is unfinished; and how many networks drawn by mass would be as good.
  std::pair<std::vector<double>, double> shares(std::uint64_t networks, std::uint64_t seed,
                                                Control& control);

  /// Lists networks, at most `most` of them, and puts them together by class.
  WideClasses classes(Fixed loss, std::uint64_t most, Control& control) const;
  /// Counts classes without listing products: those of each component are listed, at most `most`
  /// networks of each, and multiplied (class_key.hpp).
  ClassCount count_classes(Fixed loss, std::uint64_t most, Control& control) const;

 private:
  /// Takes over the best network of the diagrams.
  void adopt_best();
  /// Puts exact numbers in the place of those by rounded losses, unless stopped.
  void settle_count(Control& control);

  ScoreCache cache_;
  Fixed const slack_;
  std::vector<std::size_t> network_;
  ReducedCosts fixing_;
  double const memory_bytes_;
  Fixed best_ = 0, least_ = 0;  // the best score, and its loss
  std::vector<Component> components_;
  std::vector<Fixed> own_;  // by component: the loss of the best network there
  std::vector<Diagram> diagrams_;
  LossList losses_;
  Gathered gathered_;
  std::optional<WideCount> counted_;
};

/// The networks of a wide set that is counted, to begin with: drawn, however many there are.
class CountedNear final : public NearNetworks {
 public:
  explicit CountedNear(WideSet const& set) : NearNetworks(set.slack()), set_(set) {}
  double count(Fixed loss) const override;
  double mass(double rate) const override;
  std::vector<Drawn> draw(double rate, std::size_t size, Rng& rng) const override;

 private:
  WideSet const& set_;
};

}  // namespace bayesloom::credible
