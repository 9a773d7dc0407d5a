#include "graph/directions.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/errors.hpp"
#include "graph/chain_edges.hpp"
#include "graph/equivalence.hpp"
#include "graph/order_paths.hpp"

namespace bayesloom {

namespace {

/// An edge gets 1 / this of the work allowed at first, 1 or more, and then so many times as much
/// whenever all have had their turn, 2 or more. No benchmark has tables where either matters.
constexpr std::uint64_t first_part = 1000, next_share = 10;

class Labeller {
 public:
  /// `along` is an order of all variables that network and orders agree with.
  Labeller(Network const& network, Knowledge const& knowledge, std::vector<Variable> const& along,
           std::uint64_t work_limit)
      : edges_(closed(network, knowledge, work_)),
        paths_(knowledge.orders, along, edges_, work_),
        limit_(work_limit),
        place_(network.size()) {
    for (std::size_t k = 0; k < along.size(); ++k) place_[along[k]] = k;
    if (!propagate()) contradiction();
  }

  /// By chain edge.
  std::vector<Direction> labels() {
    std::vector<Direction> labels(edges_.size(), Direction::undecided);
    std::vector<std::size_t> left;
    for (std::size_t e = edges_.size(); e-- > 0;) {
      if (!edges_.is_open(e)) continue;
      if (in_doubt(e))
        left.push_back(e);
      else
        labels[e] = Direction::reversible;
    }
    // The first edge on a path first: what is found of it to be fixed helps with those after it.
    std::ranges::sort(left, {}, [&](std::size_t e) { return place_[edges_.to(e)]; });
    // Every edge in turn with few steps, then those that are left with more.
    for (auto share = limit_ / first_part; !left.empty() && work_ < limit_;
         share = next_share * share + 1) {
      for (std::size_t const e : left)
        if (labels[e] == Direction::undecided && edges_.is_open(e)) seek(e, share, labels);
      std::erase_if(left, [&](std::size_t e) {
        return labels[e] != Direction::undecided || !edges_.is_open(e);
      });
    }
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (!edges_.is_open(e)) labels[e] = Direction::constrained;
    return labels;
  }

  std::uint64_t work() const { return work_; }

 private:
  enum class Found { yes, no, unknown };

  [[noreturn]] static void contradiction() {
    throw InternalError("a network that keeps the constraints was found to contradict them.");
  }

  /// The chain edges with what known edges and limits direct.
  static ChainEdges closed(Network const& network, Knowledge const& knowledge,
                           std::uint64_t& work) {
    ChainEdges edges(network, knowledge.most, work);
    for (auto const& [from, to] : knowledge.known)
      if (std::size_t const e = edges.find(from, to); e != ChainEdges::none) edges.direct(e, true);
    if (!edges.close()) contradiction();
    return edges;
  }

  bool propagate() {
    while (edges_.close()) {
      auto const outcome = paths_.direct(edges_);
      if (outcome != OrderPaths::Outcome::more) return outcome == OrderPaths::Outcome::same;
    }
    return false;
  }

  /// Whether the edge's group has a limit or an order that does not hold by itself.
  bool in_doubt(std::size_t e) {
    group_ = paths_.group(edges_.from(e));
    auto const [at, fresh] = doubt_.try_emplace(group_, false);
    if (fresh) at->second = !unsettled().empty();
    return at->second;
  }

  /// Looks for a member that turns the edge, in so many steps.
  void seek(std::size_t e, std::uint64_t steps, std::vector<Direction>& labels) {
    if (work_ >= limit_) return;
    group_ = paths_.group(edges_.from(e));
    end_ = std::min(limit_, work_ + steps);
    std::size_t const mark = edges_.mark();
    Found found = edges_.direct(e, false) && edges_.close() ? Found::yes : Found::no;
    if (found == Found::yes && !near_by(mark)) {
      edges_.undo(mark);
      found = edges_.direct(e, false) && propagate() ? member() : Found::no;
    }
    if (found == Found::yes)
      for (std::size_t const other : edges_.since(mark))
        if (edges_.is_turned(other)) labels[other] = Direction::reversible;
    edges_.undo(mark);
    if (found == Found::no && (!edges_.direct(e, true) || !propagate())) contradiction();
  }

  /// Whether the network with what is turned since the mark, and hardly more, is a member.
  bool near_by(std::size_t mark) {
    return edges_.settle_cycles(mark) && edges_.keeps_limits(mark) &&
           paths_.keeps_orders(edges_, mark);
  }

