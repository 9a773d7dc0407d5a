// order_search: good networks for any number of variables, by search over orders.
#include "order_search/order_search.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "base/errors.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "solve_result.hpp"

namespace bayesloom {

using namespace nb::literals;

namespace {

std::vector<Variable> const& checked(ScoreCache const& cache, std::vector<Variable> const& order) {
  std::vector<bool> seen(cache.variable_count(), false);
  for (Variable const v : order) {
    if (v >= seen.size() || seen[v]) throw InputError("an order must name every variable once.");
    seen[v] = true;
  }
  if (order.size() != seen.size()) throw InputError("an order must name every variable once.");
  return order;
}

template <typename Options>
using SolverOf = OrderSearchResult (*)(ScoreCache const&, Options const&, OrderSearchLimits const&, Control&);

/// One Python function per solver: cache, its options, the limits they share.
template <typename Options>
void bind_solver(nb::module_& m, char const* name, SolverOf<Options> solver, char const* doc) {
  m.def(
      name,
      [solver](ScoreCache const& cache, Options const& options, OrderSearchLimits const& limits,
               std::optional<double> seconds, Progress progress) {
        if (!limits.start.empty()) checked(cache, limits.start);
        PyControl control({seconds, std::nullopt}, std::move(progress));
        auto const result = control.run([&] { return solver(cache, options, limits, control); });
        Report out = to_dict(result, control);
        nb::list trace;
        for (auto const& entry : result.trace)
          trace.append(nb::make_tuple(entry.seconds, entry.work, to_nats(entry.score), to_nats(result.bound)));
        out["trace"] = trace;
        return out;
      },
      "cache"_a, "options"_a, "limits"_a, "seconds"_a.none() = nb::none(),
      "progress"_a.none() = nb::none(), doc);
}

}  // namespace

void bind_order_search(nb::module_& m) {
  nb::class_<OrderSearchLimits>(m, "OrderSearchLimits", "What the solvers of order search share.")
      .def(nb::init<>())
      .def_rw("work", &OrderSearchLimits::work, nb::arg().none())
      .def_rw("target", &OrderSearchLimits::target, nb::arg().none())
      .def_rw("patience", &OrderSearchLimits::patience)
      .def_rw("islands", &OrderSearchLimits::islands)
      .def_rw("threads", &OrderSearchLimits::threads)
      .def_rw("seed", &OrderSearchLimits::seed)
      .def_rw("start", &OrderSearchLimits::start);
  nb::enum_<Selection>(m, "Selection", "How a climb picks among improving inserts.")
      .value("best", Selection::best)
      .value("first", Selection::first)
      .value("hybrid", Selection::hybrid);
  nb::class_<InobsOptions>(m, "InobsOptions")
      .def(nb::init<>())
      .def_rw("selection", &InobsOptions::selection)
      .def_rw("climbs", &InobsOptions::climbs);
  m.def("best_for_order", [](ScoreCache const& cache, std::vector<Variable> const& order) {
    return best_for_order(cache, checked(cache, order));
  }, "cache"_a, "order"_a, "The candidate of every variable in the best network for an order.");
  m.def("insert_gains", [](ScoreCache const& cache, std::vector<Variable> const& order, std::size_t x) {
    if (x >= cache.variable_count()) throw InputError("there is no such variable.");
    auto const out = insert_gains(cache, checked(cache, order), static_cast<Variable>(x));
    return nb::make_tuple(out.gains, out.best_position, out.best_gain);
  }, "cache"_a, "order"_a, "variable"_a,
     nb::sig("def insert_gains(cache: ScoreCache, order: Sequence[int], variable: int) -> "
             "tuple[list[int | None], int, int]"),
     "The gain of every position of a variable; the best position and its gain.");
  bind_solver<InobsOptions>(m, "inobs", inobs, "Climbs by inserts.");
}

}  // namespace bayesloom
