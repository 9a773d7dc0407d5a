#include "dual/smoothed_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dual/cut.hpp"
#include "dual/options.hpp"

namespace bayesloom::dual {

SmoothedBound::SmoothedBound(Problem const& problem, double temperature, WideVarSet const* moved)
    : universe_(*problem.universe),
      temperature_(temperature),
      kernel_(*weight_kernel()),
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
      origin_.push_back(problem.origin[c]);
    }
    end_[i] = weights_.size();
  }
  add_cuts(problem, moved);
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

void SmoothedBound::add_cuts(Problem const& problem, WideVarSet const* moved) {
  for (auto const& cut : problem.cuts) {
    cut_first_.push_back(cut_members_.size());
    cut_prices_.push_back(static_cast<double>(cut.price));
    double need = static_cast<double>(cut.need);
    for (auto const& member : cut.rule->members) {
      Index const i = member.variable;
      if (begin_[i] == end_[i]) continue;
      std::size_t const first = cut_weights_.size();
      for (std::size_t c = begin_[i]; c < end_[i]; ++c)
        cut_weights_.push_back(cut.rule->weight(member, origin_[c]));
      auto const [least, most] = std::minmax_element(
          cut_weights_.begin() + static_cast<std::ptrdiff_t>(first), cut_weights_.end());
      if (*least == *most) {
        need -= *least;
        cut_weights_.resize(first);
        continue;
      }
      bool const fresh = !moved || cut.price == 0 || moved->contains(i);
      cut_members_.push_back({i, first, *least, *most, fresh ? -1.0 : 0.0});
    }
    cut_needs_.push_back(need);
  }
  cut_first_.push_back(cut_members_.size());
}

bool SmoothedBound::cut_balanced(std::size_t k) const {
  for (std::size_t m = cut_first_[k]; m < cut_first_[k + 1]; ++m)
    if (drift_[cut_members_[m].variable] - cut_members_[m].seen > smoothing.least_drift)
      return false;
  return true;
}

double SmoothedBound::cut_step(std::size_t k) {
  double const wanted = cut_needs_[k];
  std::size_t const from = cut_first_[k], to = cut_first_[k + 1];
  // By member: its weight by weight in the cut, from the least to the most, one after the other.
  inside_.clear();
  double least = 0;
  unsigned top = 0;
  for (std::size_t m = from; m < to; ++m) {
    auto const& member = cut_members_[m];
    std::size_t const at = inside_.size();
    inside_.resize(at + member.most - member.least + 1, 0);
    double total = 0;
    for (std::size_t c = begin_[member.variable], w = member.first; c < end_[member.variable];
         ++c, ++w) {
      inside_[at + cut_weights_[w] - member.least] += weights_[c];
      total += weights_[c];
    }
    for (std::size_t w = at; w < inside_.size(); ++w) inside_[w] /= total;
    least += member.least;
    top = std::max(top, member.most - member.least);
  }
  // Mean weights at exp(x): their sum rises with x.
  powers_.assign(top + 1, 1);
  auto const raise = [&](double x) {
    double const f = std::exp(x);
    for (unsigned w = 1; w <= top; ++w) powers_[w] = powers_[w - 1] * f;
  };
  bool const level = least >= wanted;
  double const longest = smoothing.longest_step / std::max(1U, top);
  double const lowest = std::max(-cut_prices_[k] / temperature_, -longest);
  double low = lowest, high = longest, x = level ? lowest : std::clamp(0.0, low, high);
  for (int round = 0; round < smoothing.newton_steps && !level; ++round) {
    raise(x);
    double sum = least, slope = 0;
    std::size_t at = 0;
    for (std::size_t m = from; m < to; ++m) {
      unsigned const count = cut_members_[m].most - cut_members_[m].least + 1;
      double total = 0, first = 0, second = 0;
      for (unsigned w = 0; w < count; ++w) {
        double const share = inside_[at + w] * powers_[w];
        total += share;
        first += share * w;
        second += share * w * w;
      }
      at += count;
      double const mean = first / total;
      sum += mean;
      slope += second / total - mean * mean;
    }
    if (std::abs(sum - wanted) < smoothing.newton_sum) break;
    (sum > wanted ? high : low) = x;
    if (high - low < smoothing.newton_step) break;
    double const next = slope > 1e-12 ? x - (sum - wanted) / slope : low - 1;
    x = next > low && next < high ? next : (low + high) / 2;
  }
  if (std::abs(x) < smoothing.least_step) {
    for (std::size_t m = from; m < to; ++m) cut_members_[m].seen = drift_[cut_members_[m].variable];
    return 0;
  }
  raise(x);
  for (std::size_t m = from; m < to; ++m) {
    auto& member = cut_members_[m];
    double total = 0;
    for (std::size_t c = begin_[member.variable], w = member.first; c < end_[member.variable];
         ++c, ++w) {
      weights_[c] *= powers_[cut_weights_[w] - member.least];
      total += weights_[c];
    }
    for (std::size_t c = begin_[member.variable]; c < end_[member.variable]; ++c)
      weights_[c] /= total;
    drift_[member.variable] += std::abs(x) * (member.most - member.least);
    member.seen = drift_[member.variable];
    stale_ = stale_ || drift_[member.variable] > smoothing.longest_drift;
  }
  cut_prices_[k] = std::max(0.0, cut_prices_[k] + x * temperature_);
  return std::abs(x);
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
    std::size_t const first = begin_[member.variable];
    auto const [in, out] = kernel_.sums(weights_.data() + first, masks_.data() + first * words,
                                        end_[member.variable] - first, local, words, member.test);
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
    double const in = scale / totals_[m];
    std::size_t const first = begin_[member.variable];
    kernel_.scale(weights_.data() + first, masks_.data() + first * words,
                  end_[member.variable] - first, local, words, member.test, {in, in * f});
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
  for (std::size_t k = 0; k + 1 < cut_first_.size() && !stale_ && !control.should_stop(); ++k)
    if (!cut_balanced(k)) most = std::max(most, cut_step(k));
  return most;
}

FractionalNetwork SmoothedBound::fractional_network(Problem const& problem) const {
  FractionalNetwork out(problem);
  for (Index const i : problem.variables)
    out.add(i, std::span(weights_).subspan(begin_[i], end_[i] - begin_[i]),
            masks_.data() + begin_[i] * universe_.words, fractions.least_share,
            origin_.data() + begin_[i]);
  return out;
}

void SmoothedBound::add_moved(Problem const& problem, WideVarSet& moved) const {
  for (Index const i : problem.variables)
    if (drift_[i] > 0) moved.insert(i);
}

void SmoothedBound::apply(Problem& problem) const {
  for (std::size_t k = 0; k < problem.clusters.size(); ++k)
    problem.reprice(k, static_cast<Fixed>(std::llround(prices_[k])) - problem.clusters[k].price);
  for (std::size_t k = 0; k < problem.cuts.size(); ++k)
    problem.reprice_cut(k,
                        static_cast<Fixed>(std::llround(cut_prices_[k])) - problem.cuts[k].price);
}

}  // namespace bayesloom::dual
