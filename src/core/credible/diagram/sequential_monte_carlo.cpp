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

/// The weight of a particle times a guess of how many networks are behind it.
double expected_weight(Particle const& particle) {
  return particle.weight == 0
             ? 0.0
             : particle.weight /
                   Diagram::likelihood(std::min(particle.spare.reduced_cost, particle.spare.loss));
}

/// As many particles, drawn in proportion to their expected weights, of which `total` is the sum.
std::vector<Particle> resampled(std::vector<Particle> const& particles, std::size_t size,
                                double total, Rng& rng) {
  double const each = total / static_cast<double>(size);
  std::vector<Particle> out;
  double reached = 0, next = rng.uniform() * each;
  for (auto const& particle : particles) {
    double const own = expected_weight(particle);
    reached += own;
    for (; next < reached && out.size() < size; next += each) {
      out.push_back(particle);
      out.back().weight *= each / own;
    }
  }
  return out;
}

}  // namespace

/// The ways on that were looked at in this round: copies of one particle share them.
struct ParticleSystem::Seen {
  std::map<std::tuple<Diagram::PartWithin const*, Fixed, Fixed>, Diagram::Ways> ways;
};

std::optional<std::vector<Particle>> ParticleSystem::run(std::size_t size, Rng& rng,
                                                         Control& control) {
  Particle first;
  first.spare = {reduced_cost_, max_loss_};
  for (std::size_t d = 0; d < diagrams_.size(); ++d) {
    auto const parts = diagrams_[d].first_parts({reduced_cost_, own_[d] + max_loss_}, control);
    if (!parts) return std::vector<Particle>();
    first.spare.loss += own_[d];
    for (auto const& part : *parts) {
      first.waiting.push_back({d, part});
      first.spare.reduced_cost -= part->least.reduced_cost;
      first.spare.loss -= part->least.loss;
    }
    if (choose_) first.chosen.emplace_back(diagrams_[d].variable_count(), 0);
  }
  if (first.spare.reduced_cost < 0 || first.spare.loss < 0) return std::vector<Particle>();
  std::vector<Particle> particles(size, first);
  for (bool over = false; !over;) {
    over = true;
    Seen seen;
    double total = 0, squares = 0;
    for (auto& particle : particles) {
      if (!particle.waiting.empty()) step(particle, seen, rng, control);
      if (control.stopped()) return std::nullopt;
      over = over && (particle.waiting.empty() || particle.weight == 0);
      double const own = expected_weight(particle);
      total += own;
      squares += own * own;
    }
    if (total <= 0) return std::vector<Particle>();
    if (!over && 2 * total * total < static_cast<double>(size) * squares)
      particles = resampled(particles, size, total, rng);
    std::erase_if(particles, [](Particle const& particle) { return particle.weight == 0; });
  }
  return particles;
}

void ParticleSystem::step(Particle& particle, Seen& seen, Rng& rng, Control& control) {
  auto const [d, part] = particle.waiting.back();
  particle.waiting.pop_back();
  auto& diagram = diagrams_[d];
  Diagram::Reach const most{part->least.reduced_cost + particle.spare.reduced_cost,
                            part->least.loss + particle.spare.loss};
  auto const [at, fresh] = seen.ways.try_emplace({part.get(), most.reduced_cost, most.loss});
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
    particle.weight *= sum;
    if (sum > 0) particle.spare.loss -= entries[pick_one(counts, sum, rng)].loss - part->least.loss;
    return;
  }
  if (ways.ways.empty()) {
    particle.weight = 0;
    return;
  }
  std::size_t const taken = pick_one(ways.weights, ways.sum, rng);
  auto& way = ways.ways[taken];
  if (!diagram.follow(*part, most, ways.x, way, control)) {
    particle.weight = 0;
    return;
  }
  std::size_t const i = pick_one(way.likely, way.likely_sum, rng);
  std::uint32_t const choice = way.choices[i];
  particle.weight *= ways.sum / ways.weights[taken] * (way.likely_sum / way.likely[i]);
  particle.spare.reduced_cost -=
      diagram.flat().reduced_cost[choice] + way.least.reduced_cost - part->least.reduced_cost;
  particle.spare.loss -= diagram.flat().loss[choice] + way.least.loss - part->least.loss;
  if (particle.spare.reduced_cost < 0 || particle.spare.loss < 0) {
    particle.weight = 0;
    return;
  }
  if (choose_) particle.chosen[d][diagram.flat().variable[choice]] = choice;
  for (auto const& rest : way.parts) particle.waiting.push_back({d, rest});
}

}  // namespace bayesloom::credible
