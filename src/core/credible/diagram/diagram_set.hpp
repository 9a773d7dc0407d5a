// The credible set by decision diagrams, for caches with too many sets of variables.
//
// There is one diagram per strong component (diagram.hpp). The number of networks is exact; or it lies in a proved
// interval, if loss lists had to be rounded and there are too many networks to list; or it has a proved lower
// bound, if time ended. Networks can be listed and drawn in each case. Posteriors are computed by listing, or
// estimated from draws if there are too many networks.
//
// The limit is counted from a known network, which need not be the best. All networks within the limit of the
// known one include the best and everything within the limit of it, so a complete count proves the best score.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "cache/orders_as_edges.hpp"
#include "credible/credible.hpp"
#include "credible/diagram/diagram.hpp"
#include "credible/diagram/diagram_walk.hpp"
#include "credible/diagram/near_best.hpp"
#include "dual/reduced_costs.hpp"

namespace bayesloom::credible {

using dual::ReducedCosts;

struct DiagramOptions {
  Fixed max_loss = 0;
  double memory_bytes = 4e9;
  std::vector<Order> orders{};       ///< that the networks keep
  std::vector<std::size_t> known{};  ///< a good network, a candidate per variable, or empty
  dual::Pace pace = dual::Pace::slow;
};

class DiagramSet final : public CredibleSet {
 public:
  /// Throws ResourceError for components of more than 64 variables.
  static std::unique_ptr<DiagramSet> make(ScoreCache const& cache, DiagramOptions const& options,
                                          Control& control);

  char const* backend() const override { return "diagram"; }
  Fixed best() const override { return best_; }
  Fixed gap() const override { return costs_.gap; }
  ReducedCosts const* reduced_costs() const override { return &costs_; }
  std::vector<std::size_t> best_network() const override { return network_; }
  std::vector<Component const*> components() const override;
  std::size_t state_count() const override;

  /// Builds the diagrams as far as time allows, and counts. If a better network is found, it replaces the known one
  /// at the end; until then counts refer to the known one.
  NetworkCount count(Control& control) override;
  bool whole() const override { return counted_ && counted_->whole; }
  std::optional<Count> count_within(Fixed loss, Control& control) override;
  /// By sequential Monte Carlo, which uses the subproblems counted so far.
  CountEstimate estimate(std::uint64_t probes, std::uint64_t seed, Control& control) override;

  Count find_near_best(std::size_t most, Control& control) override;
  std::unique_ptr<NetworkWalk> walk(Fixed within) const override;
  std::unique_ptr<NetworkWalk> walk_from(Count /*rank*/) const override { return nullptr; }
  bool drawable() const override { return whole(); }
  std::unique_ptr<NetworkSampler> sampler(bool even, std::uint64_t seed) const override;
  /// Draws with probability proportional to exp(-rate * loss) among networks within the limit.
  std::unique_ptr<NetworkSampler> sampler_by_rate(double rate, std::uint64_t seed) const;
  /// The sum of exp(-rate * loss) over the networks.
  double weight(double rate) const;

  bool listable() const override;
  std::optional<std::vector<double>> candidate_weights(Control& control) const override;
  /// By networks drawn, or by sequential Monte Carlo where the count is unfinished.
  Shares estimated_shares(std::uint64_t draws, std::uint64_t seed, Control& control) override;

  Classes classes(Fixed within, std::uint64_t most, Control& control) const override;

 private:
  friend class DiagramSampler;

  DiagramSet(ScoreCache const& cache, ScoreCache const& paths, DiagramOptions const& options,
             std::vector<std::size_t> network, ReducedCosts costs);
  NetworkCount counted_within(Fixed loss) const;
  /// Takes over the best network of the diagrams.
  void adopt_best();
  /// Replaces counts by rounded losses with exact ones, unless stopped.
  void make_count_exact(Control& control);
  /// Candidates, by variable of the cache.
  void candidates(std::span<std::vector<std::uint32_t> const> chosen,
                  std::span<std::uint64_t> out) const;
  /// What the best network loses in a component.
  Fixed loss_in(Component const& component) const;

  std::vector<std::size_t> network_;
  ReducedCosts costs_;
  Fixed best_ = 0, least_ = 0;  // the best score, and its loss as diagrams count it
  std::vector<Component> components_;
  std::vector<Fixed> own_;  // by component: the loss of the best network there
  std::vector<Diagram> diagrams_;
  LossList losses_;
  NearNetworks near_;  // of a count that did not end
  std::optional<NetworkCount> counted_;
};

}  // namespace bayesloom::credible
