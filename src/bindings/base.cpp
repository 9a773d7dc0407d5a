// base: what the tests need to see of the clock, scores and threads.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <chrono>

#include "base/clock.hpp"
#include "base/fixed_point.hpp"
#include "base/parallel.hpp"
#include "bindings.hpp"
#include "control.hpp"

namespace bayesloom {

void bind_base(nb::module_& m) {
  m.def("thread_count", &thread_count, nb::arg("wanted") = 0,
        "The number of threads to use: `wanted`, or for 0 the processors this process may run on.");
  m.def(
      "parallel_use",
      [](bool wanted) {
        auto const use = parallel_use(wanted);
        nb::dict out;
        out["regions"] = use.regions;
        out["tasks"] = use.tasks;
        out["started"] = use.started;
        out["wall"] = use.wall;
        out["cpu"] = use.cpu;
        out["busiest"] = use.busiest;
        out["longest"] = use.longest;
        return out;
      },
      nb::arg("wanted") = true,
      nb::sig("def parallel_use(wanted: bool = True) -> dict[str, float]"),
      "For benchmarks: what shared work took since the last call: `regions`, how many times it was "
      "shared, in how many `tasks`; `started`, how often another thread was asked to help; and in "
      "seconds `wall`, `cpu` of all threads, `busiest`, of the busiest thread each time, "
      "`longest`, "
      "the same if every thread had a processor of its own. Collects from now on if wanted.");
  m.def("request_interrupt", &request_interrupt, nb::arg("wanted") = true,
        "Asks every kernel of the process to stop and keep its answer, as Ctrl-C does.");
  m.def("interrupt_requested", &interrupt_requested);
  m.def("to_fixed", &to_fixed, nb::arg("nats"), "A score as a whole number of 2^-30 nats.");
  m.def("to_nats", &to_nats, nb::arg("fixed"), "A whole number of 2^-30 nats as a score.");
  m.def(
      "clock",
      [] { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); },
      "What the clock of the core shows, in seconds.");
  m.def(
      "step_clock",
      [](std::optional<double> seconds) {
        std::chrono::duration<double> const step(seconds.value_or(0.0));
        Clock::go_by_steps(std::chrono::duration_cast<Clock::duration>(step));
      },
      nb::arg("seconds").none(),
      "For tests: from now on each look at the clock is so much later than the one before; None is "
      "the time again.");
}

}  // namespace bayesloom
