// credible: all networks within a Bayes factor of the best.
#include "credible/credible.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
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
#include "credible/classes/class_size.hpp"
#include "credible/classes/classes.hpp"
#include "credible/diagram/annealed_sampling.hpp"
#include "credible/diagram/diagram_set.hpp"
#include "credible/output/network_stream.hpp"
#include "credible/subset_dp/subset_dp_set.hpp"
#include "graph/network.hpp"

namespace bayesloom {

namespace {

using credible::Classes;
using credible::ClassWalk;
using credible::CredibleSet;
using credible::NetworkRows;
using credible::NetworkStream;

using Batch = nb::typed<nb::tuple, OutArray<std::uint64_t>, OutArray<Fixed>>;
using ClassBatch =
    nb::typed<nb::tuple, OutArray<std::uint64_t>, OutArray<Fixed>, nb::typed<nb::list, nb::int_>>;
using Estimate = std::tuple<double, double, std::uint64_t, double>;
using Seconds = std::optional<double>;
using Work = std::optional<std::uint64_t>;

/// Classes with the set they belong to.
struct ClassList {
  CredibleSet const& set;
  Classes classes;
};
struct ClassStream {
  explicit ClassStream(ClassList const& list) : set(list.set), walk(list.classes) {}
  CredibleSet const& set;
  ClassWalk walk;
};

Batch to_batch(NetworkRows&& rows) {
  return Batch(
      nb::make_tuple(to_numpy(std::move(rows.candidates)), to_numpy(std::move(rows.scores))));
}

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

ClassBatch take_classes(ClassStream& stream, std::size_t most) {
  auto rows = credible::take_classes(stream.set, stream.walk, most);
  nb::list members;
  for (auto const count : rows.members) members.append(to_int(count));
  return ClassBatch(nb::make_tuple(to_numpy(std::move(rows.networks.candidates)),
                                   to_numpy(std::move(rows.networks.scores)), members));
}

void bind_streams(nb::module_& m) {
  nb::class_<NetworkStream>(m, "CredibleStream", "The networks of a credible set, many at a time.")
      .def(
          "take",
          [](NetworkStream& stream, std::size_t most) {
            NetworkRows rows;
            {
              nb::gil_scoped_release const release;
              rows = stream.take(most);
            }
            return to_batch(std::move(rows));
          },
          nb::arg("most"),
          "Candidates, one per variable and network, and fixed-point scores of the next networks.")
      .def(
          "take_json",
          [](NetworkStream& stream, std::size_t most) {
            std::pair<credible::TextBuffer const*, std::size_t> lines;
            {
              nb::gil_scoped_release const release;
              lines = stream.take_json(most);
            }
            return std::pair(nb::bytes(lines.first->data(), lines.first->size()), lines.second);
          },
          nb::arg("most"), "The next networks as lines of JSON, and how many they are.");

  nb::class_<ClassStream>(m, "CredibleClassStream",
                          "The classes of a credible set, many at a time.")
      .def("take", &take_classes, nb::arg("most"),
           "Candidates of one network per class, fixed-point scores and numbers of members.");

  nb::class_<ClassList>(m, "CredibleClasses", "The equivalence classes of a credible set.")
      .def_prop_ro("count", [](ClassList const& list) { return to_int(list.classes.count()); })
      .def_prop_ro(
          "whole", [](ClassList const& list) { return list.classes.whole(); },
          "Whether all classes and all their members were found.")
      .def(
          "stream", [](ClassList const& list) { return std::make_unique<ClassStream>(list); },
          nb::keep_alive<0, 1>(), "A fresh stream of the classes.");
}

void bind_averages(nb::class_<CredibleSet>& set) {
  set.def(
         "draw",
         [](CredibleSet const& from, std::size_t networks, std::uint64_t seed, bool even) {
           NetworkRows rows;
           {
             nb::gil_scoped_release const release;
             rows = draw_networks(from, networks, even, seed);
           }
           return to_batch(std::move(rows));
         },
         nb::arg("networks"), nb::arg("seed"), nb::arg("even") = false,
         "Networks drawn with probability proportional to their weight, or each as likely as the "
         "other: candidates and scores.")
      .def(
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
  bind_streams(m);
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
      .def_prop_ro("drawable", &CredibleSet::drawable, "Whether networks can be drawn.")
      .def(
          "stream",
          [](CredibleSet const& of, std::optional<Fixed> within) {
            return std::make_unique<NetworkStream>(
                of, std::min(of.max_loss(), within.value_or(of.max_loss())));
          },
          nb::arg("within").none() = nb::none(), nb::keep_alive<0, 1>(),
          "A fresh stream of the networks, or of those at most `within` below the best; of those "
          "found, if they are not counted to the end.")
      .def(
          "classes",
          [](CredibleSet const& of, std::optional<Fixed> within, Seconds seconds, Work work,
             Progress progress, std::uint64_t most) {
            PyControl control({seconds, work}, std::move(progress));
            Fixed const loss = std::min(of.max_loss(), within.value_or(of.max_loss()));
            auto classes = control.run([&] { return of.classes(loss, most, control); });
            return std::make_unique<ClassList>(ClassList{of, std::move(classes)});
          },
          nb::arg("within").none() = nb::none(), nb::arg("seconds").none() = nb::none(),
          nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
          nb::arg("most") = credible::most_for_classes, nb::keep_alive<0, 1>(),
          "The equivalence classes of the networks, or of those at most `within` below the best; "
          "as many as were found until it was stopped. Of a component with more than `most` "
          "networks diagrams list some only.");
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
  m.def(
      "parent_lists",
      [](ScoreCache const& cache, InArray<std::uint64_t> candidates) {
        std::vector<credible::ParentLists> lists;
        {
          auto const given = view(candidates);
          nb::gil_scoped_release const release;
          lists = credible::parent_lists(cache, given);
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
        credible::Count size = 0;
        {
          nb::gil_scoped_release const release;
          size = credible::class_size(network);
        }
        return to_int(size);
      },
      nb::arg("network"), "The number of networks equivalent to this one.");
}

}  // namespace bayesloom
