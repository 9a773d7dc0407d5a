// Networks out of diagrams: listed one after the other, or drawn.
//
// Listing goes depth-first through the diagrams of all components, with the nodes
// that are still open as a list. Each node knows its best network, so a step whose loss, with the best of
// all open nodes, is over the limit is not taken: no step leads to nothing, and
// memory is O(n).
//
// Drawing takes a branch with probability proportional to the sum of exp(-rate * loss) below it,
// and the children each by itself. With rate 1 and networks over the limit thrown away that is a
// draw by posterior. For every network as likely as the other, take the rate at which about as many
// are thrown away on either side: keep a network with probability exp(rate * (loss - limit)).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "credible/diagram/diagram.hpp"

namespace bayesloom::credible {

class DiagramWalk {
 public:
  /// The networks of all components together with a loss of at most `most`. With `tails` it stops
  /// where one last node is left, whose losses are known exactly, for all that follow at once.
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
  /// `base` by diagram and local variable: losses are counted from there, so that no weight is out
  /// of range.
  DiagramDraw(std::span<Diagram const> diagrams, std::vector<std::vector<Fixed>> const& base,
              double rate);

  /// Draws choices; their loss. Nothing is thrown away here.
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
