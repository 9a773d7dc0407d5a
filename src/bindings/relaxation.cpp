// relaxation: bounds from cluster prices, and the best network.
#include "relaxation/relaxation.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/errors.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "dual/simple_bound.hpp"
#include "dual_prices.hpp"
#include "orders/order_state.hpp"
#include "solve_result.hpp"

namespace bayesloom {

namespace {

Report to_dict(BblpResult const& result, PyControl const& control) {
  Report out = to_dict(static_cast<SolveResult const&>(result), control);
  nb::list trace;
  for (auto const& point : result.trace)
    trace.append(
        nb::make_tuple(point.seconds, point.work, to_nats(point.score), to_nats(point.bound)));
  out["trace"] = trace;
  out["nodes"] = result.nodes;
  out["cuts"] = result.cuts;
  out["root_bound"] = result.root_bound;
  out["clusters"] = inequalities_of(result.clusters);
  return out;
}

}  // namespace

void bind_relaxation(nb::module_& m) {
  m.def(
      "greedy_order",
      [](ScoreCache const& cache) {
        auto const greedy = greedy_network(cache);
        return greedy ? orders::order_of(cache, *greedy) : std::vector<Variable>();
      },
      nb::arg("cache"), "The order of a greedy network; empty if there is no network.");
  m.def(
      "bblp",
      [](ScoreCache const& cache, std::uint64_t seed, std::size_t moves, bool branch,
         double target_gap, std::vector<std::size_t> start, std::optional<double> seconds,
         std::optional<std::uint64_t> work, Progress progress, std::string const& sets,
         double memory_bytes, Exchange* exchange, std::size_t threads, std::size_t threads_beside,
         std::size_t least_shared, std::vector<std::vector<Inequality>> const& prices,
         std::uint64_t cuts) {
        PyControl control({seconds, work}, std::move(progress));
        control.watch(exchange, 0);
        BblpOptions options;
        if (sets != "in turns" && sets != "never" && sets != "only")
          throw InputError("sets must be 'in turns', 'never' or 'only'.");
        options.sets = sets == "never"  ? BblpOptions::Sets::never
                       : sets == "only" ? BblpOptions::Sets::only
                                        : BblpOptions::Sets::in_turns;
        options.memory_bytes = memory_bytes;
        options.exchange = exchange;
        options.threads = std::max<std::size_t>(1, threads);
        options.threads_beside = std::clamp<std::size_t>(threads_beside, 1, options.threads);
        options.set_search.least_shared = least_shared;
        options.cuts.wanted = options.tree.cuts = cuts > 0;
        options.cuts.after = cuts;
        options.seed = seed;
        options.moves = moves;
        options.branch = branch;
        options.target_gap = target_gap;
        options.start = std::move(start);
        options.prices = clusters_of(prices, cache.variable_count());
        auto const result = control.run([&] { return bblp(cache, options, control); });
        return to_dict(result, control);
      },
      nb::arg("cache"), nb::arg("seed") = 0, nb::arg("moves") = BblpOptions{}.moves,
      nb::arg("branch") = true, nb::arg("target_gap") = 0.0,
      nb::arg("start") = std::vector<std::size_t>{}, nb::arg("seconds").none() = nb::none(),
      nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
      nb::arg("sets") = "in turns", nb::arg("memory_bytes") = BblpOptions{}.memory_bytes,
      nb::arg("exchange").none() = nb::none(), nb::arg("threads") = 1,
      nb::arg("threads_beside") = 1,
      nb::arg("least_shared") = relaxation::SetsOptions{}.least_shared,
      nb::arg("prices") = std::vector<std::vector<Inequality>>{},
      nb::arg("cuts") = relaxation::CutOptions{}.after,
      "Cluster prices with branch and bound. Zero-half cuts begin after so many first turns (a "
      "power of "
      "two), or never if 0.");
}

}  // namespace bayesloom
