#include "credible/states.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/errors.hpp"
#include "credible/compensated_sum.hpp"

namespace bayesloom::credible {

States::States(std::span<Part const> parts, Fixed slack, double memory_bytes)
    : parts_(parts),
      slack_(slack),
      memory_bytes_(memory_bytes),
      slots_(std::size_t{1} << 10, Slot{0, none, none}),
      beginnings_(parts.size()) {
  std::uint32_t base = 0;
  for (auto const& part : parts) {
    base_.push_back(base);
    base += part.live.size();
    auto& weights = weights_.emplace_back();
    for (std::uint32_t u = 0; u < part.live.size(); ++u)
      for (auto const& step : part.live.steps(u)) weights.push_back(std::exp(-to_nats(step.delta)));
  }
}

std::optional<Tally> States::count(Control& control) {
  control_ = &control;
  Tally const all = begin_part(0, slack_);
  control_ = nullptr;
  if (control.stopped()) return std::nullopt;
  return all;
}

Tally States::begin_part(std::size_t part, Fixed t) {
  if (part == parts_.size()) return {0, no_loss, 1, 1.0};
  auto& known = beginnings_[part];
  auto after = known.upper_bound(t);
  if (after != known.begin() && t < std::prev(after)->second.below) return std::prev(after)->second;
  Tally const found = tally(part, 0, 0, t);
  if (control_->stopped()) return found;
  auto const [at, fresh] = known.try_emplace(found.from, found);
  if (!fresh)
    at->second.below = std::max(at->second.below, found.below);
  else
    ++beginning_count_;
  return found;
}

Tally States::tally(std::size_t part, std::uint32_t u, Set barred, Fixed t) {
  auto const& live = parts_[part].live;
  if (live.last(u)) return begin_part(part + 1, t);
  if (u != 0)  // the root is remembered by begin_part
    if (Tally const* known = find(part, u, barred, t)) return *known;

  Set const set = live.set(u);
  auto const steps = live.steps(u);
  double const* const weights =
      weights_[part].data() + (steps.data() - live.steps(0).data());
  Tally sum;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step const& step = steps[i];
    if (step.delta > t) {
      sum.below = std::min(sum.below, step.delta);
      break;
    }
    if ((barred >> step.x & 1) != 0) continue;
    auto const next = barred_after(set, barred, step);
    if (!next) continue;
    Tally const below = tally(part, step.child, *next, t - step.delta);
    if (control_->stopped()) return sum;
    if (below.count != 0) {
      if (__builtin_add_overflow(sum.count, below.count, &sum.count))
        throw ResourceError("there are more than 2^128 credible networks: too many to count.");
      sum.mass += weights[i] * below.mass;
      sum.from = std::max(sum.from, below.from + step.delta);
    }
    sum.below = std::min(sum.below, below.below + step.delta);
  }
  control_->should_stop(1);
  if (u != 0) remember(part, u, barred, sum);
  return sum;
}

States::Slot const* States::slot(std::uint32_t u, Set barred) const {
  std::size_t const mask = slots_.size() - 1;
  for (std::size_t at = hash(u, barred) & mask;; at = (at + 1) & mask) {
    Slot const& found = slots_[at];
    if (found.u == none || (found.u == u && found.barred == barred)) return &found;
  }
}

Tally const* States::find(std::size_t part, std::uint32_t u, Set barred, Fixed t) const {
  Slot const* const found = slot(base_[part] + u, barred);
  if (found->u == none) return nullptr;
  for (std::uint32_t at = found->head; at != none; at = next_[at]) {
    Tally const& known = tallies_[at];
    if (known.from <= t && t < known.below) return &known;
  }
  return nullptr;
}

void States::remember(std::size_t part, std::uint32_t u, Set barred, Tally const& tally) {
  auto* const here = const_cast<Slot*>(slot(base_[part] + u, barred));
  if (here->u != none)
    for (std::uint32_t at = here->head; at != none; at = next_[at])
      if (tallies_[at].from == tally.from && tallies_[at].count == tally.count) {
        // The same networks, seen from further away: the interval is longer than was known.
        tallies_[at].below = std::max(tallies_[at].below, tally.below);
        return;
      }
  double const bytes = 2.0 * static_cast<double>(slots_.size()) * sizeof(Slot) +
                       static_cast<double>(tallies_.capacity()) * (sizeof(Tally) + sizeof next_[0]) +
                       static_cast<double>(beginning_count_) * 128;
  if (tallies_.size() == none - 1 || (bytes > memory_bytes_ && tallies_.size() == tallies_.capacity())) {
    whole_ = false;
    return;
  }
  if (here->u == none) {
    *here = {barred, base_[part] + u, none};
    ++used_;
  }
  next_.push_back(here->head);
  here->head = static_cast<std::uint32_t>(tallies_.size());
  tallies_.push_back(tally);
  if (2 * used_ > slots_.size()) grow();
}

