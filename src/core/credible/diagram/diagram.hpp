// Counting by variable elimination: for components with too many sets of variables.
//
// A decision diagram represents all networks of a component within a limit on the loss. A node is a strongly
// connected subproblem (subproblem.hpp). It eliminates one variable x and has one branch per group of x's parent
// sets; below a branch the remaining problem splits into strong components, and each is a child node:
//
//   networks(node) = union over branches of  group x networks(child 1) x networks(child 2) x ...
//
// The union is disjoint and the factors are independent, so counts by loss (loss_list.hpp) add and multiply. Equal
// subproblems share one node. A subproblem is pruned if its bound by cluster prices exceeds the limit. The work
// depends on how soon the variables split into small components, not on the number of networks or of sets: 2^50
// networks are easy if the components are small.
//
// To draw a network with probability proportional to exp(-rate * loss), draw a branch by the sum of these weights
// below it, then each child independently. With rate 1, rejecting networks over the limit, this draws from the
// posterior; with rate 0 it draws uniformly.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "credible/component.hpp"
#include "credible/diagram/subproblem.hpp"
#include "credible/diagram/subproblem_bound.hpp"
#include "credible/loss_list.hpp"
#include "dual/reduced_costs.hpp"

namespace bayesloom::credible {

class Diagram {
 public:
  Diagram(Component const& component, dual::ReducedCosts const& costs, double memory_bytes);

  /// Builds the diagram of all networks with reduced costs of at most `most` and losses of at most `most_loss`,
  /// and possibly others. False if stopped; the diagram then holds correct networks, but not all of them.
  bool build(Fixed most, Fixed most_loss, Control& control);

  LossList const& losses() const { return nodes_[root_].losses; }
  LossList const& losses(std::uint32_t node) const { return nodes_[node].losses; }
  std::size_t node_count() const { return nodes_.size(); }

  // For traversal of a complete diagram.
  struct Branch {
    std::uint32_t first_choice,
        last_choice;  ///< flat numbers, all of one variable; the root has none
    std::uint32_t first_child, last_child;
  };
  std::size_t variable_count() const { return whole_.size(); }
  std::uint32_t root() const { return root_; }
  /// The loss of the best network of a node.
  Fixed least(std::uint32_t node) const { return nodes_[node].least; }
  std::span<Branch const> branches(std::uint32_t node) const {
    return std::span(branches_).subspan(nodes_[node].first, nodes_[node].last - nodes_[node].first);
  }
  std::span<std::uint32_t const> choices(Branch const& branch) const {
    return std::span(choices_).subspan(branch.first_choice,
                                       branch.last_choice - branch.first_choice);
  }
  std::span<std::uint32_t const> children(Branch const& branch) const {
    return std::span(children_).subspan(branch.first_child, branch.last_child - branch.first_child);
  }
  FlatChoices const& flat() const { return flat_; }
  /// By flat number: whether some network with a loss of at most `most` has the choice. Requires a
  /// diagram that is built up to that.
  std::vector<bool> used(Fixed most) const;

  // For random walks down a diagram that need not be complete (sequential_monte_carlo.hpp).
  /// How far a subproblem is looked into: the sum of reduced costs, and the loss.
  struct Reach {
    Fixed reduced_cost, loss;
  };
  struct PartWithin {
    Subproblem problem;
    Reach least;  // of any choice, at least
    Prices prices;
  };
  using SharedPart = std::shared_ptr<PartWithin const>;
  /// A group of a variable's choices and, once followed, the subproblem that remains if one of them is taken.
  struct Way {
    VarSet mask;
    std::vector<std::uint32_t> choices{};
    std::vector<double> likely{};  // by choice
    double likely_sum = 0;
    Reach own{no_loss, no_loss};     // the least of the choices
    std::optional<bool> followed{};  // to something
    std::vector<SharedPart> parts{};
    Reach least{0, 0};  // of the parts
  };
  /// How a walk can continue from a part: its node, if that is counted exactly and far enough, or else branches
  /// with guessed weights.
  struct Ways {
    std::optional<std::uint32_t> counted{};
    std::size_t x = 0;
    std::vector<Way> ways{};
    std::vector<double> weights{};
    double sum = 0;
  };
  /// A guess of the number of networks left after spending this much, relative to spending nothing.
  static double likelihood(Fixed reduced_cost);
  std::optional<std::vector<SharedPart>> first_parts(Reach most, Control& control) const;
  /// With `count` small parts are counted if they are not yet.
  Ways ways(PartWithin const& part, Reach most, bool count, Control& control);
  /// False if the branch is proved to contain no network within reach.
  bool follow(PartWithin const& part, Reach most, std::size_t x, Way& way, Control& control) const;

 private:
  struct KeyHash {
    std::size_t operator()(std::array<std::uint64_t, 2> const& key) const { return key[0]; }
  };

  /// How much is looked at for a bound.
  enum class Care : std::uint8_t { little, much };

  struct Node {
    LossList losses;
    Reach most;                 // complete up to this
    Fixed least;                // loss of the best network
    std::uint32_t first, last;  // branches
  };

  /// The strong components of a subproblem, without what is out of reach; nothing if all is.
  std::optional<std::vector<PartWithin>> parts_within(Subproblem const& whole, Reach most,
                                                      Prices const& inherited, Care care,
                                                      Control& control) const;
  std::uint32_t node(PartWithin const& part, Reach most, Control& control);
  std::uint32_t leaf(Subproblem const& problem, Reach most);
  /// The product of the parts' lists; the children's numbers are appended.
  LossList product(std::vector<PartWithin> const& parts, Reach most,
                   std::vector<std::uint32_t>& children, Control& control);
  std::size_t pick(Subproblem const& problem) const;
  bool full() const;

  FlatChoices const flat_;
  Subproblem const whole_;
  Prices const prices_;         // of the whole
  Fixed const gap_;             // of their bound
  std::size_t easy_until_ = 0;  // so many nodes are made with little care
  std::vector<Node> nodes_;
  std::vector<Branch> branches_;
  std::vector<std::uint32_t> choices_, children_;
  std::unordered_map<std::array<std::uint64_t, 2>, std::uint32_t, KeyHash> known_;
  std::uint32_t root_ = 0;
  Fixed step_ = 1;
  double memory_bytes_, bytes_ = 0;
};

}  // namespace bayesloom::credible