  /// Whether the edges directed so far are those of some member; if so they are left as found.
  Found member() {
    std::size_t const mark = edges_.mark();
    std::vector<std::size_t> const doubtful = unsettled();
    if (doubtful.empty()) return Found::yes;
    if (completed(doubtful)) return Found::yes;
    edges_.undo(mark);
    bool unknown = false;
    for (bool const along : {true, false}) {
      if (work_ >= end_) return Found::unknown;
      Found const found =
          edges_.direct(doubtful.front(), along) && propagate() ? member() : Found::no;
      if (found == Found::yes) return found;
      unknown = unknown || found == Found::unknown;
      edges_.undo(mark);
    }
    return unknown ? Found::unknown : Found::no;
  }

  /// Directs everything in doubt as in the network as far as that fits, in the hope for a member.
  bool completed(std::vector<std::size_t> doubtful) {
    while (!doubtful.empty()) {
      if (!as_in_network(doubtful)) return false;
      doubtful = unsettled();
    }
    return true;
  }

  /// All of these as in the network; where they do not go together, halves of them, and one that
  /// does not fit is turned. False if that does not fit either.
  bool as_in_network(std::span<std::size_t const> some) {
    if (work_ >= end_) return false;
    std::size_t const mark = edges_.mark();
    bool fits = true;
    for (std::size_t const e : some)
      if (fits && edges_.is_open(e)) fits = edges_.direct(e, true) && edges_.close();
    if (fits && propagate()) return true;
    edges_.undo(mark);
    if (some.size() == 1) return edges_.direct(some[0], false) && propagate();
    std::size_t const half = some.size() / 2;
    return as_in_network(some.first(half)) && as_in_network(some.subspan(half));
  }

  /// Open edges that a limit or an order of the group still depends on; none if every way to direct
  /// what is open keeps them.
  std::vector<std::size_t> unsettled() {
    auto found = edges_.unsettled([&](Variable v) { return paths_.group(v) == group_; });
    if (group_ == OrderPaths::together) {
      auto const more = paths_.unsettled(edges_);
      found.insert(found.end(), more.begin(), more.end());
    }
    return found;
  }

  std::uint64_t work_ = 0;
  ChainEdges edges_;
  OrderPaths paths_;
  std::uint64_t const limit_;
  std::uint64_t end_ = 0;
  std::size_t group_ = 0;
  std::unordered_map<std::size_t, bool> doubt_;  // by group
  std::vector<std::size_t> place_;               // in an order of the network
};

}  // namespace

Directions directions_under(Network const& network, Knowledge const& knowledge,
                            std::uint64_t work_limit) {
  auto const in_range = [&](auto const& pair) {
    return pair.first < network.size() && pair.second < network.size() && pair.first != pair.second;
  };
  if (!knowledge.most.empty() && knowledge.most.size() != network.size())
    throw InputError("limits on parents must be given for all variables or for none.");
  if (!std::ranges::all_of(knowledge.orders, in_range))
    throw InputError("an order must pair two different variables.");
  for (auto const& pair : knowledge.known)
    if (!in_range(pair) || !network.has_edge(pair.first, pair.second))
      throw InputError("a known edge is not an edge of the network.");
  for (std::size_t v = 0; v < knowledge.most.size(); ++v)
    if (network.parents(v).size() > knowledge.most[v])
      throw InputError("a variable of the network has more parents than it may have.");
  std::vector<std::pair<Variable, Variable>> arcs;  // (child, parent)
  for (std::size_t v = 0; v < network.size(); ++v)
    for (Variable const p : network.parents(v)) arcs.emplace_back(v, p);
  for (auto const& [a, b] : knowledge.orders) arcs.emplace_back(b, a);
  auto const along = topological_order(FlatLists(network.size(), arcs));
  if (!along) throw InputError("the network does not keep the orders.");

  Labeller labeller(network, knowledge, *along, work_limit);
  auto const labels = labeller.labels();
  Directions made;
  made.work = labeller.work();
  MixedGraph const picture = cpdag(network);
  std::size_t next = 0;
  for (std::size_t v = 0; v < network.size(); ++v)
    for (Variable const p : network.parents(v)) {
      bool const open = std::ranges::binary_search(picture.neighbours[v], p);
      made.edges.push_back(open ? labels[next++] : Direction::compelled);
    }
  return made;
}

}  // namespace bayesloom
