// layout: boxes and curves of a drawing, as bayesloom.networks.layout needs them.
#include "layout/layout.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "control.hpp"
#include "layout/crossings.hpp"
#include "layout/layers.hpp"

namespace bayesloom {

namespace {

using layout::Arc;
using layout::Layout;
using Points = std::vector<std::pair<double, double>>;
using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::vector<Arc> arcs_of(Edges const& edges) {
  std::vector<Arc> arcs;
  for (auto const& [from, to] : edges) arcs.push_back({from, to});
  return arcs;
}

Points points_of(std::vector<layout::Point> const& given) {
  Points points;
  for (auto const& [x, y] : given) points.emplace_back(x, y);
  return points;
}

/// Ctrl-C of a Python program ends the drawing; a program that was told to stop gets the drawing so
/// far, which is a valid one.
void raise_if_interrupted(PyControl const& control) {
  if (!control.interrupted() || interrupt_requested()) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

}  // namespace

void bind_layout(nb::module_& m) {
  nb::class_<Layout>(m, "Layout", "Boxes in layers and curves that touch no box but their own.")
      .def_ro("width", &Layout::width)
      .def_ro("height", &Layout::height)
      .def_ro("crossings", &Layout::crossings, "Of edges as lines between layers.")
      .def_prop_ro(
          "boxes", [](Layout const& found) { return points_of(found.boxes); },
          "The upper left corner of each.")
      .def_prop_ro(
          "routes",
          [](Layout const& found) {
            std::vector<Points> routes;
            for (auto const& route : found.routes) routes.push_back(points_of(route));
            return routes;
          },
          "Of each edge the points of cubic Bezier curves, one after the other.");
  m.def(
      "layered_layout",
      [](std::vector<double> const& widths, double height, Edges const& edges) {
        PyControl control({}, {});
        auto const arcs = arcs_of(edges);
        auto found =
            control.run([&] { return layout::layered_layout(widths, height, arcs, control); });
        raise_if_interrupted(control);
        return found;
      },
      nb::arg("widths"), nb::arg("height"), nb::arg("edges"),
      "Lay out boxes of these widths; edges (from, to) have no cycle and do not repeat.");
  m.def(
      "layers_of",
      [](std::size_t vertices, Edges const& edges) {
        Control control;
        return layout::layers_of(vertices, arcs_of(edges), control);
      },
      nb::arg("vertices"), nb::arg("edges"),
      "The layer of each vertex of a connected graph, the sum of lengths of edges being least.");
  m.def(
      "layer_crossings",
      [](std::vector<std::uint32_t> const& layer, Edges const& edges, bool reduced) {
        Control control;
        auto graph = layout::layered_graph(layer.size(), arcs_of(edges), layer);
        if (reduced) graph.rows = layout::orders_of(graph, 1, control)[0];
        return std::pair(layout::crossings_of(graph), graph.rows);
      },
      nb::arg("layer"), nb::arg("edges"), nb::arg("reduced"),
      "Crossings, and the vertices of each layer in order; bends of long edges count on.");
}

}  // namespace bayesloom
