// Sequential Monte Carlo through a diagram: an unbiased estimate of the number of networks where
// counting does not end.
//
// A particle is a random walk that eliminates variables as the diagram does (diagram.hpp). It takes branch g, among
// those that the bound does not prune, with probability p_g, then one choice of that group with probability p_c.
// The rest splits into parts, which are queued. With
//
//   W = product over steps of  1 / (p_g * p_c),   0 if the walk reaches a dead end
//
// the mean of W is the number of networks [knuth1975], since each network is reached in one way only. Both p are
// proportional to exp(-rate * reduced cost), a heuristic.
//
// Weights of independent walks vary too much, and most walks end dead. So a system of particles advances step by
// step. The expected weight of a particle is W * exp(rate * remaining loss). When the effective sample size of
// these weights falls below half the number of particles, the particles are resampled in proportion to them, with
// W divided by the expected number of copies [delmoral2004]: the mean stays unbiased, and dead particles are
// replaced by copies of others.
//
// A part of a few variables, or one whose diagram is complete, is counted instead: the particle draws a loss from
// its list with probability proportional to the count there, and W is multiplied by the number within reach.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "credible/diagram/diagram.hpp"

namespace bayesloom::credible {

struct Particle {
  struct Waiting {
    std::size_t diagram;
    Diagram::SharedPart part;
  };
  std::vector<Waiting> waiting;
  Diagram::Reach spare{};  ///< what may be lost beyond the least of what waits
  double weight = 1;
  std::vector<std::vector<std::uint32_t>> chosen{};  ///< by diagram and variable, flat numbers
};

class ParticleSystem {
 public:
  /// Samples networks with a total reduced cost of at most `reduced_cost` and losses of at most `max_loss` above
  /// `own`, the least of each diagram. With `choose` their choices are kept, and no part is counted on the way.
  ParticleSystem(std::span<Diagram> diagrams, std::span<Fixed const> own, Fixed reduced_cost,
                 Fixed max_loss, bool choose)
      : diagrams_(diagrams),
        own_(own),
        reduced_cost_(reduced_cost),
        max_loss_(max_loss),
        choose_(choose) {}

  /// Runs a system of particles to the end; nothing if stopped. Dead particles are not returned.
  std::optional<std::vector<Particle>> run(std::size_t size, Rng& rng, Control& control);

 private:
  struct Seen;
  void step(Particle& particle, Seen& seen, Rng& rng, Control& control);

  std::span<Diagram> diagrams_;
  std::span<Fixed const> own_;
  Fixed const reduced_cost_, max_loss_;
  bool const choose_;
};

}  // namespace bayesloom::credible
