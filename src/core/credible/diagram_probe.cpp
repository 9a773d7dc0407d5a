// Random walks down a diagram that need not be finished: an unbiased estimate of the number of
// networks.
//
// A walk settles variables as the diagram does, and takes branch g, among those that the bound does
// not exclude, with probability p_g; then one choice of the group with probability p_c. What is
// left falls into parts, which are walked one after the other, each with the loss that is left for
// it. With
//
//   W = product over steps of  1 / (p_g * p_c),   0 if the walk ends where nothing is in reach
//
// the mean of W is the number of networks [knuth1975]: each network is reached in one way only.
// Where a walk comes to a node that the diagram has finished, with exact losses, it takes a loss
// from its list with probability proportional to the networks there, and W times the number in
// reach: nothing is lost there. The p are exp(-rate * excess), a guess; a few walks have most of
// the weight, and `effective` tells how many of equal weight they are worth. The bounds are those
// that take little time: with prices, a walk dies sooner where it dies, and takes five times as
// long.
#include <algorithm>
#include <cmath>
#include <limits>

#include "credible/compensated_sum.hpp"
#include "credible/diagram.hpp"
#include "credible/wide_set.hpp"

namespace bayesloom::credible {

namespace {

constexpr double guessed_rate = 1.5;  // at which networks become more with the loss, per nat

double likelihood(Fixed excess) { return std::exp(-guessed_rate * to_nats(excess)); }

/// An index by weights that need not add up to 1.
std::size_t pick_one(std::vector<double> const& weights, double sum, Rng& rng) {
  double left = rng.uniform() * sum;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = i;
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return last;
}

}  // namespace

Diagram::Probe Diagram::probe(Fixed most, Fixed most_loss, Rng& rng, Control& control,
                              std::vector<std::uint32_t>* chosen) const {
  auto const parts = parts_within(whole_, {most, most_loss}, prices_, Care::little, control);
  if (!parts) return {0, 0};
  return probe_parts(*parts, {most, most_loss}, rng, control, chosen);
}

Diagram::Probe Diagram::probe_parts(std::vector<PartWithin> const& parts, Reach most, Rng& rng,
                                    Control& control, std::vector<std::uint32_t>* chosen) const {
  Probe all{1, 0};
  Reach spare = most;
  for (auto const& part : parts) {
    spare.excess -= part.least.excess;
    spare.loss -= part.least.loss;
  }
  for (auto const& part : parts) {
    Probe const one =
        probe_node(part, {part.least.excess + spare.excess, part.least.loss + spare.loss}, rng,
                   control, chosen);
    if (one.weight <= 0) return {0, 0};
    all.weight *= one.weight;
    all.loss += one.loss;
    spare.loss -= one.loss - part.least.loss;
  }
  return all;
}

Diagram::Probe Diagram::probe_node(PartWithin const& part, Reach most, Rng& rng, Control& control,
                                   std::vector<std::uint32_t>* chosen) const {
  Subproblem const& problem = part.problem;
  if (control.should_stop()) return {0, 0};
  if (auto const found = chosen ? known_.end() : known_.find(problem.key());
      found != known_.end()) {
    auto const& node = nodes_[found->second];
    if (node.most.excess >= most.excess && node.most.loss >= most.loss &&
        node.losses.error() == 0) {
      auto const entries = node.losses.entries();
      double sum = 0;
      std::vector<double> counts;
      for (auto const& entry : entries) {
        if (entry.loss > most.loss) break;
        counts.push_back(static_cast<double>(entry.count));
        sum += counts.back();
      }
      if (counts.empty()) return {0, 0};
      return {sum, entries[pick_one(counts, sum, rng)].loss};
    }
  }
  auto const in_reach = [&](std::uint32_t choice) {
    return flat_.excess[choice] <= most.excess && flat_.loss[choice] <= most.loss;
  };
  std::size_t const x = pick(problem);
  struct Way {
    std::vector<std::uint32_t> choices;
    std::vector<PartWithin> parts;
    Reach below;
  };
  std::vector<Way> ways;
  std::vector<double> weights;
  double sum = 0;
  auto const entries = problem.entries(x);
  for (std::size_t i = 0, end = 0; i < entries.size(); i = end) {
    Way way;
    Reach least{no_loss, no_loss};
    double weight = 0;
    for (end = i; end < entries.size() && entries[end].mask == entries[i].mask; ++end) {
      std::uint32_t const choice = entries[end].choice;
      if (!in_reach(choice)) continue;
      way.choices.push_back(choice);
      least = {std::min(least.excess, flat_.excess[choice]),
               std::min(least.loss, flat_.loss[choice])};
      weight += likelihood(flat_.excess[choice]);
    }
    if (way.choices.empty()) continue;
    way.below = {most.excess - least.excess, most.loss - least.loss};
    if (problem.size() > 1) {
      auto const left = problem.settled(x, entries[i].mask);
      if (!left) continue;
      auto parts = parts_within(*left, way.below, settled(part.prices, x, entries[i].mask),
                                Care::little, control);
      if (!parts) continue;
      for (auto const& each : *parts) weight *= likelihood(each.least.excess);
      way.parts = std::move(*parts);
    }
    sum += weight;
    weights.push_back(weight);
    ways.push_back(std::move(way));
  }
  if (ways.empty()) return {0, 0};
  std::size_t const taken = pick_one(weights, sum, rng);
  Way const& way = ways[taken];
  std::vector<double> own;
  double own_sum = 0;
  for (auto const choice : way.choices) {
    own.push_back(likelihood(flat_.excess[choice]));
    own_sum += own.back();
  }
  std::size_t const i = pick_one(own, own_sum, rng);
  Reach const left{most.excess - flat_.excess[way.choices[i]],
                   most.loss - flat_.loss[way.choices[i]]};
  Reach least{0, 0};
  for (auto const& each : way.parts)
    least = {least.excess + each.least.excess, least.loss + each.least.loss};
  if (least.excess > left.excess || least.loss > left.loss) return {0, 0};
  if (chosen) (*chosen)[flat_.variable[way.choices[i]]] = way.choices[i];
  Probe const rest = probe_parts(way.parts, left, rng, control, chosen);
  return {rest.weight * (sum / weights[taken]) * (own_sum / own[i]),
          rest.loss + flat_.loss[way.choices[i]]};
}

double WideSet::probe(Rng& rng, Control& control, Fixed& loss,
                      std::vector<std::vector<std::uint32_t>>* chosen) const {
  double weight = 1;
  Fixed spare = slack_;
  for (std::size_t p = 0; p < diagrams_.size() && weight > 0; ++p) {
    auto const one = diagrams_[p].probe(fixing_.gap + slack_, own_[p] + spare, rng, control,
                                        chosen ? &(*chosen)[p] : nullptr);
    weight *= one.weight;
    spare -= one.loss - own_[p];
  }
  loss = slack_ - spare;
  return weight;
}

CountEstimate WideSet::estimate(std::uint64_t probes, std::uint64_t seed, Control& control) const {
  Rng rng(seed);
  CompensatedSum sum, squares;
  std::uint64_t made = 0;
  while (made < probes && !control.stopped()) {
    Fixed loss = 0;
    double const weight = probe(rng, control, loss, nullptr);
    if (control.stopped() && made > 0) break;  // it was cut short
    sum.add(weight);
    squares.add(weight * weight);
    ++made;
  }
  auto const m = static_cast<double>(made);
  CountEstimate out{
      .count = 0, .error = std::numeric_limits<double>::infinity(), .probes = made, .effective = 0};
  if (made > 0) out.count = sum.value() / m;
  if (made > 1 && sum.value() > 0)  // walks that all fail say nothing
    out.error = std::sqrt(std::max(0.0, squares.value() / m - out.count * out.count) / (m - 1));
  if (squares.value() > 0) out.effective = sum.value() * sum.value() / squares.value();
  return out;
}

std::pair<std::vector<double>, double> WideSet::shares(std::uint64_t networks, std::uint64_t seed,
                                                       Control& control) const {
  std::vector<double> shares(cache_.candidate_count(), 0.0);
  std::vector<std::uint64_t> network(cache_.variable_count());
  double sum = 0, squares = 0;
  auto const add = [&](double mass) {
    for (auto const c : network) shares[c] += mass;
    sum += mass;
    squares += mass * mass;
  };
  if (counted_ && counted_->whole) {
    auto drawing = this->drawing(false, seed);
    for (std::uint64_t i = 0; i < networks && !control.should_stop(); ++i) {
      if (!drawing.draw(network)) break;
      add(1);
    }
  } else {
    Rng rng(seed);
    std::vector<std::vector<std::uint32_t>> chosen;
    for (auto const& component : components_) chosen.emplace_back(component.size(), 0);
    for (std::uint64_t i = 0; i < networks && !control.stopped(); ++i) {
      Fixed loss = 0;
      double const weight = probe(rng, control, loss, &chosen);
      if (weight <= 0 || control.stopped()) continue;
      candidates(chosen, network);
      add(weight * std::exp(-to_nats(loss)));
    }
  }
  if (sum > 0)
    for (double& share : shares) share /= sum;
  return {std::move(shares), squares > 0 ? sum * sum / squares : 0.0};
}

}  // namespace bayesloom::credible
