#include "credible/subset_dp/states.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "credible/subset_dp/tuning.hpp"

namespace bayesloom::credible {

States::States(std::span<Part const> parts, Fixed max_loss, double memory_bytes,
               std::size_t threads)
    : parts_(parts),
      max_loss_(max_loss),
      threads_(threads),
      table_(memory_bytes, threads > 1),
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

std::optional<Tally> States::count(Fixed t, Control& control) {
  control_ = &control;
  done_ = false;
  Tally all;
  parallel_for(threads_, threads_, control, [&](std::size_t task, std::size_t) {
    Worker worker{task};
    Tally const found = begin_part(worker, 0, t);
    control.should_stop(worker.unreported);
    // Whoever is first has seen everything; the others find `done_` set and leave with less.
    if (!over() && !done_.exchange(true)) all = found;
  });
  control_ = nullptr;
  if (!done_) return std::nullopt;
  return all;
}

Tally const* States::Beginning::find(Fixed t) const {
  auto const after = tallies.upper_bound(t);
  if (after == tallies.begin() || t >= std::prev(after)->second.below) return nullptr;
  return &std::prev(after)->second;
}

std::optional<Tally> States::below(std::size_t part, std::uint32_t u, VarSet barred,
                                   Fixed t) const {
  if (parts_[part].live.last(u)) {
    if (part + 1 == parts_.size()) return Tally{0, no_loss, 1, 1.0};
    ++part;
    u = 0;
  }
  Tally const* const found = u == 0 ? beginnings_[part].find(t) : find(part, u, barred, t);
  if (found == nullptr) return std::nullopt;
  return *found;
}

Tally States::begin_part(Worker& worker, std::size_t part, Fixed t) {
  if (part == parts_.size()) return {0, no_loss, 1, 1.0};
  auto& known = beginnings_[part];
  {
    std::scoped_lock const lock(known.mutex);
    if (Tally const* const found = known.find(t)) return *found;
  }
  Tally const found = tally(worker, part, 0, VarSet(), t);
  if (over()) return found;
  std::scoped_lock const lock(known.mutex);
  auto const [at, fresh] = known.tallies.try_emplace(found.from, found);
  if (!fresh) at->second.below = std::max(at->second.below, found.below);
  return found;
}

Tally States::tally(Worker& worker, std::size_t part, std::uint32_t u, VarSet barred, Fixed t) {
  auto const& live = parts_[part].live;
  if (live.last(u)) return begin_part(worker, part + 1, t);
  if (u != 0)  // the root is remembered by begin_part
    if (auto const known = table_.known(base_[part] + u, barred, t)) return *known;
  if (worker.number != 0) look_ahead(worker, part, u, barred, t);

  VarSet const set = live.set(u);
  auto const steps = live.steps(u);
  double const* const weight = weights(part, u);
  Tally sum;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step const& step = steps[i];
    if (step.delta > t) {
      sum.below = std::min(sum.below, step.delta);
      break;
    }
    if (barred.contains(step.x)) continue;
    VarSet next;
    if (!bar_after(set, barred, step, next)) continue;
    Tally const below = tally(worker, part, step.child, next, t - step.delta);
    if (over()) return sum;
    if (below.count != 0) {
      sum.count = checked_sum(sum.count, below.count);
      sum.weight += weight[i] * below.weight;
      sum.from = std::max(sum.from, below.from + step.delta);
    }
    sum.below = std::min(sum.below, below.below + step.delta);
  }
  if (constexpr std::uint64_t stride = tuning::states_between_looks;
      ++worker.unreported == stride) {
    control_->should_stop(stride);
    worker.unreported = 0;
  }
  if (u != 0) table_.remember(base_[part] + u, barred, sum);
  return sum;
}

void States::look_ahead(Worker& worker, std::size_t part, std::uint32_t u, VarSet barred, Fixed t) {
  if (!whole()) return;  // what is not remembered would be counted twice
  auto const& live = parts_[part].live;
  auto const steps = live.steps(u);
  auto const fits = static_cast<std::size_t>(
      std::upper_bound(steps.begin(), steps.end(), t,
                       [](Fixed most, Step const& step) { return most < step.delta; }) -
      steps.begin());
  // Half of the threads go backwards; pairs of them begin at different places.
  std::size_t const begin = fits * (worker.number / 2) / ((threads_ + 1) / 2);
  for (std::size_t i = 0; i < fits && !over(); ++i) {
    std::size_t const turned = (i + begin) % fits;
    Step const& step = steps[worker.number % 2 == 1 ? fits - 1 - turned : turned];
    if (barred.contains(step.x)) continue;
    if (VarSet next; bar_after(live.set(u), barred, step, next))
      tally(worker, part, step.child, next, t - step.delta);
  }
}

}  // namespace bayesloom::credible
