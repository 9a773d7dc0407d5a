// A graph whose edges may be directed or not, and how far two of them are apart.
//
// One type for the three pictures of a network that users compare:
//
//   the network itself   every edge directed
//   its CPDAG            directed where all equivalent networks agree, undirected elsewhere
//   its moral graph      no direction; parents of a common child joined
//
// Structural Hamming distance [tsamardinos2006]: the number of pairs of variables that are joined
// differently (not at all, ->, <-, or undirected); a reversed edge costs 1. Cost O(E log E).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graph/flat_lists.hpp"
#include "graph/network.hpp"

namespace bayesloom {

struct MixedGraph {
  FlatLists parents;     ///< i -> j: i on the list of j; ascending
  FlatLists neighbours;  ///< i - j: each on the list of the other; ascending

  std::size_t size() const { return parents.size(); }
  /// Pairs (from, to), by `to`.
  std::vector<std::pair<Variable, Variable>> directed_pairs() const;
  /// Pairs, smaller index first.
  std::vector<std::pair<Variable, Variable>> undirected_pairs() const;
  bool operator==(MixedGraph const&) const = default;
};

/// The graph of the given edges. Throws InputError for a variable that there is not, an edge from a
/// variable to itself, and a pair of variables that is joined twice.
using EdgeList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
MixedGraph mixed_graph(std::size_t size, EdgeList const& directed, EdgeList const& undirected);

/// The network with all its directions.
MixedGraph directed_graph(Network const& network);

/// Variables joined if one is the parent of the other or both are parents of a third.
/// Cost O(sum of squared parent counts), up to a logarithm.
MixedGraph moral_graph(Network const& network);

/// Structural Hamming distance. Throws InputError for graphs of different size.
std::size_t distance(MixedGraph const& a, MixedGraph const& b);

/// A network with the graph's skeleton, its directed edges, and no v-structure that the graph does
/// not show; nothing if there is none. For a CPDAG it is a member of the class [dor1992].
std::optional<Network> extension(MixedGraph const& graph);

}  // namespace bayesloom
