// Estimates of a set by diagrams, by sequential Monte Carlo (sequential_monte_carlo.hpp).
//
// Particle systems grow from a few particles to many, so that there is an estimate soon. System k
// with m_k particles has the estimate z_k, and
//
//   count   = sum of m_k z_k / sum of m_k
//   error^2 = K / (K - 1) * sum of m_k^2 (z_k - count)^2 / (sum of m_k)^2
//
// for K systems. The effective sample size is (count / error)^2: so many independent draws whose
// standard deviation equals their mean would have the same error.
#include <algorithm>
#include <cmath>
#include <limits>

#include "credible/diagram/diagram_set.hpp"
#include "credible/diagram/sequential_monte_carlo.hpp"
#include "credible/diagram/tuning.hpp"

namespace bayesloom::credible {

CountEstimate DiagramSet::estimate(std::uint64_t probes, std::uint64_t seed, Control& control) {
  Rng rng(seed);
  ParticleSystem system(diagrams_, own_, costs_.gap + max_loss_, max_loss_, false);
  std::vector<std::pair<double, double>> found;  // size and estimate
  double sum = 0, walks = 0;
  while (walks < static_cast<double>(probes) && !control.stopped()) {
    std::size_t const size =
        std::min(tuning::most_particles,
                 tuning::fewest_particles << found.size() / tuning::systems_of_a_size);
    auto const particles = system.run(size, rng, control);
    if (!particles) break;
    double weights = 0;
    for (auto const& particle : *particles) weights += particle.weight;
    auto const m = static_cast<double>(size);
    found.emplace_back(m, weights / m);
    sum += weights;
    walks += m;
  }
  CountEstimate out{.count = walks > 0 ? sum / walks : 0,
                    .error = std::numeric_limits<double>::infinity(),
                    .probes = static_cast<std::uint64_t>(walks),
                    .effective = 0};
  auto const systems = static_cast<double>(found.size());
  if (systems < 2 || sum <= 0) return out;  // dead particles alone say nothing
  double squares = 0;
  for (auto const& [m, z] : found) squares += m * m * (z - out.count) * (z - out.count);
  out.error = std::sqrt(systems / (systems - 1) * squares) / walks;
  out.effective = std::min(walks, out.count * out.count / (out.error * out.error));
  return out;
}

Shares DiagramSet::estimated_shares(std::uint64_t draws, std::uint64_t seed, Control& control) {
  Shares out{std::vector<double>(cache_.candidate_count(), 0.0)};
  std::vector<std::uint64_t> network(cache_.variable_count());
  double sum = 0, squares = 0;  // of the weight of networks drawn alone, or of particle systems
  auto const add = [&](double weight) {
    for (auto const c : network) out.of_candidate[c] += weight;
  };
  if (whole()) {
    auto const sampler = this->sampler(false, seed);
    for (std::uint64_t i = 0; i < draws && !control.should_stop(); ++i) {
      if (!sampler->draw(network)) break;
      add(1);
      sum += 1;
      squares += 1;
    }
  } else {
    Rng rng(seed);
    ParticleSystem system(diagrams_, own_, costs_.gap + max_loss_, max_loss_, true);
    for (std::uint64_t walks = 0; walks < draws && !control.stopped();
         walks += tuning::particles_for_shares) {
      auto const particles = system.run(tuning::particles_for_shares, rng, control);
      if (!particles) break;
      double own = 0;
      for (auto const& particle : *particles) {
        candidates(particle.chosen, network);
        double const weight = particle.weight * std::exp(-to_nats(max_loss_ - particle.spare.loss));
        add(weight);
        own += weight;
      }
      sum += own;
      squares += own * own;
    }
  }
  if (sum > 0)
    for (double& share : out.of_candidate) share /= sum;
  out.effective = squares > 0 ? sum * sum / squares : 0.0;
  return out;
}

}  // namespace bayesloom::credible
