#include "credible/subset_dp/probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "credible/averages/compensated_sum.hpp"
#include "credible/subset_dp/tuning.hpp"

namespace bayesloom::credible {

namespace {

using tuning::bins;

/// How many ways lead on from each live set, or their weight, for t in each of a few intervals. Threads
/// share the live sets of one size, which have numbers in a row.
class Ways {
 public:
  Ways(std::span<Part const> parts, Fixed max_loss, bool by_weight, std::size_t threads)
      : width_(static_cast<double>(max_loss + 1) / bins),
        by_weight_(by_weight),
        behind_(parts.size()) {
    for (std::size_t p = parts.size(); p-- > 0;) {
      auto const& live = parts[p].live;
      behind_[p].resize(live.size() * bins, 0.0);
      for (std::uint32_t end = live.size(); end > 0;) {  // children have larger numbers
        std::uint32_t begin = end - 1;
        while (begin > 0 && live.set(begin - 1).size() == live.set(end - 1).size()) --begin;
        std::size_t const each = tuning::live_per_task, count = end - begin;
        std::size_t const tasks = (count + each - 1) / each;
        parallel_for(tasks > 4 ? threads : 1, tasks, [&](std::size_t task, std::size_t) {
          for (std::size_t i = task * each; i < std::min(count, (task + 1) * each); ++i)
            sum_up(parts, p, begin + static_cast<std::uint32_t>(i));
        });
        end = begin;
      }
    }
  }

  /// Never zero for a step that fits.
  double behind(std::size_t part, Step const& step, Fixed t) const {
    auto const bin = static_cast<std::size_t>(static_cast<double>(t - step.delta) / width_);
    double const weight = by_weight_ ? std::exp(-to_nats(step.delta)) : 1.0;
    return weight * behind_[part][step.child * bins + std::min(bin, bins - 1)];
  }

 private:
  void sum_up(std::span<Part const> parts, std::size_t p, std::uint32_t u) {
    auto const& live = parts[p].live;
    double* const here = behind_[p].data() + u * bins;
    if (live.last(u)) {
      // What matters is how the ways depend on t; their number would grow without end.
      for (std::size_t b = 0; b < bins; ++b)
        here[b] = p + 1 < parts.size() ? behind_[p + 1][b] / behind_[p + 1][bins - 1] : 1.0;
      return;
    }
    for (auto const& step : live.steps(u)) {
      double const lost = static_cast<double>(step.delta) / width_;
      double const weight = by_weight_ ? std::exp(-to_nats(step.delta)) : 1.0;
      double const* const there = behind_[p].data() + step.child * bins;
      for (auto b = static_cast<std::size_t>(lost); b < bins; ++b)
        here[b] +=
            weight *
            there[static_cast<std::size_t>(std::max(0.0, static_cast<double>(b) + 0.5 - lost))];
    }
  }

  double const width_;
  bool const by_weight_;
  std::vector<std::vector<double>> behind_;  // by part, then live set, then interval of t
};

class Probe {
 public:
  struct Taken {
    std::size_t part;
    Step const* step;
  };

  Probe(std::span<Part const> parts, Fixed max_loss, bool by_weight, std::size_t threads)
      : parts_(parts), max_loss_(max_loss), ways_(parts, max_loss, by_weight, threads) {}

  /// Removes the sinks of a network one after the other; its weight.
  double run(Rng& rng) {
    taken_.clear();
    double weight = 1;
    Fixed t = max_loss_;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      auto const& live = parts_[part].live;
      std::size_t const begin = taken_.size();
      for (std::uint32_t u = 0; !live.last(u);) {
        auto const steps = live.steps(u);
        sums_.clear();
        double sum = 0;
        for (std::size_t i = 0; i < steps.size() && steps[i].delta <= t; ++i)
          sums_.push_back(sum += ways_.behind(part, steps[i], t));
        auto const way = std::min(
            static_cast<std::size_t>(
                std::upper_bound(sums_.begin(), sums_.end(), rng.uniform() * sum) - sums_.begin()),
            sums_.size() - 1);
        weight *= sum / (sums_[way] - (way == 0 ? 0.0 : sums_[way - 1]));
        taken_.push_back({part, &steps[way]});
        t -= steps[way].delta;
        u = steps[way].child;
      }
      // Backwards the network grows from nothing: those without children among the variables left.
      VarSet without_children;
      for (std::size_t i = taken_.size(); i-- > begin;) {
        Step const& step = *taken_[i].step;
        without_children = (without_children - step.set).with(step.x);
        weight /= static_cast<double>(without_children.size());
      }
    }
    loss_ = to_nats(max_loss_ - t);
    return weight;
  }

  std::span<Taken const> taken() const { return taken_; }
  double loss() const { return loss_; }

 private:
  std::span<Part const> parts_;
  Fixed const max_loss_;
  Ways const ways_;
  std::vector<Taken> taken_;
  std::vector<double> sums_;
  double loss_ = 0;
};

/// Mean and spread of what probes are worth.
struct Spread {
  CompensatedSum sum, squares;
  std::uint64_t probes = 0;

  void add(double value) {
    sum.add(value);
    squares.add(value * value);
    ++probes;
  }
  /// How many equal values would be as good.
  double effective() const {
    return squares.value() > 0 ? sum.value() * sum.value() / squares.value() : 0.0;
  }
};

}  // namespace

CountEstimate estimate_count(std::span<Part const> parts, Fixed max_loss, std::uint64_t probes,
                             Rng& rng, std::size_t threads, Control& control) {
  Probe probe(parts, max_loss, false, threads);
  Spread spread;
  do spread.add(probe.run(rng));
  while (spread.probes < probes && !control.should_stop(1));
  auto const m = static_cast<double>(spread.probes);
  CountEstimate estimate{spread.sum.value() / m, std::numeric_limits<double>::infinity(),
                         spread.probes, spread.effective()};
  if (m > 1)
    estimate.error = std::sqrt(
        std::max(0.0, spread.squares.value() / m - estimate.count * estimate.count) / (m - 1));
  return estimate;
}

WeightEstimate estimate_weights(std::span<Part const> parts, Fixed max_loss, std::uint64_t probes,
                                Rng& rng, std::size_t threads, Control& control) {
  WeightEstimate estimate;
  for (auto const& part : parts) {
    auto& variables = estimate.shares.emplace_back();
    for (auto const& choices : part.component.lists) variables.emplace_back(choices.size(), 0.0);
  }
  Probe probe(parts, max_loss, true, threads);
  Spread spread;
  do {
    double const weight = probe.run(rng) * std::exp(-probe.loss());
    spread.add(weight);
    for (auto const& [part, step] : probe.taken())
      estimate.shares[part][step->x][step->choice] += weight;
  } while (spread.probes < probes && !control.should_stop(1));
  for (auto& variables : estimate.shares)
    for (auto& choices : variables)
      for (double& share : choices) share /= spread.sum.value();
  estimate.effective = spread.effective();
  return estimate;
}

}  // namespace bayesloom::credible
