// How walks go on from a part of a diagram (sequential_monte_carlo.hpp). The bounds are those that take little
// time: with prices, a walk that leads to nothing ends sooner, and takes five times as long.
#include <algorithm>
#include <cmath>

#include "credible/diagram/diagram.hpp"
#include "credible/diagram/tuning.hpp"

namespace bayesloom::credible {

double Diagram::likelihood(Fixed reduced_cost) {
  return std::exp(-tuning::growth * to_nats(reduced_cost));
}

std::optional<std::vector<Diagram::SharedPart>> Diagram::first_parts(Reach most,
                                                                     Control& control) const {
  auto parts = parts_within(whole_, most, prices_, Care::little, control);
  if (!parts) return std::nullopt;
  std::vector<SharedPart> out;
  for (auto& part : *parts) out.push_back(std::make_shared<PartWithin const>(std::move(part)));
  return out;
}

Diagram::Ways Diagram::ways(PartWithin const& part, Reach most, bool count, Control& control) {
  Subproblem const& problem = part.problem;
  Ways out;
  if (control.should_stop()) return out;
  if (count && problem.size() <= tuning::counted_up_to && !full()) node(part, most, control);
  if (auto const found = known_.find(problem.key()); count && found != known_.end()) {
    auto const& node = nodes_[found->second];
    if (node.most.reduced_cost >= most.reduced_cost && node.most.loss >= most.loss &&
        node.losses.error() == 0) {
      out.counted = found->second;
      return out;
    }
  }
  out.x = pick(problem);
  auto const entries = problem.entries(out.x);
  for (std::size_t i = 0, end = 0; i < entries.size(); i = end) {
    Way way;
    way.mask = entries[i].mask;
    for (end = i; end < entries.size() && entries[end].mask == way.mask; ++end) {
      std::uint32_t const choice = entries[end].choice;
      if (flat_.reduced_cost[choice] > most.reduced_cost || flat_.loss[choice] > most.loss)
        continue;
      way.choices.push_back(choice);
      way.likely.push_back(likelihood(flat_.reduced_cost[choice]));
      way.likely_sum += way.likely.back();
      way.own = {std::min(way.own.reduced_cost, flat_.reduced_cost[choice]),
                 std::min(way.own.loss, flat_.loss[choice])};
    }
    if (way.choices.empty()) continue;
    out.sum += way.likely_sum;
    out.weights.push_back(way.likely_sum);
    out.ways.push_back(std::move(way));
  }
  return out;
}

bool Diagram::follow(PartWithin const& part, Reach most, std::size_t x, Way& way,
                     Control& control) const {
  if (way.followed) return *way.followed;
  way.followed = true;
  if (part.problem.size() == 1) return true;
  way.followed = false;
  auto const left = part.problem.eliminated(x, way.mask);
  if (!left) return false;
  auto parts =
      parts_within(*left, {most.reduced_cost - way.own.reduced_cost, most.loss - way.own.loss},
                   eliminated(part.prices, x, way.mask), Care::little, control);
  if (!parts) return false;
  for (auto& each : *parts) {
    way.least = {way.least.reduced_cost + each.least.reduced_cost,
                 way.least.loss + each.least.loss};
    way.parts.push_back(std::make_shared<PartWithin const>(std::move(each)));
  }
  way.followed = true;
  return true;
}

}  // namespace bayesloom::credible
