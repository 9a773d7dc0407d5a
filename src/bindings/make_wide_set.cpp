// credible, for caches whose components are too large for sets of variables: how such a set begins.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

#include "bindings.hpp"
#include "dual/simple_bound.hpp"
#include "control.hpp"
#include "credible/known_network.hpp"
#include "credible/diagram/diagram_set.hpp"
#include "credible/with_orders.hpp"
#include "relaxation/local_order.hpp"
#include "relaxation/relaxation.hpp"

namespace bayesloom {

using credible::WideSet;

void bind_make_wide_set(nb::module_& m) {
  nb::enum_<dual::Pace>(m, "Pace", "How long prices are worked on (dual/reduced_costs.hpp).")
      .value("rough", dual::Pace::rough)
      .value("quick", dual::Pace::quick)
      .value("slow", dual::Pace::slow);
  m.def(
      "greedy_order",
      [](ScoreCache const& cache) {
        auto const greedy = greedy_network(cache);
        return greedy ? relaxation::order_of(cache, *greedy) : std::vector<Variable>();
      },
      nb::arg("cache"), "The order of a greedy network; empty if there is no network.");
  m.def(
      "order_of",
      [](ScoreCache const& cache, std::vector<credible::Order> const& orders,
         std::vector<std::size_t> const& network) {
        return relaxation::order_of(credible::with_orders(cache, orders), network);
      },
      nb::arg("cache"), nb::arg("orders"), nb::arg("network"),
      "An order of a network, one candidate per variable, that keeps `orders`.");
  m.def(
      "wide_set",
      [](ScoreCache const& cache, Fixed slack, std::vector<credible::Order> const& orders,
         std::vector<Variable> const& good, dual::Pace pace, double memory_bytes,
         std::optional<double> seconds, Progress progress) {
        PyControl control({seconds, std::nullopt}, std::move(progress));
        auto set = control.run([&]() -> std::unique_ptr<WideSet> {
          ScoreCache const paths = credible::with_orders(cache, orders);
          auto network = credible::good_network(paths, good);
          Fixed known = 0;
          for (auto const c : network) known += cache.score(c);
          auto fixing = dual::reduced_cost_fixing(paths, known, known - slack, pace, control);
          return std::make_unique<WideSet>(cache, paths, slack, std::move(network),
                                           std::move(fixing), memory_bytes);
        });
        Report out;
        out["interrupted"] = control.interrupted();
        out["set"] = nb::cast(std::move(set));
        return out;
      },
      nb::arg("cache"), nb::arg("slack"), nb::arg("orders") = std::vector<credible::Order>(),
      nb::arg("good") = std::vector<Variable>(), nb::arg("pace") = dual::Pace::slow,
      nb::arg("memory_bytes") = 4e9, nb::arg("seconds").none() = nb::none(),
      nb::arg("progress").none() = nb::none(),
      "The credible set by diagrams, of the networks that keep the orders, not counted yet, around "
      "the network of a good order; how long prices are worked on is the pace.");
  m.def(
      "best_network",
      [](ScoreCache const& cache, std::vector<credible::Order> const& orders,
         std::vector<std::size_t> const& start, bool branch, double memory_bytes,
         std::optional<double> seconds, std::optional<std::uint64_t> work, Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        ScoreCache const paths = credible::with_orders(cache, orders);
        auto const best = control.run([&] {
          BblpOptions how;
          how.memory_bytes = memory_bytes;
          how.moves = 20 * cache.variable_count();
          how.start = start;
          how.branch = branch;
          return bblp(paths, how, control);
        });
        Report out;
        out["interrupted"] = control.interrupted();
        out["score"] = best.score;
        out["proved"] = best.score == best.bound;
        out["order"] = relaxation::order_of(paths, best.candidates);
        return out;
      },
      nb::arg("cache"), nb::arg("orders"), nb::arg("start"), nb::arg("branch") = true,
      nb::arg("memory_bytes") = 4e9, nb::arg("seconds").none() = nb::none(),
      nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
      "An order of the best network found that keeps `orders`, its score, and whether it is proved "
      "to be the best.");
}

}  // namespace bayesloom
