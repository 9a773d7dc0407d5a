// relaxation: bounds from cluster prices, and the best network.
#include "relaxation/relaxation.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "control.hpp"
#include "solve_result.hpp"

namespace bayesloom {

namespace {

Report to_dict(BblpResult const& result, PyControl const& control) {
  Report out = to_dict(static_cast<SolveResult const&>(result), control);
  nb::list trace;
  for (auto const& point : result.trace)
    trace.append(nb::make_tuple(point.seconds, point.work, to_nats(point.score), to_nats(point.bound)));
  out["trace"] = trace;
  out["nodes"] = result.nodes;
  out["root_bound"] = result.root_bound;
  return out;
}

}  // namespace

void bind_relaxation(nb::module_& m) {
  m.def(
      "bblp",
      [](ScoreCache const& cache, std::uint64_t seed, std::size_t moves, bool branch, double target_gap,
         std::vector<std::size_t> start, std::optional<double> seconds, std::optional<std::uint64_t> work,
         Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        BblpOptions const options{seed, moves, branch, target_gap, std::move(start)};
        auto const result = control.run([&] { return bblp(cache, options, control); });
        return to_dict(result, control);
      },
      nb::arg("cache"), nb::arg("seed") = 0, nb::arg("moves") = BblpOptions{}.moves,
      nb::arg("branch") = true, nb::arg("target_gap") = 0.0,
      nb::arg("start") = std::vector<std::size_t>{}, nb::arg("seconds").none() = nb::none(),
      nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
      "Cluster prices with branch and bound.");
}

}  // namespace bayesloom
