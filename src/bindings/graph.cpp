// graph: networks, their equivalence classes and distances, as bayesloom.network needs them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
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
            new (self) MixedGraph(mixed_graph(size, directed, undirected));
          },
          nb::arg("size"), nb::arg("directed"), nb::arg("undirected"))
      .def("__len__", &MixedGraph::size)
      .def(
          "__eq__", [](MixedGraph const& a, MixedGraph const& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def_prop_ro("directed", &MixedGraph::directed_pairs, "Pairs (from, to).")
      .def_prop_ro("undirected", &MixedGraph::undirected_pairs, "Pairs, smaller index first.")
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
      .def_prop_ro("parents", &Network::parent_sets)
      .def_prop_ro("children", &Network::child_sets)
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
      .def("is_covered", &is_covered, nb::arg("source"), nb::arg("target"),
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
        nb::gil_scoped_release const released;
        return distance(a, b);
      },
      nb::arg("a"), nb::arg("b"),
      "Structural Hamming distance: pairs that are joined differently.");
}

}  // namespace bayesloom
