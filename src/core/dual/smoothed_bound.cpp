#include "dual/smoothed_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dual/options.hpp"

namespace bayesloom::dual {

SmoothedBound::SmoothedBound(Problem const& problem, double temperature, WideVarSet const* moved)
    : universe_(*problem.universe),
      temperature_(temperature),
      begin_(universe_.n, 0),
      end_(universe_.n, 0),
      drift_(universe_.n, 0) {
  std::size_t const words = universe_.words;
  for (Index const i : problem.variables) {
    begin_[i] = weights_.size();
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c) {
      double const below = static_cast<double>(problem.priced[c] - problem.best[i]) / temperature;
      if (below < -smoothing.reach) continue;
      weights_.push_back(std::exp(below));
      masks_.insert(masks_.end(), problem.mask(c), problem.mask(c) + words);
    }
    end_[i] = weights_.size();
  }
  for (auto const& cluster : problem.clusters) {
    first_.push_back(members_.size());
    needs_.push_back(cluster.need);
    prices_.push_back(static_cast<double>(cluster.price));
    LocalInequality const& inequality = problem.local(cluster);
    inequalities_.push_back(cluster.local);
    for (auto const& member : inequality.members) {
      bool const fresh = !moved || cluster.price == 0 || moved->contains(member.variable);
      members_.push_back({member.variable, inequality.masks.data() + member.first, member.test,
                          fresh ? -1.0 : 0.0});
    }
  }
  first_.push_back(members_.size());
}

bool SmoothedBound::balanced(std::size_t k) const {
  for (std::size_t m = first_[k]; m < first_[k + 1]; ++m)
    if (drift_[members_[m].variable] - members_[m].seen > smoothing.least_drift) return false;
  return true;
}

double SmoothedBound::step(std::size_t k) {
  std::size_t const words = universe_.words;
  std::size_t const need = needs_[k];
  double const wanted = static_cast<double>(need);
  std::size_t const count = first_[k + 1] - first_[k];
  outside_.resize(count);
  inside_.resize(count);
  totals_.resize(count);
  std::size_t never_inside = 0;
  for (std::size_t m = 0; m < count; ++m) {
    auto const& member = members_[first_[k] + m];
    Word const* const local = member.local;
    double in = 0, out = 0;
    with_test(masks_.data(), local, words, member.test, [&](auto&& is_blocked) {
      for (std::size_t c = begin_[member.variable], stop = end_[member.variable]; c < stop; ++c) {
        double const weight = weights_[c];
        bool const blocked = is_blocked(c);
        in += blocked ? weight : 0.0;
        out += blocked ? 0.0 : weight;
      }
    });
    double const total = totals_[m] = in + out;
    inside_[m] = in / total;
    outside_[m] = out / total;
    if (inside_[m] <= 0) ++never_inside;
  }
  bool const level = never_inside >= need;  // the inequality holds anyway: the price goes
  // Newton on the logarithm of f, kept within bounds: the sum of shares rises with it.
  double const lowest = std::max(-prices_[k] / temperature_, -smoothing.longest_step);
  double low = lowest, high = smoothing.longest_step,
         x = level ? lowest : std::clamp(0.0, low, high);
  for (int round = 0; round < smoothing.newton_steps && !level; ++round) {
    double const f = std::exp(x);
    double sum = 0, slope = 0;
    for (std::size_t m = 0; m < count; ++m) {
      double const share = outside_[m] * f / (outside_[m] * f + inside_[m]);
      sum += share;
      slope += share * (1 - share);
    }
    if (std::abs(sum - wanted) < smoothing.newton_sum) break;
    (sum > wanted ? high : low) = x;
    if (high - low < smoothing.newton_step) break;
    double const next = slope > 1e-12 ? x - (sum - wanted) / slope : low - 1;
    x = next > low && next < high ? next : (low + high) / 2;
  }
  if (std::abs(x) < smoothing.least_step) {
    for (std::size_t m = first_[k]; m < first_[k + 1]; ++m)
      members_[m].seen = drift_[members_[m].variable];
    return 0;
  }
  double const f = std::exp(x);
  for (std::size_t m = 0; m < count; ++m) {
    auto& member = members_[first_[k] + m];
    Word const* const local = member.local;
    double const scale = 1 / (outside_[m] * f + inside_[m]);
    double const in = scale / totals_[m], out = in * f;
    with_test(masks_.data(), local, words, member.test, [&](auto&& is_blocked) {
      for (std::size_t c = begin_[member.variable], stop = end_[member.variable]; c < stop; ++c)
        weights_[c] *= is_blocked(c) ? in : out;
    });
    drift_[member.variable] += std::abs(x);
    member.seen = drift_[member.variable];
    stale_ = stale_ || drift_[member.variable] > smoothing.longest_drift;
  }
  prices_[k] = std::max(0.0, prices_[k] + x * temperature_);
  return std::abs(x);
}

double SmoothedBound::pass(Control& control) {
  double most = 0;
  for (std::size_t k = 0; k + 1 < first_.size() && !stale_ && !control.should_stop(); ++k)
    if (!balanced(k)) most = std::max(most, step(k));
  return most;
}

FractionalNetwork SmoothedBound::fractional_network(Problem const& problem) const {
  FractionalNetwork out(problem);
  for (Index const i : problem.variables)
    out.add(i, std::span(weights_).subspan(begin_[i], end_[i] - begin_[i]),
            masks_.data() + begin_[i] * universe_.words);
  return out;
}

void SmoothedBound::add_moved(Problem const& problem, WideVarSet& moved) const {
  for (Index const i : problem.variables)
    if (drift_[i] > 0) moved.insert(i);
}

void SmoothedBound::apply(Problem& problem) const {
  for (std::size_t k = 0; k < problem.clusters.size(); ++k)
    problem.reprice(k, static_cast<Fixed>(std::llround(prices_[k])) - problem.clusters[k].price);
}

}  // namespace bayesloom::dual
