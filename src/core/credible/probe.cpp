#include "credible/probe.hpp"

#include <algorithm>
#include <cmath>

#include "credible/compensated_sum.hpp"

namespace bayesloom::credible {

namespace {

struct Place {
  std::size_t part = 0;
  std::uint32_t u = 0;
  Set barred = 0;
  Fixed t = 0;
};

/// One random step after the other.
class Probe {
 public:
  Probe(std::span<Part const> parts, Fixed slack, States const& states)
      : parts_(parts), slack_(slack), states_(states) {}

  void begin() {
    here_ = {0, 0, 0, slack_};
    weight_ = 1;
  }

  /// Takes a step; null if there is none, and the weight is then 0.
  Step const* step(Rng& rng) {
    auto const& live = parts_[here_.part].live;
    auto const steps = live.steps(here_.u);
    double const* const weights = states_.weights(here_.part, here_.u);
    ways_.clear();
    double sum = 0;
    for (std::size_t i = 0; i < steps.size() && steps[i].delta <= here_.t; ++i) {
      if ((here_.barred >> steps[i].x & 1) != 0) continue;
      auto const barred = barred_after(live.set(here_.u), here_.barred, steps[i]);
      if (!barred) continue;
      sum += weights[i] * weights[i];
      ways_.push_back({sum, &steps[i], *barred});
    }
    if (ways_.empty()) {
      weight_ = 0;
      return nullptr;
    }
    double const drawn = rng.uniform() * sum;
    std::size_t way = 0;
    while (way + 1 < ways_.size() && ways_[way].sum <= drawn) ++way;
    double const before = way == 0 ? 0.0 : ways_[way - 1].sum;
    weight_ *= sum / (ways_[way].sum - before);
    Step const& taken = *ways_[way].step;
    here_ = {here_.part, taken.child, ways_[way].barred, here_.t - taken.delta};
    if (live.last(taken.child)) here_ = {here_.part + 1, 0, 0, here_.t};
    return &taken;
  }

  bool ended() const { return here_.part == parts_.size(); }
  Place const& here() const { return here_; }
  double weight() const { return weight_; }
  double loss() const { return to_nats(slack_ - here_.t); }

 private:
  struct Way {
    double sum;
    Step const* step;
    Set barred;
  };
  std::span<Part const> parts_;
  Fixed const slack_;
  States const& states_;
  Place here_;
  double weight_ = 1;
  std::vector<Way> ways_;
};

}  // namespace

CountEstimate estimate_count(std::span<Part const> parts, Fixed slack, States const& states,
                             std::uint64_t probes, Rng& rng, Control& control) {
  CompensatedSum sum, squares;
  CountEstimate estimate;
  Probe probe(parts, slack, states);
  for (; estimate.probes < probes && !control.should_stop(1); ++estimate.probes) {
    probe.begin();
    double known = 1;
    while (probe.weight() > 0 && !probe.ended()) {
      Place const& here = probe.here();
      if (here.u != 0)
        if (Tally const* const tally = states.find(here.part, here.u, here.barred, here.t)) {
          known = static_cast<double>(tally->count);
          break;
        }
      probe.step(rng);
    }
    double const weight = probe.weight() * known;
    sum.add(weight);
    squares.add(weight * weight);
  }
  auto const m = static_cast<double>(estimate.probes);
  if (m > 0) estimate.count = sum.value() / m;
  if (m > 1)
    estimate.error =
        std::sqrt(std::max(0.0, squares.value() / m - estimate.count * estimate.count) / (m - 1));
  return estimate;
}

MassEstimate estimate_masses(std::span<Part const> parts, Fixed slack, std::uint64_t probes,
                             Rng& rng, States const& states, Control& control) {
  MassEstimate estimate;
  for (auto const& part : parts) {
    auto& variables = estimate.shares.emplace_back();
    for (auto const& choices : part.component.choices) variables.emplace_back(choices.size(), 0.0);
  }
  struct Taken {
    std::size_t part;
    Step const* step;
  };
  std::vector<Taken> taken;
  CompensatedSum sum, squares;
  Probe probe(parts, slack, states);
  for (std::uint64_t made = 0; made < probes && !control.should_stop(1); ++made) {
    probe.begin();
    taken.clear();
    while (probe.weight() > 0 && !probe.ended()) {
      std::size_t const part = probe.here().part;
      if (Step const* const step = probe.step(rng)) taken.push_back({part, step});
    }
    if (probe.weight() == 0) continue;
    double const mass = probe.weight() * std::exp(-probe.loss());
    sum.add(mass);
    squares.add(mass * mass);
    for (auto const& [part, step] : taken) estimate.shares[part][step->x][step->choice] += mass;
  }
  if (sum.value() == 0) return estimate;
  for (auto& variables : estimate.shares)
    for (auto& choices : variables)
      for (double& share : choices) share /= sum.value();
  estimate.effective = sum.value() * sum.value() / squares.value();
  return estimate;
}

}  // namespace bayesloom::credible
