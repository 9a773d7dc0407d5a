// order_graph: exact search over sets of placed variables.
#include "order_graph/order_graph.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "control.hpp"
#include "solve_result.hpp"

namespace bayesloom {

void bind_order_graph(nb::module_& m) {
  PreparationOptions const prepared;  // the defaults
  m.def(
      "subset_dp",
      [](ScoreCache const& cache, std::size_t threads, double memory_bytes,
         std::vector<std::size_t> start, std::optional<double> seconds,
         std::optional<std::uint64_t> work, Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        SubsetDpOptions const options{threads, memory_bytes, std::move(start)};
        auto const result = control.run([&] { return subset_dp(cache, options, control); });
        return to_dict(result, control);
      },
      nb::arg("cache"), nb::arg("threads") = 0, nb::arg("memory_bytes") = 0.0,
      nb::arg("start") = std::vector<std::size_t>{}, nb::arg("seconds").none() = nb::none(),
      nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
      "Dense dynamic programming over all subsets.");
  m.def("subset_dp_bytes", subset_dp_bytes, nb::arg("variables"), nb::arg("threads"),
        "The least memory of `subset_dp` for a component of so many variables.");
  m.def(
      "astar",
      [](ScoreCache const& cache, std::vector<std::size_t> start, double memory_bytes,
         std::size_t pattern_size, std::size_t cluster_rounds, std::size_t threads,
         std::optional<double> seconds, std::optional<std::uint64_t> work, Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        AstarOptions const options{
            std::move(start), memory_bytes, {cluster_rounds, pattern_size}, threads};
        auto const result = control.run([&] { return astar(cache, options, control); });
        return to_dict(result, control);
      },
      nb::arg("cache"), nb::arg("start") = std::vector<std::size_t>{},
      nb::arg("memory_bytes") = 0.0, nb::arg("pattern_size") = prepared.pattern_size,
      nb::arg("cluster_rounds") = prepared.cluster_rounds, nb::arg("threads") = 0,
      nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
      nb::arg("progress").none() = nb::none(), "Best-first search on the order graph.");
  m.def(
      "bfbnb",
      [](ScoreCache const& cache, std::string scratch, double memory_bytes, std::size_t threads,
         std::vector<std::size_t> start, bool resume, std::size_t pattern_size,
         std::size_t cluster_rounds, std::optional<bool> dense,
         std::vector<std::pair<std::string, std::string>> asked, std::optional<double> seconds,
         std::optional<std::uint64_t> work, Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        using Dense = BfbnbOptions::Dense;
        BfbnbOptions const options{
            std::move(start),
            threads,
            memory_bytes,
            std::move(scratch),
            resume,
            {cluster_rounds, pattern_size},
            !dense ? Dense::when_it_pays : (*dense ? Dense::always : Dense::never),
            std::move(asked)};
        auto const out = control.run([&] { return bfbnb(cache, options, control); });
        Report report = to_dict(out.result, control);
        report["disk_bytes"] = out.disk_bytes;
        return report;
      },
      nb::arg("cache"), nb::arg("scratch"), nb::arg("memory_bytes"), nb::arg("threads") = 0,
      nb::arg("start") = std::vector<std::size_t>{}, nb::arg("resume") = false,
      nb::arg("pattern_size") = prepared.pattern_size,
      nb::arg("cluster_rounds") = prepared.cluster_rounds, nb::arg("dense").none() = nb::none(),
      nb::arg("asked") = std::vector<std::pair<std::string, std::string>>{},
      nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
      nb::arg("progress").none() = nb::none(),
      "Breadth-first branch and bound with layers on disk; dense: when it pays, never or always.");
}

}  // namespace bayesloom
