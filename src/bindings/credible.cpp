// credible: making sets of all networks within a Bayes factor of the best, counting and averages.
#include "credible.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "counts.hpp"
#include "credible/averages/pair_weights.hpp"
#include "credible/averages/total_weight.hpp"
#include "credible/diagram/annealed_sampling.hpp"
#include "credible/diagram/diagram_set.hpp"
#include "credible/subset_dp/subset_dp_set.hpp"

namespace bayesloom {

namespace {

using credible::CredibleSet;

using Estimate = std::tuple<double, double, std::uint64_t, double>;
using Seconds = std::optional<double>;
using Work = std::optional<std::uint64_t>;

Estimate to_tuple(credible::CountEstimate const& found) {
  return {found.count, found.error, found.probes, found.effective};
}

std::optional<OutArray<double>> to_numpy_if(std::optional<std::vector<double>>&& found) {
  if (!found) return std::nullopt;
  return to_numpy(std::move(*found));
}

credible::PairFeature feature(bool ancestor) {
  return ancestor ? credible::PairFeature::ancestor : credible::PairFeature::blanket;
}

Report made(std::unique_ptr<CredibleSet> set, PyControl const& control) {
  Report out;
  out["interrupted"] = control.interrupted();
  out["work"] = control.work();
  out["set"] = set ? nb::cast(std::move(set)) : nb::none();
  return out;
}

void bind_averages(nb::class_<CredibleSet>& set) {
  set.def(
         "candidate_weights",
         [](CredibleSet const& of, Seconds seconds, Progress progress) {
           PyControl control({seconds, std::nullopt}, std::move(progress));
           return to_numpy_if(control.run([&] { return of.candidate_weights(control); }));
         },
         nb::arg("seconds").none() = nb::none(), nb::arg("progress").none() = nb::none(),
         "For each candidate of the cache the sum of exp(score - best) over networks that use it; "
         "None if stopped or if there are too many networks.")
      .def(
          "estimated_shares",
          [](CredibleSet& of, std::uint64_t draws, std::uint64_t seed, Seconds seconds) {
            PyControl control({seconds, std::nullopt}, {});
            auto found = control.run([&] { return of.estimated_shares(draws, seed, control); });
            return std::pair(to_numpy(std::move(found.of_candidate)), found.effective);
          },
          nb::arg("draws"), nb::arg("seed"), nb::arg("seconds").none() = nb::none(),
          "For each candidate of the cache an estimate of its share in the weight, and the "
          "effective sample size.")
      .def(
          "pair_weights",
          [](CredibleSet const& of, bool ancestor, Seconds seconds,
             Progress progress) -> std::optional<OutArray<double>> {
            if (!of.listable()) return std::nullopt;
            PyControl control({seconds, std::nullopt}, std::move(progress));
            return to_numpy_if(
                control.run([&] { return pair_weights(of, feature(ancestor), control); }));
          },
          nb::arg("ancestor"), nb::arg("seconds").none() = nb::none(),
          nb::arg("progress").none() = nb::none(),
          "At a * n + b the weight of networks with b in the Markov blanket of a, or with a path "
          "from a to b; None if stopped or if there are too many networks.")
      .def(
          "pair_counts",
          [](CredibleSet const& of, InArray<std::uint64_t> const& networks, bool ancestor) {
            return to_numpy(pair_counts(of.cache(), view(networks), feature(ancestor)));
          },
          nb::arg("networks"), nb::arg("ancestor"),
          "The same of given networks: how many of them.");
}

void bind_counts(nb::class_<CredibleSet>& set) {
  set.def(
         "count",
         [](CredibleSet& of, Seconds seconds, Work work, Progress progress) {
           PyControl control({seconds, work}, std::move(progress));
           auto const found = control.run([&] { return of.count(control); });
           Report out;
           out["count"] = found.whole ? nb::object(to_int(found.nearest)) : nb::none();
           out["weight"] = found.exact() ? nb::object(nb::float_(found.weight)) : nb::none();
           out["low"] = to_int(found.low);
           out["high"] = found.whole ? nb::object(to_int(found.high)) : nb::none();
           out["work"] = control.work();
           out["interrupted"] = control.interrupted();
           return out;
         },
         nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
         nb::arg("progress").none() = nb::none(),
         "The number of networks, a proved lower bound and a proved upper one, and their weight if "
         "the number is exact; None for all but the lower bound if stopped.")
      .def(
          "count_within",
          [](CredibleSet& of, Fixed loss, Seconds seconds) -> std::optional<nb::int_> {
            if (loss < 0 || loss > of.max_loss())
              throw InputError("the loss must be at most that of the set.");
            PyControl control({seconds, std::nullopt}, {});
            auto const found = control.run([&] { return of.count_within(loss, control); });
            if (!found) return std::nullopt;
            return to_int(*found);
          },
          nb::arg("loss"), nb::arg("seconds").none() = nb::none(),
          "The number of networks at most `loss` below the best, by rounded losses if these were; "
          "None if that is not known.")
      .def(
          "estimate",
          [](CredibleSet& of, std::uint64_t probes, std::uint64_t seed, Seconds seconds,
             Progress progress) {
            PyControl control({seconds, std::nullopt}, std::move(progress));
            return to_tuple(control.run([&] { return of.estimate(probes, seed, control); }));
          },
          nb::arg("probes"), nb::arg("seed"), nb::arg("seconds").none() = nb::none(),
          nb::arg("progress").none() = nb::none(),
          "An unbiased estimate of the number of networks, its standard error, the random walks "
          "made, and the effective sample size.")
      .def(
          "find_near_best",
          [](CredibleSet& of, std::size_t most, Seconds seconds) {
            PyControl control({seconds, std::nullopt}, {});
            return to_int(control.run([&] { return of.find_near_best(most, control); }));
          },
          nb::arg("most"), nb::arg("seconds").none() = nb::none(),
          "Finds at most so many networks near the best, to list where the count did not end; "
          "returns how many networks there are for certain.")
      .def(
          "annealed_estimate",
          [](CredibleSet const& of, CredibleSet& near, std::size_t particles, std::uint64_t seed,
             std::size_t threads, Seconds seconds) -> std::optional<Estimate> {
            PyControl control({seconds, std::nullopt}, {});
            credible::AnnealingOptions options;
            options.particles = particles;
            options.threads = thread_count(threads);
            options.seed = seed;
            auto const found =
                control.run([&] { return annealed_count(of, near, options, control); });
            if (!found) return std::nullopt;
            return to_tuple(*found);
          },
          nb::arg("near"), nb::arg("particles"), nb::arg("seed"), nb::arg("threads") = 0,
          nb::arg("seconds").none() = nb::none(),
          "An estimate of the number of networks by annealed sampling that begins with the "
          "networks "
          "of a smaller set, which must be counted; as `estimate`. None if stopped.");
}

}  // namespace

void bind_credible(nb::module_& m) {
  nb::enum_<dual::Pace>(m, "Pace", "How long dual prices are worked on.")
      .value("rough", dual::Pace::rough)
      .value("quick", dual::Pace::quick)
      .value("slow", dual::Pace::slow);
  nb::class_<CredibleSet> set(m, "CredibleSet", "All networks within a Bayes factor of the best.");
  set.def_prop_ro("backend", &CredibleSet::backend, "'subset DP' or 'diagram'.")
      .def_prop_ro("best", &CredibleSet::best,
                   "The best score that is known, in units of 2^-30 nat; of all, once counted.")
      .def_prop_ro("gap", &CredibleSet::gap,
                   "How far the bound by dual prices is above it, in these units.")
      .def_prop_ro("best_network", &CredibleSet::best_network, "One candidate per variable.")
      .def_prop_ro("max_loss", &CredibleSet::max_loss)
      .def_prop_ro("component_sizes",
                   [](CredibleSet const& of) {
                     std::vector<std::size_t> sizes;
                     for (auto const* const part : of.components()) sizes.push_back(part->size());
                     return sizes;
                   })
      .def_prop_ro("state_count", &CredibleSet::state_count)
      .def_prop_ro("whole", &CredibleSet::whole, "Whether the count has come to its end.")
      .def_prop_ro("drawable", &CredibleSet::drawable, "Whether networks can be drawn.");
  bind_credible_listing(m, set);
  bind_counts(set);
  bind_averages(set);

  m.def(
      "subset_dp_set",
      [](ScoreCache const& cache, Fixed max_loss, std::size_t threads, double memory_bytes,
         std::vector<Order> const& orders, std::vector<std::size_t> const& known,
         CredibleSet const* tried, std::size_t dense_up_to, Seconds seconds, Work work,
         Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        credible::SubsetDpOptions const options{
            max_loss, thread_count(threads), memory_bytes, orders, known, dense_up_to};
        return made(control.run([&]() -> std::unique_ptr<CredibleSet> {
          return credible::SubsetDpSet::make(cache, options, control,
                                             tried == nullptr ? nullptr : tried->reduced_costs());
        }),
                    control);
      },
      nb::arg("cache"), nb::arg("max_loss"), nb::arg("threads") = 0, nb::arg("memory_bytes") = 4e9,
      nb::arg("orders") = std::vector<Order>(), nb::arg("known") = std::vector<std::size_t>(),
      nb::arg("tried").none() = nb::none(),
      nb::arg("dense_up_to") = credible::SubsetDpOptions{}.dense_up_to,
      nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
      nb::arg("progress").none() = nb::none(),
      "The credible set for networks at most `max_loss` (in units of 2^-30 nat) below the best, of "
      "those that keep the orders, pairs of which the first comes before the second; None if "
      "stopped, or if there are more sets of variables than the memory allows. "
      "`known` is a good network, `tried` a set by diagrams around that, whose prices are used.");
  m.def(
      "diagram_set",
      [](ScoreCache const& cache, Fixed max_loss, std::vector<Order> const& orders,
         std::vector<std::size_t> const& known, dual::Pace pace, double memory_bytes,
         Seconds seconds, Progress progress) {
        PyControl control({seconds, std::nullopt}, std::move(progress));
        credible::DiagramOptions const options{max_loss, memory_bytes, orders, known, pace};
        return made(control.run([&]() -> std::unique_ptr<CredibleSet> {
          return credible::DiagramSet::make(cache, options, control);
        }),
                    control);
      },
      nb::arg("cache"), nb::arg("max_loss"), nb::arg("orders") = std::vector<Order>(),
      nb::arg("known") = std::vector<std::size_t>(), nb::arg("pace") = dual::Pace::slow,
      nb::arg("memory_bytes") = 4e9, nb::arg("seconds").none() = nb::none(),
      nb::arg("progress").none() = nb::none(),
      "The same by diagrams, not counted yet, around a known network; how long dual prices are "
      "worked on is the pace.");
  m.def(
      "log_total_weight",
      [](ScoreCache const& cache, Fixed reference, std::vector<Order> const& orders,
         std::size_t threads, double memory_bytes, Seconds seconds, Progress progress) {
        PyControl control({seconds, std::nullopt}, std::move(progress));
        return control.run([&] {
          return credible::log_total_weight(with_orders(cache, orders), reference,
                                            thread_count(threads), memory_bytes, control);
        });
      },
      nb::arg("cache"), nb::arg("reference"), nb::arg("orders") = std::vector<Order>(),
      nb::arg("threads") = 0, nb::arg("memory_bytes") = 4e9, nb::arg("seconds").none() = nb::none(),
      nb::arg("progress").none() = nb::none(),
      "ln of the sum over all networks that keep the orders of exp(score - reference), or None if "
      "stopped.");
}

}  // namespace bayesloom
