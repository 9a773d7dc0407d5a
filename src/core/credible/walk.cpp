#include "credible/walk.hpp"

namespace bayesloom::credible {

Walk::Walk(std::span<Part const> parts, Fixed slack, States const* states)
    : parts_(parts), states_(states), slack_(slack) {
  std::size_t total = 0;
  for (auto const& part : parts) {
    first_.push_back(total);
    total += part.component.size();
  }
  choices_.resize(total);
  stack_.reserve(total + 1);
  stack_.push_back({0, 0, 0, slack, 0});
}

bool Walk::worth_entering(std::uint32_t part, std::uint32_t u, Set barred, Fixed t) const {
  if (states_ == nullptr) return true;
  Tally const* const known = states_->find(part, u, barred, t);
  return known == nullptr || known->count != 0;
}

bool Walk::next() {
  while (!stack_.empty()) {
    Frame& here = stack_.back();
    auto const& live = parts_[here.part].live;
    auto const steps = live.steps(here.u);
    if (here.at == steps.size() || steps[here.at].delta > here.t) {
      stack_.pop_back();
      continue;
    }
    Step const& step = steps[here.at++];
    if ((here.barred >> step.x & 1) != 0) continue;
    auto const barred = barred_after(live.set(here.u), here.barred, step);
    if (!barred) continue;
    Fixed const t = here.t - step.delta;
    if (!live.last(step.child)) {
      if (!worth_entering(here.part, step.child, *barred, t)) continue;
      choices_[first_[here.part] + step.x] = step.choice;
      ++work_;
      stack_.push_back({here.part, step.child, *barred, t, 0});
      continue;
    }
    choices_[first_[here.part] + step.x] = step.choice;
    if (here.part + std::size_t{1} < parts_.size()) {
      stack_.push_back({here.part + 1, 0, 0, t, 0});
      continue;
    }
    loss_ = slack_ - t;
    return true;
  }
  return false;
}

}  // namespace bayesloom::credible
