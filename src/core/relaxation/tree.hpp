// Branch and bound over nodes.
//
// A node is bounded by dual ascent from the prices it inherits, made smaller (dual/reduction.hpp),
// split into strongly connected components that are solved one by one, decoded into a network, and,
// if a gap is left, split in two on a pair (i, C): i takes no parent from C, or it takes one
// [jaakkola2010, section 6].
#pragma once

#include <functional>
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
  std::function<void(Fixed)> bound;            ///< the node has this bound now
  std::function<void(Choice const&)> network;  ///< a good network of the node, or of a part of it
};

class Tree {
 public:
  Tree(std::uint64_t seed, Control& control, TreeOptions const& options, TreeEvents events = {})
      : control_(control), options_(options), ascent_(seed, control), events_(std::move(events)) {}

  /// Finds the best network of the node if it is better than the floor. Unless control says stop,
  /// the result's bound is at most the floor or equal to the value found.
  NodeResult solve(Problem node, Fixed floor) { return solve(std::move(node), floor, 0, nullptr); }

  std::uint64_t nodes() const { return nodes_; }

 private:
  /// With `around`, prices are balanced but for these variables.
  NodeResult solve(Problem node, Fixed floor, std::size_t depth, WideVarSet const* around);
  NodeResult solve_parts(Problem const& node, std::vector<WideVarSet> const& parts, Fixed floor,
                         std::size_t depth);
  NodeResult branch(Problem& node, Fixed floor, std::size_t depth);
  Split first_split(Problem const& node) const;
  /// Divided pairs, those that have lowered bounds most before first.
  std::vector<Split> ranked_splits(Problem const& node, Fixed floor);
  AscentOptions limits(Problem const& node, Fixed floor, bool quick) const;
  /// The node at hand has this bound: with it and all that wait, the whole may have a lower one.
  void tell(Fixed bound);

  struct SplitHash {
    std::size_t operator()(Split const& split) const;
  };
  /// How far trials of a split have lowered the bounds of both sides.
  struct Record {
    double sum = 0, count = 0;
  };

  Control& control_;
  TreeOptions const options_;
  Ascent ascent_;
  TreeEvents const events_;
  Fixed told_ = -nothing;
  Fixed offset_ = 0;            // what the rest adds to a bound of the part at hand
  std::vector<Fixed> pending_;  // bounds of nodes that wait, with what the rest adds
  std::unordered_map<Split, Record, SplitHash> records_;
  std::uint64_t nodes_ = 0;
};

/// Least regret first [jaakkola2010, Eqs. 14 to 16]: a network of the node, in losses, or nothing
/// if placing gets stuck or control says stop.
NodeResult decode(Problem const& node, Control& control);

}  // namespace bayesloom::relaxation
