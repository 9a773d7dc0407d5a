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

template <typename Options>
using SolverOf = OrderSearchResult (*)(ScoreCache const&, Options const&, OrderSearchLimits const&,
                                       Control&);

/// One Python function per solver: cache, its options, the limits they share.
template <typename Options>
void bind_solver(nb::module_& m, char const* name, SolverOf<Options> solver, char const* doc) {
  m.def(
      name,
      [solver](ScoreCache const& cache, Options const& options, OrderSearchLimits const& limits,
               std::optional<double> seconds, Progress progress) {
        PyControl control({seconds, std::nullopt}, std::move(progress));
        control.watch(limits.exchange, 1);
        auto const result = control.run([&] { return solver(cache, options, limits, control); });
        Report out = to_dict(result, control);
        nb::list trace;
        for (auto const& entry : result.trace)
          trace.append(nb::make_tuple(entry.seconds, entry.work, to_nats(entry.score),
                                      to_nats(result.bound)));
        out["trace"] = trace;
        out["order"] = result.order;
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
      .def_rw("only", &OrderSearchLimits::only, nb::arg().none())
      .def_rw("threads", &OrderSearchLimits::threads)
      .def_rw("seed", &OrderSearchLimits::seed)
      .def_rw("start", &OrderSearchLimits::start)
      .def_rw("exchange", &OrderSearchLimits::exchange, nb::rv_policy::reference, nb::arg().none());
  nb::class_<ObsOptions>(m, "ObsOptions")
      .def(nb::init<>())
      .def_rw("tabu", &ObsOptions::tabu)
      .def_rw("stall", &ObsOptions::stall)
      .def_rw("climbs", &ObsOptions::climbs);
  bind_solver<ObsOptions>(m, "obs", obs, "Swaps neighbours, with a tabu list.");
  nb::enum_<OrderMoves>(m, "OrderMoves", "What follows acyclic selection.")
      .value("none", OrderMoves::none)
      .value("swaps", OrderMoves::swaps)
      .value("inserts", OrderMoves::inserts);
  nb::class_<AsobsOptions>(m, "AsobsOptions")
      .def(nb::init<>())
      .def_rw("moves", &AsobsOptions::moves)
      .def_rw("tabu", &AsobsOptions::tabu)
      .def_rw("stall", &AsobsOptions::stall)
      .def_rw("climbs", &AsobsOptions::climbs);
  bind_solver<AsobsOptions>(m, "asobs", asobs, "Acyclic selection, then order moves.");
  nb::enum_<Selection>(m, "Selection", "How a climb picks among improving inserts.")
      .value("best", Selection::best)
      .value("first", Selection::first)
      .value("hybrid", Selection::hybrid);
  nb::class_<InobsOptions>(m, "InobsOptions")
      .def(nb::init<>())
      .def_rw("selection", &InobsOptions::selection)
      .def_rw("climbs", &InobsOptions::climbs);
  nb::enum_<Shake>(m, "Shake", "How a local optimum is left.")
      .value("swaps", Shake::swaps)
      .value("inserts", Shake::inserts);
  nb::class_<IinobsOptions>(m, "IinobsOptions")
      .def(nb::init<>())
      .def_rw("shake", &IinobsOptions::shake)
      .def_rw("strength", &IinobsOptions::strength)
      .def_rw("leeway", &IinobsOptions::leeway)
      .def_rw("soft_restart", &IinobsOptions::soft_restart)
      .def_rw("soft_restart_share", &IinobsOptions::soft_restart_share)
      .def_rw("hard_restart", &IinobsOptions::hard_restart)
      .def_rw("neutral", &IinobsOptions::neutral);
  bind_solver<IinobsOptions>(m, "iinobs", iinobs, "Climbs by inserts, shakes up, climbs again.");
  nb::enum_<Crossover>(m, "Crossover", "How two orders are combined.")
      .value("cx", Crossover::cx)
      .value("rx", Crossover::rx)
      .value("ob", Crossover::ob);
  nb::class_<MinobsOptions>(m, "MinobsOptions")
      .def(nb::init<>())
      .def_rw("population", &MinobsOptions::population)
      .def_rw("crossover", &MinobsOptions::crossover)
      .def_rw("crossovers", &MinobsOptions::crossovers)
      .def_rw("mutations", &MinobsOptions::mutations)
      .def_rw("mutation_power", &MinobsOptions::mutation_power)
      .def_rw("diversify_after", &MinobsOptions::diversify_after)
      .def_rw("diversify_change", &MinobsOptions::diversify_change)
      .def_rw("diversify_keep", &MinobsOptions::diversify_keep)
      .def_rw("polish", &MinobsOptions::polish)
      .def_rw("neutral", &MinobsOptions::neutral);
  bind_solver<MinobsOptions>(m, "minobs", minobs, "A population of local optima.");
  m.def(
      "best_for_order",
      [](ScoreCache const& cache, std::vector<Variable> const& order) {
        return best_for_order(cache, order);
      },
      "cache"_a, "order"_a, "The candidate of every variable in the best network for an order.");
  m.def(
      "acyclic_selection",
      [](ScoreCache const& cache, std::vector<Variable> const& order) {
        return acyclic_selection(cache, order);
      },
      "cache"_a, "order"_a, "The candidate of every variable that acyclic selection takes.");
  m.def(
      "insert_gains",
      [](ScoreCache const& cache, std::vector<Variable> const& order, std::size_t x) {
        if (x > max_variables) throw InputError("there is no such variable.");
        auto const out = insert_gains(cache, order, static_cast<Variable>(x));
        return nb::make_tuple(out.gains, out.best_position, out.best_gain);
      },
      "cache"_a, "order"_a, "variable"_a,
      nb::sig("def insert_gains(cache: ScoreCache, order: Sequence[int], variable: int) -> "
              "tuple[list[int | None], int, int]"),
      "The gain of every position of a variable; the best position and its gain.");
  bind_solver<InobsOptions>(m, "inobs", inobs, "Climbs by inserts.");
}

}  // namespace bayesloom
