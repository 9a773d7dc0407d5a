#include "credible/diagram/sequential_monte_carlo.hpp"

#include <map>
#include <tuple>

namespace bayesloom::credible {

namespace {

/// An index by weights that need not add up to 1.
std::size_t pick_one(std::span<double const> weights, double sum, Rng& rng) {
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

/// How much a walker promises: its weight, times a guess of how many networks are behind it.
double promise(Walker const& walker) {
  return walker.weight == 0
             ? 0.0
             : walker.weight /
                   Diagram::likelihood(std::min(walker.spare.excess, walker.spare.loss));
}

/// As many walkers, drawn in proportion to what they promise; `total` is of all.
std::vector<Walker> drawn_anew(std::vector<Walker> const& walkers, std::size_t size, double total,
                               Rng& rng) {
  double const each = total / static_cast<double>(size);
  std::vector<Walker> out;
  double reached = 0, next = rng.uniform() * each;
  for (auto const& walker : walkers) {
    double const own = promise(walker);
    reached += own;
    for (; next < reached && out.size() < size; next += each) {
      out.push_back(walker);
      out.back().weight *= each / own;
    }
  }
  return out;
}

}  // namespace

/// The ways on that were looked at in this round: walkers that were drawn twice are together.
struct Population::Seen {
  std::map<std::tuple<Diagram::PartWithin const*, Fixed, Fixed>, Diagram::Ways> ways;
};

std::optional<std::vector<Walker>> Population::walk(std::size_t size, Rng& rng, Control& control) {
  Walker first;
  first.spare = {excess_, slack_};
  for (std::size_t d = 0; d < diagrams_.size(); ++d) {
    auto const parts = diagrams_[d].first_parts({excess_, own_[d] + slack_}, control);
    if (!parts) return std::vector<Walker>();
    first.spare.loss += own_[d];
    for (auto const& part : *parts) {
      first.waiting.push_back({d, part});
      first.spare.excess -= part->least.excess;
      first.spare.loss -= part->least.loss;
    }
    if (choose_) first.chosen.emplace_back(diagrams_[d].variable_count(), 0);
  }
  if (first.spare.excess < 0 || first.spare.loss < 0) return std::vector<Walker>();
  std::vector<Walker> walkers(size, first);
  for (bool over = false; !over;) {
    over = true;
    Seen seen;
    double total = 0, squares = 0;
    for (auto& walker : walkers) {
      if (!walker.waiting.empty()) step(walker, seen, rng, control);
      if (control.stopped()) return std::nullopt;
      over = over && (walker.waiting.empty() || walker.weight == 0);
      double const own = promise(walker);
      total += own;
      squares += own * own;
    }
    if (total <= 0) return std::vector<Walker>();
    if (!over && 2 * total * total < static_cast<double>(size) * squares)
      walkers = drawn_anew(walkers, size, total, rng);
    std::erase_if(walkers, [](Walker const& walker) { return walker.weight == 0; });
  }
  return walkers;
}

void Population::step(Walker& walker, Seen& seen, Rng& rng, Control& control) {
  auto const [d, part] = walker.waiting.back();
  walker.waiting.pop_back();
  auto& diagram = diagrams_[d];
  Diagram::Reach const most{part->least.excess + walker.spare.excess,
                            part->least.loss + walker.spare.loss};
  auto const [at, fresh] = seen.ways.try_emplace({part.get(), most.excess, most.loss});
  if (fresh) at->second = diagram.ways(*part, most, !choose_, control);
  auto& ways = at->second;
  if (ways.counted) {
    std::vector<double> counts;
    double sum = 0;
    auto const entries = diagram.losses(*ways.counted).entries();
    for (auto const& entry : entries) {
      if (entry.loss > most.loss) break;
      counts.push_back(static_cast<double>(entry.count));
      sum += counts.back();
    }
    walker.weight *= sum;
    if (sum > 0) walker.spare.loss -= entries[pick_one(counts, sum, rng)].loss - part->least.loss;
    return;
  }
  if (ways.ways.empty()) {
    walker.weight = 0;
    return;
  }
  std::size_t const taken = pick_one(ways.weights, ways.sum, rng);
  auto& way = ways.ways[taken];
  if (!diagram.follow(*part, most, ways.x, way, control)) {
    walker.weight = 0;
    return;
  }
  std::size_t const i = pick_one(way.likely, way.likely_sum, rng);
  std::uint32_t const choice = way.choices[i];
  walker.weight *= ways.sum / ways.weights[taken] * (way.likely_sum / way.likely[i]);
  walker.spare.excess -= diagram.flat().excess[choice] + way.least.excess - part->least.excess;
  walker.spare.loss -= diagram.flat().loss[choice] + way.least.loss - part->least.loss;
  if (walker.spare.excess < 0 || walker.spare.loss < 0) {
    walker.weight = 0;
    return;
  }
  if (choose_) walker.chosen[d][diagram.flat().variable[choice]] = choice;
  for (auto const& rest : way.parts) walker.waiting.push_back({d, rest});
}

}  // namespace bayesloom::credible