void States::grow() {
  std::vector<Slot> old(slots_.size() * 2, Slot{0, none, none});
  old.swap(slots_);
  for (auto const& moved : old)
    if (moved.u != none) *const_cast<Slot*>(slot(moved.u, moved.barred)) = moved;
}

std::optional<std::vector<std::vector<std::vector<double>>>> States::choice_masses(
    Control& control) const {
  // From the root on: `arrived` is the mass of all ways into a state, so that a step from it has the
  // mass arrived * exp(-delta) * (mass below). Within a part, states with larger U come first.
  std::vector<std::vector<std::vector<CompensatedSum>>> sums(parts_.size());
  std::map<Fixed, CompensatedSum> begins{{slack_, {}}};  // t at the part's beginning -> arrived
  begins.begin()->second.add(1.0);

  struct Arrival {
    std::uint32_t u;
    Set barred;
    Fixed t;
    double mass;
  };
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    auto const& live = parts_[p].live;
    for (auto const& choices : parts_[p].component.choices) sums[p].emplace_back(choices.size());
    // Arrivals at one tally are merged: any t of its interval stands for all.
    std::vector<Arrival> layer, below;
    std::map<Fixed, CompensatedSum> ends;
    for (auto const& [t, mass] : begins) layer.push_back({0, 0, t, mass.value()});
    while (!layer.empty() && !live.last(layer.front().u)) {
      std::vector<std::pair<Tally const*, std::size_t>> order;
      for (std::size_t i = 0; i < layer.size(); ++i) {
        Tally const* at = nullptr;
        if (layer[i].u == 0) {
          at = &std::prev(beginnings_[p].upper_bound(layer[i].t))->second;
        } else {
          at = find(p, layer[i].u, layer[i].barred, layer[i].t);
        }
        if (at == nullptr) throw InternalError("a state of the credible set was not counted.");
        order.emplace_back(at, i);
      }
      std::sort(order.begin(), order.end(), [](auto const& a, auto const& b) {
        return std::less<Tally const*>()(a.first, b.first) || (a.first == b.first && a.second < b.second);
      });
      below.clear();
      for (std::size_t i = 0; i < order.size();) {
        Tally const* const here = order[i].first;
        Arrival const& state = layer[order[i].second];
        CompensatedSum arrived;
        for (; i < order.size() && order[i].first == here; ++i)
          arrived.add(layer[order[i].second].mass);
        if (here->count == 0) continue;
        auto const steps = live.steps(state.u);
        for (auto const& step : steps) {
          if (step.delta > state.t) break;
          if ((state.barred >> step.x & 1) != 0) continue;
          auto const next = barred_after(live.set(state.u), state.barred, step);
          if (!next) continue;
          Fixed const t = state.t - step.delta;
          double const mass = arrived.value() * std::exp(-to_nats(step.delta));
          double behind = 1.0;
          if (!live.last(step.child)) {
            Tally const* const child = find(p, step.child, *next, t);
            if (child == nullptr) throw InternalError("a state of the credible set was not counted.");
            behind = child->mass;
            if (child->count != 0) below.push_back({step.child, *next, t, mass});
          } else {
            if (p + 1 < parts_.size()) {
              Tally const& rest = std::prev(beginnings_[p + 1].upper_bound(t))->second;
              behind = rest.mass;
              // One t per interval is enough here too.
              ends[rest.from].add(mass);
            }
          }
          sums[p][step.x][step.choice].add(mass * behind);
        }
        if (control.should_stop(steps.size())) return std::nullopt;
      }
      layer.swap(below);
    }
    begins = std::move(ends);
  }

  std::vector<std::vector<std::vector<double>>> masses(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (auto const& choices : sums[p]) {
      auto& list = masses[p].emplace_back();
      for (auto const& sum : choices) list.push_back(sum.value());
    }
  return masses;
}

}  // namespace bayesloom::credible
