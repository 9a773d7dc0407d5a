// prices: what a bound says of each candidate, and cluster inequalities as rows of a linear program.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "dual/cut_bound.hpp"
#include "dual/given_prices.hpp"
#include "dual/inequalities_of_four.hpp"
#include "dual/remaining_bound.hpp"
#include "dual/restricted_prices.hpp"
#include "dual/separation.hpp"
#include "dual/weight_kernel.hpp"
#include "dual_prices.hpp"

namespace bayesloom {

void bind_dual(nb::module_& m) {
  m.def(
      "reduced_costs",
      [](ScoreCache const& cache, Fixed known, std::optional<double> seconds,
         std::optional<std::uint64_t> work, Progress progress,
         std::vector<std::vector<Inequality>> const& prices) {
        PyControl control({seconds, work}, std::move(progress));
        auto const given = clusters_of(prices, cache.variable_count());
        auto found =
            control.run([&] { return dual::restricted_prices(cache, known, given, control); });
        Report out;
        out["gap"] = found.gap;
        out["clusters"] = inequalities_of(found.clusters);
        out["last"] = inequalities_of(found.last);
        out["reduced_cost"] = to_numpy(std::move(found.reduced_cost));
        out["work"] = control.work();
        out["interrupted"] = control.interrupted();
        return out;
      },
      nb::arg("cache"), nb::arg("known"), nb::arg("seconds").none() = nb::none(),
      nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
      nb::arg("prices") = std::vector<std::vector<Inequality>>{},
      "The gap of a bound over the known score, its prices, and for each candidate by how much "
      "that "
      "bound is lower for networks that use it. Lists of given prices are tried, and it goes on "
      "from "
      "the last; `last` is what to go on from the next time.");

  m.def(
      "dual_bound",
      [](ScoreCache const& cache, Fixed known, std::vector<std::vector<Inequality>> const& prices) {
        auto out = dual::given_bound(cache, known, clusters_of(prices, cache.variable_count()));
        return std::make_tuple(out.bound, to_numpy(std::move(out.kept)),
                               to_numpy(std::move(out.reduced_cost)));
      },
      nb::arg("cache"), nb::arg("known"), nb::arg("prices"),
      "The bound of lists of prices, taken in turn, and the candidates that a network better than "
      "the known "
      "score may use.");

  m.def(
      "remaining_bounds",
      [](ScoreCache const& cache, std::vector<Inequality> const& prices, VarSet::Word placed) {
        auto const clusters = clusters_of({prices}, cache.variable_count()).front();
        return to_numpy(dual::remaining_bounds(cache, clusters, VarSet(placed)));
      },
      nb::arg("cache"), nb::arg("prices"), nb::arg("placed"),
      "What the variables that are not placed can still add to the sum of the best local scores, "
      "at "
      "most; then for each of them, in ascending order, the same once it is placed too.");
  m.def(
      "inequalities_of_four", &dual::inequalities_of_four,
      "For each: for each member the sets of the other three that block it, as bits of a number.");

  m.def(
      "cut_bound",
      [](ScoreCache const& cache, Fixed known, std::size_t rounds, std::uint64_t seed) {
        PyControl control({}, std::nullopt);
        auto const found =
            control.run([&] { return dual::cut_bound(cache, known, rounds, seed, control); });
        using Weights = std::vector<std::tuple<std::size_t, std::size_t, unsigned>>;
        std::vector<std::tuple<std::vector<Inequality>, std::vector<std::size_t>,
                               std::vector<dual::Index>, std::int64_t, Fixed, Weights>>
            rules;
        for (auto const& rule : found.rules) {
          std::vector<std::size_t> parts;
          for (auto const& part : rule->cuts)
            parts.push_back(static_cast<std::size_t>(
                std::find(found.rules.begin(), found.rules.end(), part) - found.rules.begin()));
          Fixed price = 0;
          for (auto const& cut : found.cuts)
            if (cut.rule == rule) price = cut.price;
          Weights weights;
          for (auto const& member : rule->members)
            for (std::size_t c = member.begin; c < cache.end(member.variable); ++c)
              weights.emplace_back(member.variable, c, rule->weight(member, c));
          rules.emplace_back(inequalities_of(rule->clusters), parts, rule->halved, rule->need,
                             price, weights);
        }
        return std::make_tuple(found.bound, inequalities_of(found.clusters), rules);
      },
      nb::arg("cache"), nb::arg("known"), nb::arg("rounds") = 4, nb::arg("seed") = 0,
      "The bound by prices of clusters and of zero-half cuts: the bound, the clusters, and the "
      "cuts, "
      "each "
      "with the inequalities and the earlier cuts it is made of, the halved variables, need, "
      "price, "
      "and "
      "the weights (variable, candidate, weight).");

  m.def(
      "weight_kernel",
      [](std::string const& name, std::vector<double> weights, std::vector<std::uint64_t> masks,
         std::vector<std::uint64_t> local, std::size_t words, std::size_t need, std::size_t sets,
         double blocked,
         double free) -> std::optional<std::tuple<double, double, std::vector<double>>> {
        auto const* const kernel = dual::weight_kernel(name.c_str());
        if (kernel == nullptr) return std::nullopt;
        dual::BlockTest const test{need, sets};
        auto const sums =
            kernel->sums(weights.data(), masks.data(), weights.size(), local.data(), words, test);
        kernel->scale(weights.data(), masks.data(), weights.size(), local.data(), words, test,
                      {blocked, free});
        return std::make_tuple(sums.blocked, sums.free, std::move(weights));
      },
      nb::arg("name"), nb::arg("weights"), nb::arg("masks"), nb::arg("local"), nb::arg("words"),
      nb::arg("need"), nb::arg("sets"), nb::arg("blocked"), nb::arg("free"),
      "Of weights the sums of those that a test blocks and of the others, and what they are times "
      "two "
      "factors: "
      "by the kernel of this name, None if this processor has none.");

  nb::class_<dual::Separation>(m, "Separation",
                               "Cluster inequalities as rows of a linear program over candidates.")
      .def(
          "__init__",
          [](dual::Separation* self, ScoreCache const& cache, InArray<std::uint64_t> candidates) {
            std::vector<std::size_t> const given(candidates.data(),
                                                 candidates.data() + candidates.size());
            new (self) dual::Separation(cache, given);
          },
          nb::arg("cache"), nb::arg("candidates"))
      .def(
          "add",
          [](dual::Separation& self, std::vector<Inequality> const& inequalities) {
            auto clusters = clusters_of({inequalities}, self.variable_count()).front();
            auto rows = self.add(std::move(clusters));
            return std::make_tuple(
                to_numpy(std::move(rows.first)), to_numpy(std::move(rows.columns)),
                to_numpy(std::move(rows.values)), to_numpy(std::move(rows.least)));
          },
          nb::arg("inequalities"),
          "The rows of these inequalities: where each begins, columns, values, and what they sum "
          "up to at "
          "least.")
      .def(
          "violated",
          [](dual::Separation const& self, InArray<double> shares, double least,
             std::optional<double> seconds) {
            PyControl control({seconds, std::nullopt}, std::nullopt);
            auto const found =
                control.run([&] { return self.violated(view(shares), least, control); });
            return std::make_tuple(inequalities_of(found), control.interrupted());
          },
          nb::arg("shares"), nb::arg("least"), nb::arg("seconds").none() = nb::none(),
          "Inequalities that were not added and are violated by at least so much, and whether "
          "Ctrl-C "
          "came.");
}

}  // namespace bayesloom
