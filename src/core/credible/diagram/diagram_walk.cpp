#include "credible/diagram/diagram_walk.hpp"

#include <algorithm>
#include <cmath>

namespace bayesloom::credible {

DiagramWalk::DiagramWalk(std::span<Diagram const> diagrams, Fixed most, bool tails)
    : diagrams_(diagrams), most_(most), tails_(tails) {
  std::uint32_t list = none;
  Fixed least = 0;
  for (std::uint32_t d = 0; d < diagrams.size(); ++d) {
    chosen_.emplace_back(diagrams[d].variable_count(), 0);
    cells_.push_back({d, diagrams[d].root(), list});
    list = static_cast<std::uint32_t>(cells_.size() - 1);
    least = std::min(no_loss, least + diagrams[d].least(diagrams[d].root()));
  }
  if (list != none && least <= most) enter(list, 0, least);
}

void DiagramWalk::enter(std::uint32_t list, Fixed loss, Fixed least) {
  Cell const cell = cells_[list];
  frames_.push_back({cell.diagram, cell.node, cell.next, 0, 0, cells_.size(), loss,
                     least - diagrams_[cell.diagram].least(cell.node)});
}

bool DiagramWalk::next() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    Diagram const& diagram = diagrams_[frame.diagram];
    cells_.resize(frame.cells);
    auto const branches = diagram.branches(frame.node);
    if (frame.branch == branches.size()) {
      frames_.pop_back();
      continue;
    }
    auto const& branch = branches[frame.branch];
    auto const choices = diagram.choices(branch);
    auto const children = diagram.children(branch);
    Fixed least = frame.rest_least;
    for (auto const child : children) least += diagram.least(child);
    // Choices are in the order of loss. The root has none, and one way through it.
    Fixed loss = frame.loss;
    bool const at_root = choices.empty();
    if (frame.choice < choices.size()) loss += diagram.flat().loss[choices[frame.choice]];
    if (frame.choice >= std::max<std::size_t>(1, choices.size()) || loss + least > most_) {
      ++frame.branch;
      frame.choice = 0;
      continue;
    }
    if (!at_root) {
      std::uint32_t const choice = choices[frame.choice];
      chosen_[frame.diagram][diagram.flat().variable[choice]] = choice;
    }
    ++frame.choice;
    std::uint32_t list = frame.rest;
    std::uint32_t const number = frame.diagram;
    for (auto const child : children) {
      cells_.push_back({number, child, list});
      list = static_cast<std::uint32_t>(cells_.size() - 1);
    }
    tail_ = nullptr;
    if (tails_ && list != none && cells_[list].next == none) {
      auto const& left = diagrams_[cells_[list].diagram].losses(cells_[list].node);
      if (left.error() == 0) tail_ = &left;
    }
    if (list != none && tail_ == nullptr) {
      enter(list, loss, least);
      continue;
    }
    loss_ = loss;
    return true;
  }
  return false;
}

DiagramDraw::DiagramDraw(std::span<Diagram const> diagrams,
                         std::vector<std::vector<Fixed>> const& base, double rate)
    : diagrams_(diagrams) {
  for (std::size_t d = 0; d < diagrams.size(); ++d) {
    Diagram const& diagram = diagrams[d];
    auto const& flat = diagram.flat();
    chosen_.emplace_back(diagram.variable_count(), 0);
    auto& weights = weights_.emplace_back();
    for (std::size_t c = 0; c < flat.loss.size(); ++c)
      weights.push_back(std::exp(-rate * to_nats(flat.loss[c] - base[d][flat.variable[c]])));
    auto& sums = sums_.emplace_back();
    for (std::uint32_t node = 0; node < diagram.node_count(); ++node) {  // children come first
      double sum = 0;
      for (auto const& branch : diagram.branches(node)) {
        double product = diagram.choices(branch).empty() ? 1 : 0;
        for (auto const choice : diagram.choices(branch)) product += weights[choice];
        for (auto const child : diagram.children(branch)) product *= sums[child];
        sum += product;
      }
      sums.push_back(sum);
    }
  }
}

Fixed DiagramDraw::draw(Rng& rng) {
  Fixed loss = 0;
  for (std::size_t d = 0; d < diagrams_.size(); ++d) {
    Diagram const& diagram = diagrams_[d];
    open_.assign(1, diagram.root());
    while (!open_.empty()) {
      std::uint32_t const node = open_.back();
      open_.pop_back();
      double left = rng.uniform() * sums_[d][node];
      auto const branches = diagram.branches(node);
      Diagram::Branch const* taken = nullptr;
      for (auto const& branch : branches) {
        double alone = diagram.choices(branch).empty() ? 1 : 0, below = 1;
        for (auto const choice : diagram.choices(branch)) alone += weight(d, choice);
        for (auto const child : diagram.children(branch)) below *= sums_[d][child];
        if (alone * below <= 0) continue;
        taken = &branch;
        if (left < alone * below) {
          left /= below;
          break;
        }
        left -= alone * below;
      }
      auto const choices = diagram.choices(*taken);
      if (!choices.empty()) {
        std::size_t i = 0;
        for (; i + 1 < choices.size() && left >= weight(d, choices[i]); ++i)
          left -= weight(d, choices[i]);
        chosen_[d][diagram.flat().variable[choices[i]]] = choices[i];
        loss += diagram.flat().loss[choices[i]];
      }
      auto const children = diagram.children(*taken);
      open_.insert(open_.end(), children.begin(), children.end());
    }
  }
  return loss;
}

}  // namespace bayesloom::credible
