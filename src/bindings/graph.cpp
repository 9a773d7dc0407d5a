// graph: networks, their equivalence classes and distances, as bayesloom.network needs them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/exchange.hpp"
#include "bindings.hpp"
#include "graph/directions.hpp"
#include "graph/equivalence.hpp"
#include "graph/mixed_graph.hpp"
#include "graph/network.hpp"
#include "graph/strong_components.hpp"

namespace nb = nanobind;

namespace bayesloom {

namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;
using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using Pairs = std::vector<std::pair<Variable, Variable>>;

Lists to_lists(FlatLists const& flat) {
  Lists lists(flat.size());
  for (std::size_t i = 0; i < flat.size(); ++i) lists[i].assign(flat[i].begin(), flat[i].end());
  return lists;
}

Pairs directed_pairs(MixedGraph const& graph) {
  Pairs pairs;
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (Variable const parent : graph.parents[i]) pairs.emplace_back(parent, i);
  return pairs;
}

Pairs undirected_pairs(MixedGraph const& graph) {
  Pairs pairs;
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (Variable const other : graph.neighbours[i])
      if (i < other) pairs.emplace_back(i, other);
  return pairs;
}

/// The graph of the given edges; no pair of variables may be joined twice.
MixedGraph graph_of(std::size_t size, Edges const& directed, Edges const& undirected) {
  Lists parents(size), neighbours(size), joined(size);
  auto const join = [&](std::uint32_t a, std::uint32_t b) {
    if (std::max(a, b) >= size)
      throw InputError("edge (" + std::to_string(a) + ", " + std::to_string(b) +
                       ") is outside the graph's " + std::to_string(size) + " variables.");
    joined[std::max(a, b)].push_back(std::min(a, b));
  };
  for (auto const& [from, to] : directed) {
    join(from, to);
    parents[to].push_back(from);
  }
  for (auto const& [a, b] : undirected) {
    join(a, b);
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  checked_parents(joined);  // refuses a pair joined twice and an edge from a variable to itself
  return {checked_parents(parents), checked_parents(neighbours)};
}

void require_same_size(std::size_t a, std::size_t b) {
  if (a != b)
    throw InputError("cannot compare networks of " + std::to_string(a) + " and " +
                     std::to_string(b) + " variables.");
}

bool is_covered_checked(Network const& network, std::uint32_t from, std::uint32_t to) {
  if (from >= network.size() || to >= network.size() ||
      !network.has_edge(static_cast<Variable>(from), static_cast<Variable>(to)))
    throw InputError("there is no edge from " + std::to_string(from) + " to " + std::to_string(to) +
                     ".");
  return is_covered(network, static_cast<Variable>(from), static_cast<Variable>(to));
}

}  // namespace

void bind_graph(nb::module_& m) {
  nb::class_<Exchange>(m, "Exchange", "What two solvers of the same cache tell each other.")
      .def(nb::init<bool, Fixed>(), nb::arg("turns"), nb::arg("target_gap") = 0)
      .def("close", &Exchange::close, "Tell both solvers to stop.")
      .def("leave", &Exchange::leave, nb::arg("who"), "Solver `who`, 0 or 1, is done for good.")
      .def_prop_ro("score", &Exchange::score)
      .def_prop_ro("bound", &Exchange::bound);
  using release = nb::call_guard<nb::gil_scoped_release>;

  nb::class_<MixedGraph>(m, "MixedGraph", "A graph with directed and undirected edges.")
      .def(
          "__init__",
          [](MixedGraph* self, std::size_t size, Edges const& directed, Edges const& undirected) {
            new (self) MixedGraph(graph_of(size, directed, undirected));
          },
          nb::arg("size"), nb::arg("directed"), nb::arg("undirected"))
      .def("__len__", &MixedGraph::size)
      .def(
          "__eq__", [](MixedGraph const& a, MixedGraph const& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def_prop_ro("directed", &directed_pairs, "Pairs (from, to).")
      .def_prop_ro("undirected", &undirected_pairs, "Pairs, smaller index first.")
      .def("extension", &extension, release(),
           "A network with this skeleton, these directions and no v-structure that is not shown "
           "here, "
           "or None.");

  nb::class_<Network>(m, "Network", "One parent set per variable, without a cycle.")
      .def(
          "__init__",
          [](Network* self, Lists const& parents) { new (self) Network(checked_parents(parents)); },
          nb::arg("parents"))
      .def("__len__", &Network::size)
      .def(
          "__eq__", [](Network const& a, Network const& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def_prop_ro("parents", [](Network const& network) { return to_lists(network.parents()); })
      .def_prop_ro("children",
                   [](Network const& network) { return to_lists(transposed(network.parents())); })
      .def_prop_ro(
          "order",
          [](Network const& network) {
            return std::vector<Variable>(network.order().begin(), network.order().end());
          },
          "Parents first; among those that could come next, the smallest index first.")
      .def("cpdag", &cpdag, release(), "The picture of the equivalence class.")
      .def("moral", &moral_graph, release(),
           "Directions dropped, parents of a common child joined.")
      .def("directed", &directed_graph, "The network as a MixedGraph.")
      .def("is_covered", &is_covered_checked, nb::arg("source"), nb::arg("target"),
           "Whether reversing the edge gives an equivalent network.");

  m.def(
      "find_cycle", [](Lists const& parents) { return find_cycle(checked_parents(parents)); },
      nb::arg("parents"),
      "Variables of one cycle, each a parent of the next; empty if there is none.");
  m.def(
      "strong_components",
      [](Lists const& parents) { return StrongComponents(checked_parents(parents)).members(); },
      nb::arg("parents"),
      "Sets of variables that lead to each other, each ascending; parents of others come first.");
  m.def(
      "is_equivalent",
      [](Network const& a, Network const& b) {
        require_same_size(a.size(), b.size());
        nb::gil_scoped_release const released;
        return is_equivalent(a, b);
      },
      nb::arg("a"), nb::arg("b"), "Same skeleton and same v-structures.");
  m.def(
      "directions_under",
      [](Network const& network, Edges const& known, std::vector<std::size_t> most,
         Edges const& orders, std::uint64_t work_limit) {
        auto const pairs = [](Edges const& edges) {
          Pairs made;
          for (auto const& [a, b] : edges) {
            if (std::max(a, b) >= max_variables) throw InputError("there is no such variable.");
            made.emplace_back(static_cast<Variable>(a), static_cast<Variable>(b));
          }
          return made;
        };
        Knowledge const knowledge{pairs(known), std::move(most), pairs(orders)};
        Directions made;
        {
          nb::gil_scoped_release const released;
          made = directions_under(network, knowledge, work_limit);
        }
        std::vector<int> labels;
        for (Direction const label : made.edges) labels.push_back(static_cast<int>(label));
        return std::pair(labels, made.work);
      },
      nb::arg("network"), nb::arg("known"), nb::arg("most"), nb::arg("orders"),
      nb::arg("work_limit"),
      "For each edge, by child and then by parent: 0 compelled, 1 by constraints alone, "
      "2 reversible, 3 not decided; and the steps taken.");
  m.def(
      "distance",
      [](MixedGraph const& a, MixedGraph const& b) {
        require_same_size(a.size(), b.size());
        nb::gil_scoped_release const released;
        return distance(a, b);
      },
      nb::arg("a"), nb::arg("b"),
      "Structural Hamming distance: pairs that are joined differently.");
}

}  // namespace bayesloom
