// Random walks in company: an unbiased estimate of the number of networks where counting does not
// end.
//
// A walk settles variables as the diagram does (diagram.hpp), and takes branch g, among those that
// the bound does not exclude, with probability p_g; then one choice of the group with probability
// p_c. What is left falls into parts, and these wait. With
//
//   W = product over steps of  1 / (p_g * p_c),   0 if the walk ends where nothing is in reach
//
// the mean of W is the number of networks [knuth1975]: each network is reached in one way only. The
// p are exp(-rate * excess), a guess. Walks alone differ too much in weight to be of use, and most
// of them end in nothing. So many go at the same time, each one step per round, and when what they
// promise (W * exp(rate * what may still be lost)) has become too different they are drawn anew in
// proportion to it, with W divided by how often they were to be drawn [delmoral2004]: the mean
// stays unbiased, and those that have come to nothing are replaced by copies of others. A part of a
// few variables, or one that the diagram has finished, is counted and not walked: the walk takes a
// loss from its list with probability proportional to the networks there, and W times the number in
// reach.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "credible/diagram/diagram.hpp"

namespace bayesloom::credible {

struct Walker {
  struct Waiting {
    std::size_t diagram;
    Diagram::SharedPart part;
  };
  std::vector<Waiting> waiting;
  Diagram::Reach spare{};  ///< what may be lost beyond the least of what waits
  double weight = 1;
  std::vector<std::vector<std::uint32_t>> chosen{};  ///< by diagram and variable, flat numbers
};

class Population {
 public:
  /// Of networks with excesses of at most `excess` in all, and losses of at most `slack` more than
  /// `own`, the least of each diagram. With `choose` their choices are kept, and nothing is counted
  /// on the way.
  Population(std::span<Diagram> diagrams, std::span<Fixed const> own, Fixed excess, Fixed slack,
             bool choose)
      : diagrams_(diagrams), own_(own), excess_(excess), slack_(slack), choose_(choose) {}

  /// So many walks, to their ends; nothing if stopped. Those that came to nothing are not there.
  std::optional<std::vector<Walker>> walk(std::size_t size, Rng& rng, Control& control);

 private:
  struct Seen;
  void step(Walker& walker, Seen& seen, Rng& rng, Control& control);

  std::span<Diagram> diagrams_;
  std::span<Fixed const> own_;
  Fixed const excess_, slack_;
  bool const choose_;
};

}  // namespace bayesloom::credible
