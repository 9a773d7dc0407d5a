// Branch and bound over one component: best bound first, on pairs (i, C) [jaakkola2010, section 6].
//
// Open nodes lie in a heap, the one with the highest bound on top, so that the bound of the whole
// falls with every node. The heap is kept from run to run. A node on top is lowered first (prices,
// fixing, a network), goes back if it is no longer on top, and is split when it comes again:
//
//   pair      i takes no parent from C, or it takes one; if C is one variable j, then j does not
//             take i either. Pairs that lowered bounds most where they were tried before are tried
//             first, and the best of those tried is taken.
//   parts     a node of several strong components has a tree for each: its bound is the sum of
//             theirs, and what a part must exceed follows from the bounds of the others.
//
// Where open nodes have all the memory they may have, the newest node is next instead of the best,
// which needs no more than the depth of the tree.
//
// Nodes are worked on in rounds: the best of those that are open, as many as TreeOptions::spread says, each
// by itself with the floor and the records of the beginning of the round. What comes of them is taken up in
// their order when all are done. How many nodes a round has and how much work each may take follow from
// what was counted before. Where there are few nodes, threads share the pairs that are tried at one: those that
// will be looked at in any case. So threads share what one would do as well.
//
// A node is worked on with random numbers of its own, by its number: what comes of a run does not
// depend on how often it was stopped between rounds, nor on the number of threads.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "dual/ascent.hpp"
#include "dual/problem.hpp"
#include "dual/smoothed_bound.hpp"
#include "relaxation/node_result.hpp"
#include "relaxation/options.hpp"

namespace bayesloom::relaxation {

using namespace dual;

/// What is told while a tree is searched.
struct TreeEvents {
  std::function<void(Fixed)> bound;            ///< the root has this bound now
  std::function<void(Choice const&)> network;  ///< a good network of the root, or of a part of it
};

class Tree {
 public:
  /// Looks for the best network of the root that is better than the floor. `memory_bytes` for open
  /// nodes.
  Tree(Problem root, Fixed floor, std::uint64_t seed, TreeOptions const& options,
       double memory_bytes, TreeEvents events = {});
  Tree(Tree const&) = delete;
  Tree& operator=(Tree const&) = delete;

  /// Goes on until the best network is known or control says stop.
  void run(Control& control, std::size_t threads = 1);
  /// Only networks above this count from now on, which is no lower than before.
  void raise_floor(Fixed floor);

  bool done() const { return open_.empty(); }
  /// Unless done, the bound is that of the best open node. If done it is at most the floor or equal
  /// to the value found.
  NodeResult result() const;
  std::uint64_t nodes() const { return shared_->nodes; }

  /// Goes on until so many nodes are open, the best network is known, or control says stop.
  void widen(std::size_t nodes, Control& control);
  /// What is open, the highest bound first: a network above the floor that is not the one found is in one
  /// of these.
  std::vector<OpenNode> open_nodes() const;

 private:
  static constexpr std::uint64_t unnumbered = ~std::uint64_t{0};
  struct Node {
    Problem problem;
    Fixed bound = nothing;
    std::size_t depth = 0;
    std::uint64_t number = unnumbered;
    WideVarSet around;     // prices are balanced but for these variables, if not empty
    bool lowered = false;  // ready to be split
    std::vector<std::unique_ptr<Tree>> parts{};
    double bytes = 0;
  };
  using NodePointer = std::unique_ptr<Node>;

  /// What others are to know of a step, besides the nodes that come of it.
  struct News {
    std::vector<Choice> networks{};
    std::vector<std::pair<Split, double>> trials{};  // by how much each has lowered bounds
    std::uint64_t nodes = 0;                         // made
  };
  /// A step of one node. The tree takes it up when all nodes of the round are done.
  struct Step {
    Fixed floor;    // of the round, or the value of a network found since
    Fixed waiting;  // the best bound of those that are not in the round
    Choice choice{};
    std::vector<NodePointer> open{};
    News news{};
    std::uint64_t work = 0;
  };

  /// A tree for a part of a node of another tree.
  Tree(Problem root, Fixed floor, std::uint64_t seed, Tree const& above);

  /// A round.
  void advance(Control& control, std::size_t threads, News& news);
  std::size_t round_size(Control const& control) const;
  void take(Step& step, News& news);
  void announce(News const& news);
  void work_on(NodePointer node, Step& step, Control& control, std::size_t threads) const;
  NodePointer next();
  void push(NodePointer node);
  static bool below(NodePointer const& a, NodePointer const& b);
  /// Prices, fixing and networks; false if the node is closed.
  bool lower(Node& node, Step& step, Control& control) const;
  void branch(NodePointer node, Step& step, Control& control, std::size_t threads) const;
  /// Both sides of a split, their prices adapted a little.
  struct Trial {
    Problem outside{}, inside{};
    WideVarSet near{};
    std::uint64_t work = 0;
  };
  Trial tried(Node const& node, Split const& split, std::size_t number, Fixed least,
              Control& control) const;
  /// A round of one of the parts.
  void work_on_part(NodePointer node, Step& step, Control& control, std::size_t threads) const;
  void open_parts(Node& node, std::vector<WideVarSet> const& parts, Step& step) const;
  /// A node, whose bound is known to be at most `most`.
  static NodePointer make_node(Problem problem, std::size_t depth, WideVarSet around, Fixed most);
  static void adopt(Fixed value, Choice choice, Step& step);
  /// Adds what is open here, as one: whatever any open node has.
  void collect(OpenNode& out) const;
  static void collect(Node const& node, OpenNode& out);
  Fixed floor() const { return std::max(floor_, value_); }
  Fixed bound() const;
  void tell();

  static Split first_split(Problem const& node);
  /// Divided pairs, those that have lowered bounds most before first.
  std::vector<Split> ranked_splits(Problem const& node, Fixed floor) const;
  AscentOptions limits(Problem const& node, Fixed floor, bool quick) const;

  struct SplitHash {
    std::size_t operator()(Split const& split) const;
  };
  /// How far trials of a split have lowered the bounds of both sides.
  struct Record {
    double sum = 0, count = 0;
  };
  /// What a tree and the trees of its parts have in common; it changes between rounds of the tree only.
  struct Shared {
    std::unordered_map<Split, Record, SplitHash> records{};
    std::uint64_t nodes = 0;
  };

  std::uint64_t const seed_;
  TreeOptions const& options_;
  double const memory_bytes_;
  TreeEvents const events_;
  std::shared_ptr<Shared> const shared_;
  Fixed floor_;
  Fixed value_ = nothing;  // of the network found
  Choice choice_;
  Fixed told_ = -nothing;
  std::vector<NodePointer> open_;  // a heap
  double bytes_ = 0;
  std::uint64_t made_ = 0;              // nodes of this tree, which gives them their numbers
  std::uint64_t steps_ = 0, work_ = 0;  // of all nodes so far
};

/// Least regret first [jaakkola2010, Eqs. 14 to 16]: a network of the node, in losses, or nothing
/// if placing gets stuck or control says stop.
NodeResult decode(Problem const& node, Control& control);

}  // namespace bayesloom::relaxation
