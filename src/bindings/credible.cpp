// credible: all networks within a Bayes factor of the best.
#include "credible/subset_dp/subset_dp_set.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "counts.hpp"
#include "credible/classes/class_size.hpp"
#include "credible/averages/pair_weights.hpp"
#include "credible/averages/total_weight.hpp"
#include "credible/diagram/diagram_set.hpp"
#include "credible_streams.hpp"
#include "graph/network.hpp"

namespace bayesloom {

namespace {

credible::PairFeature feature(bool ancestor) {
  return ancestor ? credible::PairFeature::ancestor : credible::PairFeature::blanket;
}

}  // namespace

void bind_credible(nb::module_& m) {
  nb::class_<NetworkStream>(m, "CredibleStream", "The networks of a credible set, many at a time.")
      .def("take", &NetworkStream::take, nb::arg("most"),
           "Candidates, one per variable and network, and fixed-point scores of the next networks.")
      .def("take_json", &NetworkStream::take_json, nb::arg("most"),
           "The next networks as lines of JSON, and how many they are.");

  nb::class_<ClassStream>(m, "CredibleClassStream",
                          "The classes of a credible set, many at a time.")
      .def("take", &ClassStream::take, nb::arg("most"),
           "Candidates of one network per class, fixed-point scores and numbers of members.");

  nb::class_<ClassList>(m, "CredibleClasses", "The equivalence classes of a credible set.")
      .def_prop_ro("count", [](ClassList const& list) { return to_int(list.classes.count()); })
      .def_prop_ro(
          "whole", [](ClassList const& list) { return list.classes.whole(); },
          "Whether all classes and all their members were found.")
      .def(
          "stream", [](ClassList const& list) { return std::make_unique<ClassStream>(list); },
          nb::keep_alive<0, 1>(), "A fresh stream of the classes.");

  nb::class_<CredibleSet>(m, "CredibleSet", "All networks within a Bayes factor of the best.")
      .def_prop_ro("best", &CredibleSet::best, "The best score, in units of 2^-30 nat.")
      .def_prop_ro("best_network", &CredibleSet::best_network, "One candidate per variable.")
      .def_prop_ro("component_sizes",
                   [](CredibleSet const& set) {
                     std::vector<std::size_t> sizes;
                     for (auto const& part : set.parts()) sizes.push_back(part.component.size());
                     return sizes;
                   })
      .def_prop_ro("state_count", &CredibleSet::state_count)
      .def(
          "count",
          [](CredibleSet& set, std::optional<double> seconds, std::optional<std::uint64_t> work,
             Progress progress) {
            PyControl control({seconds, work}, std::move(progress));
            auto const total = control.run([&] { return set.count(control); });
            Report out;
            out["count"] = total ? nb::object(to_int(total->count)) : nb::none();
            out["mass"] = total ? nb::object(nb::float_(total->mass)) : nb::none();
            out["work"] = control.work();
            out["interrupted"] = control.interrupted();
            return out;
          },
          nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
          nb::arg("progress").none() = nb::none(),
          "The number of networks and their mass, or None for both if stopped.")
      .def(
          "estimate",
          [](CredibleSet const& set, std::uint64_t probes, std::uint64_t seed,
             std::optional<double> seconds, Progress progress) {
            PyControl control({seconds, std::nullopt}, std::move(progress));
            Rng rng(seed);
            auto const found = control.run([&] { return set.estimate(probes, rng, control); });
            return std::tuple(found.count, found.error, found.probes, found.effective);
          },
          nb::arg("probes"), nb::arg("seed"), nb::arg("seconds").none() = nb::none(),
          nb::arg("progress").none() = nb::none(),
          "An unbiased estimate of the number of networks, its standard error, the probes made, "
          "and "
          "how many of equal weight they are worth.")
      .def(
          "count_within",
          [](CredibleSet& set, Fixed loss,
             std::optional<double> seconds) -> std::optional<nb::int_> {
            if (loss < 0 || loss > set.slack())
              throw InputError("the loss must lie within the slack.");
            PyControl control({seconds, std::nullopt}, {});
            auto const total = control.run([&] { return set.count_within(loss, control); });
            if (!total) return std::nullopt;
            return to_int(total->count);
          },
          nb::arg("loss"), nb::arg("seconds").none() = nb::none(),
          "The number of networks at most `loss` below the best, or None if stopped.")
      .def(
          "stream",
          [](CredibleSet const& set, std::optional<Fixed> within) {
            return std::make_unique<NetworkStream>(
                set, std::min(set.slack(), within.value_or(set.slack())));
          },
          nb::arg("within").none() = nb::none(), nb::keep_alive<0, 1>(),
          "A fresh stream of the networks, or of those at most `within` below the best.")
      .def_prop_ro("ranked", &CredibleSet::ranked,
                   "Whether all states are counted and remembered, so that networks can be drawn.")
      .def(
          "draw",
          [](CredibleSet const& set, std::size_t networks, std::uint64_t seed, bool even) {
            if (!set.ranked())
              throw ResourceError("only from a set that was counted networks can be drawn.");
            std::vector<std::uint64_t> candidates;
            std::vector<Fixed> scores;
            {
              nb::gil_scoped_release const release;
              std::size_t const n = set.cache().variable_count();
              candidates.resize(networks * n);
              Rng rng(seed);
              auto walk = set.walk();
              for (std::size_t i = 0; i < networks; ++i) {
                even ? walk.draw_even(rng) : walk.draw(rng);
                set.candidates(walk, std::span(candidates).subspan(i * n, n));
                scores.push_back(set.best() - walk.loss());
              }
            }
            return Batch(
                nb::make_tuple(to_numpy(std::move(candidates)), to_numpy(std::move(scores))));
          },
          nb::arg("networks"), nb::arg("seed"), nb::arg("even") = false,
          "Networks drawn with probability proportional to their mass, or each as likely as the "
          "other: candidates and scores.")
      .def(
          "estimated_shares",
          [](CredibleSet const& set, std::uint64_t probes, std::uint64_t seed,
             std::optional<double> seconds) {
            PyControl control({seconds, std::nullopt}, {});
            Rng rng(seed);
            auto found = control.run([&] { return set.estimated_shares(probes, rng, control); });
            return std::pair(to_numpy(std::move(found.first)), found.second);
          },
          nb::arg("probes"), nb::arg("seed"), nb::arg("seconds").none() = nb::none(),
          "For each candidate of the cache an estimate of its share in the mass; and how many "
          "networks "
          "drawn by mass would be as good.")
      .def(
          "pair_masses",
          [](CredibleSet const& set, bool ancestor, std::optional<double> seconds,
             Progress progress) -> std::optional<OutArray<double>> {
            PyControl control({seconds, std::nullopt}, std::move(progress));
            auto masses = control.run([&] { return pair_masses(set, feature(ancestor), control); });
            if (!masses) return std::nullopt;
            return to_numpy(std::move(*masses));
          },
          nb::arg("ancestor"), nb::arg("seconds").none() = nb::none(),
          nb::arg("progress").none() = nb::none(),
          "At a * n + b the mass of networks with b in the Markov blanket of a, or with a path "
          "from a to b; "
          "None if stopped.")
      .def(
          "pair_counts",
          [](CredibleSet const& set, InArray<std::uint64_t> const& networks, bool ancestor) {
            for (auto const c : view(networks))
              if (c >= set.cache().candidate_count())
                throw InputError("there is no such candidate.");
            return to_numpy(pair_counts(set.cache(), view(networks), feature(ancestor)));
          },
          nb::arg("networks"), nb::arg("ancestor"), "The same of given networks: how many of them.")
      .def(
          "candidate_masses",
          [](CredibleSet const& set, std::optional<double> seconds,
             Progress progress) -> std::optional<OutArray<double>> {
            PyControl control({seconds, std::nullopt}, std::move(progress));
            auto masses = control.run([&] { return set.candidate_masses(control); });
            if (!masses) return std::nullopt;
            return to_numpy(std::move(*masses));
          },
          nb::arg("seconds").none() = nb::none(), nb::arg("progress").none() = nb::none(),
          "For each candidate of the cache the sum of exp(score - best) over networks that use it.")
      .def(
          "classes",
          [](CredibleSet const& set, std::optional<Fixed> within, std::optional<double> seconds,
             std::optional<std::uint64_t> work, Progress progress) {
            PyControl control({seconds, work}, std::move(progress));
            Fixed const loss = std::min(set.slack(), within.value_or(set.slack()));
            auto classes = control.run([&] { return set.classes(loss, control); });
            return std::make_unique<ClassList>(ClassList{set, std::move(classes)});
          },
          nb::arg("within").none() = nb::none(), nb::arg("seconds").none() = nb::none(),
          nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
          nb::keep_alive<0, 1>(),
          "The equivalence classes of the networks, or of those at most `within` below the best; "
          "as "
          "many as were found until it was stopped.");

  m.def(
      "credible_set",
      [](ScoreCache const& cache, Fixed slack, std::size_t threads, double memory_bytes,
         std::vector<credible::Order> const& orders, std::vector<Variable> const& good,
         credible::WideSet const* tried, std::size_t dense_up_to, std::optional<double> seconds,
         std::optional<std::uint64_t> work, Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        credible::CredibleOptions const options{
            slack, thread_count(threads), memory_bytes, orders, good, dense_up_to};
        auto const* const fixing = tried == nullptr ? nullptr : &tried->fixing();
        auto set = control.run([&] { return CredibleSet::make(cache, options, control, fixing); });
        Report out;
        out["interrupted"] = control.interrupted();
        out["work"] = control.work();
        out["set"] = set ? nb::cast(std::move(set)) : nb::none();
        return out;
      },
      nb::arg("cache"), nb::arg("slack"), nb::arg("threads") = 0, nb::arg("memory_bytes") = 4e9,
      nb::arg("orders") = std::vector<credible::Order>(), nb::arg("good") = std::vector<Variable>(),
      nb::arg("tried").none() = nb::none(),
      nb::arg("dense_up_to") = credible::CredibleOptions{}.dense_up_to,
      nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
      nb::arg("progress").none() = nb::none(),
      "The credible set for networks at most `slack` (in units of 2^-30 nat) below the best, of "
      "those that keep the orders, pairs of which the first comes before the second; None if "
      "stopped, or if there are more sets of variables than the memory allows. "
      "`good` is an order of the variables with a good network, `tried` a wide set around that, "
      "whose prices are used.");
  m.def(
      "log_total_mass",
      [](ScoreCache const& cache, Fixed reference, std::vector<credible::Order> const& orders,
         std::size_t threads, double memory_bytes, std::optional<double> seconds,
         Progress progress) {
        PyControl control({seconds, std::nullopt}, std::move(progress));
        return control.run([&] {
          return credible::log_total_mass(credible::with_orders(cache, orders), reference,
                                          thread_count(threads), memory_bytes, control);
        });
      },
      nb::arg("cache"), nb::arg("reference"), nb::arg("orders") = std::vector<credible::Order>(),
      nb::arg("threads") = 0, nb::arg("memory_bytes") = 4e9, nb::arg("seconds").none() = nb::none(),
      nb::arg("progress").none() = nb::none(),
      "ln of the sum over all networks that keep the orders of exp(score - reference), or None if "
      "stopped.");
  m.def(
      "parent_lists",
      [](ScoreCache const& cache, InArray<std::uint64_t> candidates) {
        std::size_t const n = cache.variable_count(), rows = candidates.size() / n;
        std::uint64_t const* const chosen = candidates.data();
        std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>> lists(n);
        {
          nb::gil_scoped_release const release;
          std::vector<std::size_t> most(n, 0);
          for (std::size_t v = 0; v < n; ++v)
            for (std::size_t c = cache.begin(static_cast<Variable>(v));
                 c < cache.end(static_cast<Variable>(v)); ++c)
              most[v] = std::max(most[v], cache.parents(c).size());
          for (auto& [first, parents] : lists) first.reserve(rows + 1);
          // Some rows at a time, which stay near while the variables take turns.
          constexpr std::size_t near = 256;
          for (std::size_t begin = 0; begin < rows; begin += near) {
            std::size_t const end = std::min(rows, begin + near);
            for (std::size_t v = 0; v < n; ++v) {
              auto& [first, parents] = lists[v];
              std::size_t at = parents.size();
              parents.resize(at + (end - begin) * most[v]);
              for (std::size_t row = begin; row < end; ++row) {
                first.push_back(static_cast<std::int32_t>(at));
                for (auto const p : cache.parents(chosen[row * n + v]))
                  parents[at++] = static_cast<std::int32_t>(p);
              }
              parents.resize(at);
            }
          }
          for (auto& [first, parents] : lists)
            first.push_back(static_cast<std::int32_t>(parents.size()));
        }
        std::vector<std::pair<OutArray<std::int32_t>, OutArray<std::int32_t>>> out;
        for (auto& [first, parents] : lists)
          out.emplace_back(to_numpy(std::move(first)), to_numpy(std::move(parents)));
        return out;
      },
      nb::arg("cache"), nb::arg("candidates"),
      "For each variable, of candidates by network and then by variable: where the parents of each "
      "network begin, and the parents, one list after the other.");
  m.def(
      "class_size",
      [](Network const& network) {
        Count size = 0;
        {
          nb::gil_scoped_release const release;
          size = credible::class_size(network);
        }
        return to_int(size);
      },
      nb::arg("network"), "The number of networks equivalent to this one.");
}

}  // namespace bayesloom
