// Which edges of a network can turn where constraints hold.
//
// An edge is reversible if some equivalent network that keeps the constraints turns it. In a CPDAG
// the undirected edges fall into chordal components, each of which is directed by itself, without a
// cycle and without a v-structure; the edges into a component come from the same parents for all of
// its variables [andersson1997]. What the constraints say of such a component:
//
//   known edges    some edges point as they do in the network (required, forbidden, tiers, roots
//                  and leaves come to that). Closed under the rules of [meek1995],
//                    1  c -> a, a - b, c and b not adjacent                            a -> b
//                    2  a -> c -> b, a - b                                             a -> b
//                    4  c -> d -> b, a - b, a adjacent to c and d, c and b are not     a -> b
//                  what is left undirected is just what can turn. (His rule 3 needs a v-structure
//                  of two undirected edges and never applies within a component; a cycle shows as
//                  rule 2 against an edge, because components are chordal.)
//   limits         the most parents of single variables. A limit of at least the largest number of
//                  parents in the network excludes nothing: equivalent networks have the same
//                  numbers of parents, only at other variables.
//   orders         "a before b": the network stays acyclic with one more edge a -> b for each. That
//                  speaks of paths, also through other components.
//
// Limits and orders have no such rules. They direct an edge where one way is out at once: all edges
// out of a variable that has its parents, and u -> v where a path from u to v holds an order. For
// each edge that is still open a member that turns it is sought by backtracking, every other edge
// first as it is in the network, which keeps the constraints: so a member is mostly found without a
// step back, and all edges that it turns are reversible too. Steps are counted; what is still open
// at the end is undecided, never guessed.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graph/network.hpp"

namespace bayesloom {

struct Knowledge {
  std::vector<std::pair<Variable, Variable>> known;   ///< edges of the network that cannot turn
  std::vector<std::size_t> most;                      ///< parents of each variable, or empty
  std::vector<std::pair<Variable, Variable>> orders;  ///< the first comes before the second
};

enum class Direction : std::uint8_t {
  compelled,    ///< the same in every equivalent network
  constrained,  ///< the same in every equivalent network that keeps the constraints
  reversible,   ///< some equivalent network that keeps the constraints turns it
  undecided,    ///< the search was too long
};

struct Directions {
  std::vector<Direction> edges;  ///< by item of `network.parents()`
  std::uint64_t work = 0;        ///< steps
};

/// Throws InputError if the network itself does not keep the constraints.
Directions directions_under(Network const& network, Knowledge const& knowledge,
                            std::uint64_t work_limit);

}  // namespace bayesloom
