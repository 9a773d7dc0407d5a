// order_graph: exact search over sets of placed variables.
#include "order_graph/order_graph.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "control.hpp"
#include "solve_result.hpp"

namespace bayesloom {

void bind_order_graph(nb::module_& m) {
  m.def(
      "subset_dp",
      [](ScoreCache const& cache, std::size_t threads, double memory_bytes,
         std::optional<double> seconds, std::optional<std::uint64_t> work, Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        SubsetDpOptions const options{threads, memory_bytes};
        auto const result = control.run([&] { return subset_dp(cache, options, control); });
        return to_dict(result, control);
      },
      nb::arg("cache"), nb::arg("threads") = 0, nb::arg("memory_bytes") = 0.0,
      nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
      nb::arg("progress").none() = nb::none(), "Dense dynamic programming over all subsets.");
  m.def(
      "astar",
      [](ScoreCache const& cache, std::vector<std::size_t> start, double memory_bytes,
         std::size_t pattern_size, std::optional<double> seconds,
         std::optional<std::uint64_t> work, Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        AstarOptions const options{std::move(start), memory_bytes, pattern_size};
        auto const result = control.run([&] { return astar(cache, options, control); });
        return to_dict(result, control);
      },
      nb::arg("cache"), nb::arg("start") = std::vector<std::size_t>{},
      nb::arg("memory_bytes") = 0.0, nb::arg("pattern_size") = 16,
      nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
      nb::arg("progress").none() = nb::none(), "Best-first search on the order graph.");
}

}  // namespace bayesloom
