#include "credible/subset_dp/states.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

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
    std::size_t count = 0;
    for (std::uint32_t u = 0; u < part.live.size(); ++u) count += part.live.steps(u).size();
    auto& weights = weights_.emplace_back(count);
    Step const* const steps = count == 0 ? nullptr : part.live.steps(0).data();
    std::size_t const tasks = (count + tuning::weights_per_task - 1) / tuning::weights_per_task;
    // One thread for what is little.
    parallel_for(tasks > 4 ? threads : 1, tasks, [&](std::size_t task, std::size_t) {
      std::size_t const begin = task * tuning::weights_per_task;
      for (std::size_t i = begin; i < std::min(count, begin + tuning::weights_per_task); ++i)
        weights[i] = std::exp(-to_nats(steps[i].delta));
    });
  }
}

std::optional<Tally> States::count(Fixed t, Control& control) {
  control_ = &control;
  std::optional<Tally> all;
  // A small set is counted before threads would have begun.
  Worker alone{.left = threads_ > 1 ? tuning::states_alone : 0};
  if (Tally const found = begin_part(alone, 0, t); !alone.ended) {
    all = found;
  } else if (!control.stopped()) {
    auto const open = frontier(t);
    parallel_for(threads_, open.size(), control, [&](std::size_t task, std::size_t) {
      Worker worker;
      tally(worker, open[task].part, open[task].u, open[task].barred, open[task].t);
      control.should_stop(worker.unreported);
    });
    alone = Worker{};
    all = begin_part(alone, 0, t);
  }
  control.should_stop(alone.unreported);
  if (control.stopped()) all.reset();
  control_ = nullptr;
  return all;
}

std::vector<States::Open> States::frontier(Fixed t) const {
  std::vector<Open> open{{0, 0, VarSet(), t}}, next;
  auto const expand = [&](Open const& state) {
    auto const& live = parts_[state.part].live;
    for (auto const& step : live.steps(state.u)) {
      if (step.delta > state.t) break;
      VarSet barred;
      if (state.barred.contains(step.x)) continue;
      if (!bar_after(live.set(state.u), state.barred, step, barred)) continue;
      Open below{state.part, step.child, barred, state.t - step.delta};
      if (live.last(step.child)) {
        if (state.part + 1 == parts_.size()) continue;  // a network: nothing is left to count
        below = {state.part + 1, 0, VarSet(), below.t};
      }
      next.push_back(below);
    }
  };
  while (!open.empty() && open.size() < tuning::open_states) {
    next.clear();
    for (auto const& state : open) expand(state);
    std::ranges::sort(next);
    auto const twice = std::ranges::unique(next);
    next.erase(twice.begin(), twice.end());
    open.swap(next);
  }
  // Those with most loss left first, as one thread would come by them: what is remembered of the states
  // below then holds for longer intervals. In random order it takes twice the time.
  std::ranges::stable_sort(open, std::greater<>(), &Open::t);
  return open;
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
  if (over(worker)) return found;
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
    if (over(worker)) return sum;
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
    if (worker.left > 0) {
      worker.left -= std::min(worker.left, stride);
      worker.ended = worker.left == 0;
    }
  }
  if (u != 0) table_.remember(base_[part] + u, barred, sum);
  return sum;
}

}  // namespace bayesloom::credible
