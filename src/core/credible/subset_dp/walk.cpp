#include "credible/subset_dp/walk.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "credible/subset_dp/tuning.hpp"

namespace bayesloom::credible {

Walk::Walk(std::span<Part const> parts, Fixed max_loss, States const* states)
    : parts_(parts), states_(states), max_loss_(max_loss) {
  std::size_t total = 0;
  for (auto const& part : parts) {
    first_.push_back(total);
    total += part.component.size();
  }
  choices_.resize(total);
  stack_.reserve(total + 1);
  restart();
}

void Walk::restart() {
  stack_.clear();
  stack_.push_back({0, 0, VarSet(), max_loss_});
}

bool Walk::worth_entering(std::uint32_t part, std::uint32_t u, VarSet barred, Fixed t) const {
  if (states_ == nullptr || parts_[part].live.set(u).size() < tuning::few_left) return true;
  return !states_->dead(part, u, barred, t);
}

bool Walk::advance(Frame& here, Frame& behind) {
  auto const& live = parts_[here.part].live;
  auto const steps = live.steps(here.u);
  while (here.at < steps.size() && steps[here.at].delta <= here.t) {
    Step const& step = steps[here.at++];
    if (here.barred.contains(step.x)) continue;
    if (!bar_after(live.set(here.u), here.barred, step, behind.barred)) continue;
    behind.part = here.part;
    behind.u = step.child;
    behind.t = here.t - step.delta;
    behind.at = 0;
    choices_[first_[here.part] + step.x] = step.choice;
    return true;
  }
  return false;
}

bool Walk::next() {
  while (!stack_.empty()) {
    Frame behind{};
    if (!advance(stack_.back(), behind)) {
      stack_.pop_back();
      continue;
    }
    if (!parts_[behind.part].live.last(behind.u)) {
      if (!worth_entering(behind.part, behind.u, behind.barred, behind.t)) continue;
      ++work_;
      stack_.push_back(behind);
      continue;
    }
    if (behind.part + std::size_t{1} < parts_.size()) {
      stack_.push_back({behind.part + 1, 0, VarSet(), behind.t});
      continue;
    }
    loss_ = max_loss_ - behind.t;
    return true;
  }
  return false;
}

Tally Walk::tally_of(Frame const& frame) const {
  auto const found = states_->below(frame.part, frame.u, frame.barred, frame.t);
  if (!found) throw InternalError("a state of the credible set was not counted.");
  return *found;
}

void Walk::seek(Count rank) {
  restart();
  if (rank >= tally_of(stack_.back()).count) {
    stack_.clear();
    return;
  }
  while (rank > 0) {
    Frame& here = stack_.back();
    Frame behind{};
    std::uint32_t before = here.at;
    while (advance(here, behind)) {
      Count const count = tally_of(behind).count;
      if (rank < count) break;
      rank -= count;
      before = here.at;
    }
    if (rank == 0 || parts_[behind.part].live.last(behind.u)) {
      if (rank == 0) here.at = before;
      if (rank == 0 || behind.part + std::size_t{1} == parts_.size()) return;
      stack_.push_back({behind.part + 1, 0, VarSet(), behind.t});
    } else {
      stack_.push_back(behind);
    }
  }
}

void Walk::draw_even(Rng& rng) {
  restart();
  Count const all = tally_of(stack_.back()).count;
  // By 53 random bits: beyond 2^53 networks some are never drawn, which no mean of draws can tell.
  auto const rank = static_cast<Count>(rng.uniform() * static_cast<double>(all));
  seek(std::min(rank, all - 1));
  next();
}

void Walk::draw(Rng& rng) {
  restart();
  Frame here = stack_.back();
  std::vector<double> sums;
  std::vector<Frame> ways;
  while (true) {
    double sum = 0;
    sums.clear();
    ways.clear();
    double const* const weights = states_->weights(here.part, here.u);
    for (Frame behind{}; advance(here, behind);) {
      Tally const tally = tally_of(behind);
      if (tally.count == 0) continue;
      sum += weights[here.at - 1] * tally.weight;
      sums.push_back(sum);
      ways.push_back(behind);
      ways.back().at = here.at - 1;
    }
    double const drawn = rng.uniform() * sum;
    std::size_t way = 0;
    while (way + 1 < ways.size() && sums[way] <= drawn) ++way;
    Step const& step = parts_[here.part].live.steps(here.u)[ways[way].at];
    choices_[first_[here.part] + step.x] = step.choice;
    here = ways[way];
    here.at = 0;
    if (!parts_[here.part].live.last(here.u)) continue;
    if (here.part + std::size_t{1} == parts_.size()) break;
    here = {here.part + 1, 0, VarSet(), here.t};
  }
  loss_ = max_loss_ - here.t;
  stack_.clear();
}

}  // namespace bayesloom::credible
