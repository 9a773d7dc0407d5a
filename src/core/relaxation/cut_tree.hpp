// Branch and cut over one component, for caches whose candidates are many and near in score.
//
// The relaxation is a linear program (dual/linear_program.hpp) over the candidates that may be part
// of a better network, with the inequalities that its solutions violate: clusters, those of four and
// zero-half cuts of any of these. Where that does not close the gap: best bound first, on arrows. An
// arrow that is fractional is taken, so that its reverse is not, or not taken. A few arrows are tried
// on both sides, those before that have lowered bounds most where they were tried.
//
// No bound comes from floating point. Duals rounded down are prices, and the bound of a node is
// worked out from them in whole numbers (cut_rows.hpp), over the candidates that it has left; so is
// what candidates go by their reduced cost. A node whose gap is a rounding error goes to Tree, which is exact.
// Rows hold for all networks, so they stay from node to node as long as they are of use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "dual/linear_program.hpp"
#include "dual/problem.hpp"
#include "relaxation/cut_rows.hpp"
#include "relaxation/node_result.hpp"
#include "relaxation/options.hpp"
#include "relaxation/tree.hpp"

namespace bayesloom::relaxation {

/// How a node was closed, for a certificate.
struct ProofNode {
  enum class End : std::uint8_t { open, leaf, split, sets };
  std::vector<PriceList> fixes;  ///< candidates go by these, in turn
  PriceList last;                ///< of a leaf
  End end = End::open;
  Index child = 0, parent = 0;        ///< the arrow of a split
  std::size_t with = 0, without = 0;  ///< nodes
};

class CutTree {
 public:
  /// Looks for the best network of the root that is better than the floor. The root's clusters are the first
  /// rows. Nothing else may use the program. `memory_bytes` for open nodes: beyond it the newest is next, as in
  /// Tree. `record`: keeps what a certificate needs, with prices that are at most so many bits finer than units.
  CutTree(Problem const& root, Fixed floor, std::uint64_t seed, CutTreeOptions const& options,
          LinearProgram& program, double memory_bytes, TreeEvents events = {},
          std::optional<int> record = {});
  CutTree(CutTree const&) = delete;
  CutTree& operator=(CutTree const&) = delete;

  /// Goes on until the best network is known, the program fails, or control says stop.
  void run(Control& control);
  void raise_floor(Fixed floor);

  bool done() const { return open_.empty(); }
  bool failed() const { return failed_; }
  /// Unless done, the bound is that of the best open node. If done it is at most the floor or equal
  /// to the value found.
  NodeResult result() const;
  std::uint64_t nodes() const { return nodes_; }
  std::size_t cuts() const { return cuts_; }
  /// Candidates, by their number in the cache, that no network above the floor uses.
  std::vector<std::size_t> fixed() const;
  std::vector<ProofNode> const& proof() const { return proof_; }

 private:
  using Flags = std::vector<std::uint8_t>;
  struct Node {
    Flags open;
    Fixed bound = nothing;
    std::size_t depth = 0;
    std::uint64_t number = 0;
    std::size_t proof = 0;
    bool lowered = false;
  };
  struct Arrow {
    Index child, parent;
    friend auto operator<=>(Arrow const&, Arrow const&) = default;
  };
  struct Record {
    double sum = 0, count = 0;
  };
  enum class Outcome : std::uint8_t { open, closed, stopped };

  static bool below(Node const& a, Node const& b);
  Fixed floor() const { return std::max(floor_, value_); }
  void begin_program();
  Node next();
  void step(Control& control);
  Outcome lower(Node& node, Control& control);
  void branch(Node node, Control& control);
  /// Solves to the end, with columns that price better coming in; closed if prices close the node.
  Outcome solve(Node& node, Control& control);
  /// The program's shares, and its duals without those of variables. False, and failed, if it has none.
  bool read_solution(std::vector<double>& shares, std::vector<double>& duals);
  /// The bound of the program's duals over the node; candidates go. False if that closes the node.
  bool use_duals(Node& node, std::vector<double> const& duals);
  /// Where the program has no solution: whether that closes the node, or for want of columns, which come in.
  enum class Ray : std::uint8_t { nothing, closed, columns };
  Ray use_ray(Node& node);
  std::size_t add_violated(double least, bool hard, Control& control);
  std::size_t add_cuts(std::size_t starts, Control& control);
  void add_rows(std::size_t from);
  void drop_idle();
  void drop_columns();
  std::size_t take_columns(Node const& node);
  void put_columns(std::vector<std::size_t> const& candidates);
  void allow(Node const& node);
  FractionalNetwork fractional() const;
  void look_for_network(Control& control);
  void adopt(Fixed value, Choice choice);
  /// Whether a gap is only what floating point left: the program once more, with what candidates are missing to
  /// the best as costs, in units.
  bool refine(Node const& node, Control& control);
  /// By Tree, over what the node has left.
  Outcome finish(Node& node, Control& control);
  bool side(Node const& node, Arrow arrow, bool with, Flags& open) const;
  std::vector<std::pair<Arrow, double>> arrows() const;
  /// Both sides of it have fewer candidates.
  bool divides(Node const& node, Arrow arrow) const;
  void keep_dividing(Node const& node, std::vector<std::pair<Arrow, double>>& arrows) const;
  void push(Node node);
  void tell();

  CutTreeOptions const& options_;
  LinearProgram& program_;
  double const memory_bytes_;
  TreeEvents const events_;
  bool const record_;
  Rng rng_;
  std::uint64_t const seed_;
  CutRows rows_;
  Fixed floor_, value_ = nothing;
  Choice choice_;
  Fixed told_ = -nothing;
  Flags alive_;                         // by candidate
  Flags allowed_;                       // by candidate: in the program, and not held at 0
  std::vector<std::int32_t> place_;     // by candidate: its column, or -1
  std::vector<std::size_t> column_;     // by column
  std::vector<double> shares_, duals_;  // of the last solution; shares by candidate
  std::map<Arrow, Record> records_;
  std::vector<Node> open_;  // a heap
  std::uint64_t nodes_ = 0, made_ = 0;
  std::size_t cuts_ = 0;
  std::size_t begun_rows_ = 0;  // in the program
  bool begun_ = false, failed_ = false;
  std::vector<ProofNode> proof_;
};

}  // namespace bayesloom::relaxation
