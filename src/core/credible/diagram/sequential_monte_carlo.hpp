// Sequential Monte Carlo through a diagram: an unbiased estimate of the number of networks where
// counting does not end.
//
// A particle is a random walk that eliminates variables as the diagram does (diagram.hpp). It takes
// branch g, among those that the bound does not exclude, with probability p_g; then one choice of the
// group with probability p_c. What is left falls into parts, which wait for their turn. With
//
//   W = product over steps of  1 / (p_g * p_c),   0 if the walk ends where nothing is in reach
//
// the mean of W is the number of networks [knuth1975]: each network is reached in one way only. The p
// are exp(-rate * reduced cost), a guess. Single walks differ too much in weight to be of use, and most of
// them end in nothing. So a system of particles takes steps together. The expected weight of a
// particle is W * exp(rate * loss that is left); when these have become too different, that is, when
// the effective sample size is below half the number of particles, they are resampled in proportion
// to it, with W divided by the expected number of copies [delmoral2004]: the mean stays unbiased, and
// dead particles are replaced by copies of others. A part of a few variables, or one that the diagram
// has finished, is counted and not walked: the particle takes a loss from its list with probability
// proportional to the networks there, and W is multiplied by the number in reach.
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
  /// Of networks with reduced costs of at most `reduced_cost` in all, and losses of at most `max_loss` more than
  /// `own`, the least of each diagram. With `choose` their choices are kept, and nothing is counted
  /// on the way.
  ParticleSystem(std::span<Diagram> diagrams, std::span<Fixed const> own, Fixed reduced_cost,
                 Fixed max_loss, bool choose)
      : diagrams_(diagrams),
        own_(own),
        reduced_cost_(reduced_cost),
        max_loss_(max_loss),
        choose_(choose) {}

  /// Runs so many particles to their ends; nothing if stopped. Dead ones are not returned.
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
