// Lists or draws the networks of a set of diagrams.
//
// Listing is a depth-first traversal of the diagrams of all components, with a list of open nodes. Each node knows
// the loss of its best network, so a step is taken only if its loss plus the best of all open nodes is within the
// limit: there are no dead ends, and memory is O(n).
//
// Drawing takes a branch with probability proportional to the sum of exp(-rate * loss) below it, then draws each
// child independently. With rate 1, rejecting networks over the limit, this draws from the posterior. To draw
// uniformly, a network is kept with probability exp(rate * (loss - limit)); the rate is chosen such that this
// rejects about as many networks as the limit does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "credible/diagram/diagram.hpp"

namespace bayesloom::credible {

class DiagramWalk {
 public:
  /// Lists the networks of all components with a total loss of at most `most`. With `tails` it stops when only one
  /// open node is left whose loss list is exact, and so reports all networks below it at once.
  DiagramWalk(std::span<Diagram const> diagrams, Fixed most, bool tails = false);

  /// Goes to the next network; false if there is none left.
  bool next();
  /// Per diagram and local variable the flat number of its choice.
  std::span<std::vector<std::uint32_t> const> chosen() const { return chosen_; }
  Fixed loss() const { return loss_; }
  /// The losses of what is left, where it stopped for that; else null.
  LossList const* tail() const { return tail_; }

 private:
  struct Cell {  // of a list of open nodes
    std::uint32_t diagram, node, next;
  };
  struct Frame {
    std::uint32_t diagram, node, rest;  // `rest`: the list behind this node
    std::uint32_t branch, choice;       // to try next
    std::size_t cells;                  // in use when it began
    Fixed loss, rest_least;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void enter(std::uint32_t list, Fixed loss, Fixed least);

  std::span<Diagram const> diagrams_;
  Fixed const most_;
  bool const tails_;
  LossList const* tail_ = nullptr;
  std::vector<Cell> cells_;
  std::vector<Frame> frames_;
  std::vector<std::vector<std::uint32_t>> chosen_;
  Fixed loss_ = 0;
};

class DiagramDraw {
 public:
  /// `base`, by diagram and local variable, is subtracted from losses, so that weights stay in range.
  DiagramDraw(std::span<Diagram const> diagrams, std::vector<std::vector<Fixed>> const& base,
              double rate);

  /// Draws choices and returns their loss. Rejection is up to the caller.
  Fixed draw(Rng& rng);
  std::span<std::vector<std::uint32_t> const> chosen() const { return chosen_; }

 private:
  double weight(std::size_t diagram, std::uint32_t choice) const {
    return weights_[diagram][choice];
  }

  std::span<Diagram const> diagrams_;
  std::vector<std::vector<double>> weights_;  // by diagram and flat number
  std::vector<std::vector<double>> sums_;     // by diagram and node
  std::vector<std::vector<std::uint32_t>> chosen_;
  std::vector<std::uint32_t> open_;  // scratch
};

}  // namespace bayesloom::credible
