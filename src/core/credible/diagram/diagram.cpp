#include "credible/diagram/diagram.hpp"

#include <algorithm>

#include "credible/diagram/tuning.hpp"

namespace bayesloom::credible {

Diagram::Diagram(Component const& component, dual::ReducedCosts const& costs, double memory_bytes)
    : flat_(component, costs.reduced_cost),
      whole_(component),
      prices_(prices_of(costs.clusters, component)),
      gap_(costs.gap),
      memory_bytes_(memory_bytes) {}

bool Diagram::full() const { return bytes_ > memory_bytes_; }

bool Diagram::build(Fixed most, Fixed most_loss, Control& control) {
  step_ = std::max<Fixed>(1, most / tuning::limit_steps);
  easy_until_ = tuning::tight_gap * gap_ < most ? nodes_.size() + tuning::nodes_without_prices : 0;
  auto const parts = parts_within(whole_, {most, most_loss}, prices_, Care::much, control);
  std::vector<std::uint32_t> children;
  Node root{LossList(), {most, most_loss}, no_loss, 0, 0};
  if (parts) root.losses = product(*parts, {most, most_loss}, children, control);
  root.least = 0;
  for (auto const child : children) root.least += nodes_[child].least;
  if (root.losses.empty()) root.least = no_loss;
  root.first = static_cast<std::uint32_t>(branches_.size());
  branches_.push_back({0, 0, static_cast<std::uint32_t>(children_.size()),
                       static_cast<std::uint32_t>(children_.size() + children.size())});
  root.last = static_cast<std::uint32_t>(branches_.size());
  children_.insert(children_.end(), children.begin(), children.end());
  root_ = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(std::move(root));
  return !control.stopped() && !full();
}

std::optional<std::vector<Diagram::PartWithin>> Diagram::parts_within(Subproblem const& whole,
                                                                      Reach most,
                                                                      Prices const& inherited,
                                                                      Care care,
                                                                      Control& control) const {
  struct Part {
    Subproblem problem;
    Prices prices;
    Reach least{};
    std::vector<Fixed> reduced_cost{}, loss{};  // by entry, above the bound
    bool fresh = true;
  };
  std::vector<Part> parts;
  for (auto& problem : whole.split()) parts.push_back({std::move(problem), inherited});
  for (bool priced = false;;) {
    Reach total{0, 0};
    for (auto& part : parts) {
      if (part.fresh) {
        part.least.reduced_cost = part.problem.bound(
            flat_.reduced_cost, most.reduced_cost - total.reduced_cost, part.reduced_cost);
        if (part.least.reduced_cost > most.reduced_cost - total.reduced_cost) return std::nullopt;
        part.least.loss = part.problem.bound(flat_.loss, most.loss - total.loss, part.loss);
      }
      total.reduced_cost += part.least.reduced_cost;
      total.loss += part.least.loss;
      if (total.reduced_cost > most.reduced_cost || total.loss > most.loss) return std::nullopt;
    }
    // The long way once the short one has nothing more to say.
    for (auto& part : parts) {
      if (priced && care == Care::much && part.fresh &&
          part.problem.size() >= tuning::priced_from && !control.stopped()) {
        Fixed const others = total.loss - part.least.loss;
        auto found =
            price_bound(part.problem, flat_.loss, most.loss - others, part.prices, control);
        if (found.least > most.loss - others) return std::nullopt;
        part.prices = found.prices;
        if (found.least > part.least.loss) {
          part.least.loss = found.least;
          part.loss = std::move(found.above);
          total.loss = others + found.least;
        }
      }
      if (priced) part.fresh = false;
    }
    bool changed = false;
    std::vector<Part> next;
    for (auto& part : parts) {
      // One measure for both: what is over either limit is over this one.
      for (std::size_t e = 0; e < part.reduced_cost.size(); ++e)
        if (part.loss[e] > most.loss - total.loss) part.reduced_cost[e] = no_loss;
      if (part.problem.drop(part.reduced_cost, most.reduced_cost - total.reduced_cost) == 0) {
        next.push_back(std::move(part));
        continue;
      }
      changed = true;
      for (auto& problem : part.problem.split()) next.push_back({std::move(problem), part.prices});
    }
    parts = std::move(next);
    if (!changed && priced) break;
    priced = !changed;
  }
  std::vector<PartWithin> out;
  for (auto& part : parts)
    out.push_back({std::move(part.problem), part.least, std::move(part.prices)});
  return out;
}

LossList Diagram::product(std::vector<PartWithin> const& parts, Reach most,
                          std::vector<std::uint32_t>& children, Control& control) {
  // Small ones first: where one has nothing to offer the large ones need not be looked at.
  std::vector<PartWithin const*> order;
  for (auto const& part : parts) order.push_back(&part);
  std::stable_sort(order.begin(), order.end(), [&](PartWithin const* a, PartWithin const* b) {
    return a->problem.size() < b->problem.size();
  });
  Reach spare = most;
  for (auto const& part : parts) {
    spare.reduced_cost -= part.least.reduced_cost;
    spare.loss -= part.least.loss;
  }
  LossList all = LossList::one();
  Fixed rest = most.loss;  // for those looked at
  for (auto const& part : parts) rest -= part.least.loss;
  for (PartWithin const* const part : order) {
    std::uint32_t const child =
        node(*part, {part->least.reduced_cost + spare.reduced_cost, part->least.loss + spare.loss},
             control);
    LossList const& losses = nodes_[child].losses;
    if (losses.empty()) return {};
    rest += part->least.loss;
    all = all.times(losses, rest);
    if (all.empty()) return all;
    spare.loss -= nodes_[child].least - part->least.loss;
    if (spare.loss < 0) return {};
    children.push_back(child);
  }
  return all;
}

std::uint32_t Diagram::leaf(Subproblem const& problem, Reach most) {
  std::vector<LossList::Entry> entries;
  auto const first = static_cast<std::uint32_t>(choices_.size());
  for (auto const& entry : problem.all_entries()) {
    if (flat_.reduced_cost[entry.choice] > most.reduced_cost ||
        flat_.loss[entry.choice] > most.loss)
      continue;
    entries.push_back({flat_.loss[entry.choice], 1});
    choices_.push_back(entry.choice);
  }
  auto const branch = static_cast<std::uint32_t>(branches_.size());
  branches_.push_back({first, static_cast<std::uint32_t>(choices_.size()), 0, 0});
  Fixed const least = entries.empty() ? no_loss : flat_.loss[choices_[first]];
  nodes_.push_back({LossList(std::move(entries)), most, least, branch, branch + 1});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t Diagram::node(PartWithin const& part, Reach most, Control& control) {
  Subproblem const& problem = part.problem;
  auto const key = problem.key();
  if (auto const found = known_.find(key); found != known_.end()) {
    Reach const before = nodes_[found->second].most;
    if (before.reduced_cost >= most.reduced_cost && before.loss >= most.loss) return found->second;
    most = {std::max(most.reduced_cost, before.reduced_cost), std::max(most.loss, before.loss)};
  }
  // A very little further, so that it serves the next time too: much would add up from node to
  // node.
  most = {(most.reduced_cost + step_ - 1) / step_ * step_, (most.loss + step_ - 1) / step_ * step_};
  if (problem.size() == 1) return known_[key] = leaf(problem, most);
  std::size_t const x = pick(problem);
  struct Group {
    VarSet mask;
    std::vector<LossList::Entry> losses{};
    std::vector<std::uint32_t> choices{};
    Reach least{no_loss, no_loss};
  };
  std::vector<Group> groups;
  for (auto const& entry : problem.entries(x)) {
    if (groups.empty() || groups.back().mask != entry.mask) groups.push_back({entry.mask});
    auto& group = groups.back();
    Fixed const loss = flat_.loss[entry.choice];
    group.losses.push_back({loss, 1});
    group.choices.push_back(entry.choice);
    group.least = {std::min(group.least.reduced_cost, flat_.reduced_cost[entry.choice]),
                   std::min(group.least.loss, loss)};
  }
  std::stable_sort(groups.begin(), groups.end(), [](Group const& a, Group const& b) {
    return a.least.reduced_cost < b.least.reduced_cost;
  });
  Node made{LossList(), most, no_loss, 0, 0};
  std::vector<Branch> branches;
  for (auto& group : groups) {
    if (control.should_stop() || full()) break;
    auto const left = problem.eliminated(x, group.mask);
    if (!left) continue;
    Reach const below{most.reduced_cost - group.least.reduced_cost, most.loss - group.least.loss};
    Care const care = nodes_.size() < easy_until_ ? Care::little : Care::much;
    auto const parts =
        parts_within(*left, below, eliminated(part.prices, x, group.mask), care, control);
    if (!parts) continue;
    std::vector<std::uint32_t> children;
    LossList const rest = product(*parts, below, children, control);
    if (rest.empty()) continue;
    LossList found = rest.times(LossList(std::move(group.losses)), most.loss);
    if (found.empty()) continue;
    made.losses.add(std::move(found));
    Fixed least = flat_.loss[group.choices.front()];
    for (auto const child : children) least += nodes_[child].least;
    made.least = std::min(made.least, least);
    branches.push_back({static_cast<std::uint32_t>(choices_.size()),
                        static_cast<std::uint32_t>(choices_.size() + group.choices.size()),
                        static_cast<std::uint32_t>(children_.size()),
                        static_cast<std::uint32_t>(children_.size() + children.size())});
    choices_.insert(choices_.end(), group.choices.begin(), group.choices.end());
    children_.insert(children_.end(), children.begin(), children.end());
  }
  made.first = static_cast<std::uint32_t>(branches_.size());
  branches_.insert(branches_.end(), branches.begin(), branches.end());
  made.last = static_cast<std::uint32_t>(branches_.size());
  made.losses.shorten(2 * bytes_ > memory_bytes_ ? tuning::long_list : LossList::longest);
  bytes_ += tuning::bytes_per_node +
            tuning::bytes_per_branch * static_cast<double>(branches.size()) +
            static_cast<double>(made.losses.entries().size() * sizeof(LossList::Entry));
  nodes_.push_back(std::move(made));
  auto const number = static_cast<std::uint32_t>(nodes_.size() - 1);
  if (!control.stopped() && !full()) known_[key] = number;
  return number;
}

std::vector<bool> Diagram::used(Fixed most) const {
  std::vector<bool> out(flat_.loss.size(), false);
  std::vector<Fixed> outside(nodes_.size(), no_loss);  // by node: the least loss of all else
  outside[root_] = 0;
  for (std::size_t v = root_ + 1; v-- > 0;) {  // children come before
    if (outside[v] > most) continue;
    for (auto const& branch : branches(static_cast<std::uint32_t>(v))) {
      Fixed below = 0, own = choices(branch).empty() ? 0 : no_loss;
      for (auto const child : children(branch)) below += nodes_[child].least;
      for (auto const choice : choices(branch)) {
        own = std::min(own, flat_.loss[choice]);
        if (outside[v] + flat_.loss[choice] + below <= most) out[choice] = true;
      }
      for (auto const child : children(branch))
        outside[child] = std::min(outside[child], outside[v] + own + below - nodes_[child].least);
    }
  }
  return out;
}

std::size_t Diagram::pick(Subproblem const& problem) const {
  std::array<VarSet, 64> down{};
  std::array<std::size_t, 64> groups{};
  for (std::size_t const x : problem.variables()) {
    VarSet before = VarSet::full(), up;
    for (auto const& entry : problem.entries(x)) {
      if (entry.mask != before) ++groups[x];
      before = entry.mask;
      up |= entry.mask;
    }
    for (std::size_t const y : up) down[y].insert(x);
  }
  std::size_t best = problem.variables().lowest();
  double best_value = -1;
  for (std::size_t const x : problem.variables()) {
    // Whoever has many possible children parts most when it is eliminated, and costs a branch per
    // group.
    double const value =
        static_cast<double>(down[x].size() * down[x].size()) / static_cast<double>(groups[x]);
    if (value > best_value) {
      best_value = value;
      best = x;
    }
  }
  return best;
}

}  // namespace bayesloom::credible
