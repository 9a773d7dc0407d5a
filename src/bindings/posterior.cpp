// posterior: exact sums over all networks, and chains over partitions.
#include "posterior/posterior.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "arrays.hpp"
#include "base/parallel.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "credible/averages/pair_weights.hpp"

namespace bayesloom {

using namespace nb::literals;

namespace {

using posterior::ChainSampler;
using posterior::ExactPosterior;
using Seconds = std::optional<double>;

Report moves(posterior::MoveCounts const& counts) {
  constexpr std::array<char const*, posterior::move_kinds> names{"move", "near", "swap", "split",
                                                                 "join", "walk", "block"};
  Report out;
  for (std::size_t k = 0; k < names.size(); ++k)
    out[names[k]] = nb::make_tuple(counts.tried[k], counts.accepted[k]);
  return out;
}

}  // namespace

void bind_posterior(nb::module_& m) {
  m.def("part_sizes", &posterior::part_sizes, "cache"_a, nb::call_guard<nb::gil_scoped_release>(),
        "The number of variables of each component of a cache, largest first.");
  m.def(
      "pair_counts",
      [](ScoreCache const& cache, InArray<std::uint64_t> const& networks, bool ancestor) {
        auto const feature =
            ancestor ? credible::PairFeature::ancestor : credible::PairFeature::blanket;
        auto counts = [&] {
          nb::gil_scoped_release const release;
          return credible::pair_counts(cache, view(networks), feature);
        }();
        return to_numpy(std::move(counts));
      },
      "cache"_a, "networks"_a, "ancestor"_a,
      "At a * n + b how many of the given networks have a path from a to b, or b in the Markov "
      "blanket of a. `networks` holds a candidate per variable, network by network.");
  nb::class_<ExactPosterior>(m, "ExactPosterior", "Exact sums over all networks of a cache.")
      .def_prop_ro("log_total", &ExactPosterior::log_total,
                   "ln of the sum of exp(score) over all networks.")
      .def_prop_ro("deviation", &ExactPosterior::deviation,
                   "By how much the posteriors of the candidates of a variable miss 1, at most.")
      .def_prop_ro(
          "candidates",
          [](ExactPosterior const& self) {
            return to_numpy(std::vector<double>(self.candidates()));
          },
          nb::rv_policy::move, "The posterior of each candidate of the cache.")
      .def(
          "draw",
          [](ExactPosterior const& self, std::size_t count, std::uint64_t seed, std::size_t threads,
             Seconds seconds, Progress progress) -> std::optional<OutArray<std::uint64_t>> {
            PyControl control({seconds, std::nullopt}, std::move(progress));
            auto found =
                control.run([&] { return self.draw(count, seed, thread_count(threads), control); });
            if (!found) return std::nullopt;
            return to_numpy(std::move(*found));
          },
          "count"_a, "seed"_a, "threads"_a = 0, "seconds"_a.none() = nb::none(),
          "progress"_a.none() = nb::none(),
          "Networks drawn independently, a candidate for each variable; None if stopped.");
  m.def(
      "exact_posterior",
      [](ScoreCache const& cache, std::size_t most, std::size_t threads, double memory_bytes,
         Seconds seconds, Progress progress) {
        PyControl control({seconds, std::nullopt}, std::move(progress));
        auto made = control.run([&] {
          return ExactPosterior::make(cache, most, thread_count(threads), memory_bytes, control);
        });
        Report out;
        out["interrupted"] = control.interrupted();
        out["found"] = made ? nb::cast(std::move(made)) : nb::none();
        return out;
      },
      "cache"_a, "most"_a, "threads"_a = 0, "memory_bytes"_a = 4e9, "seconds"_a.none() = nb::none(),
      "progress"_a.none() = nb::none(),
      "Exact sums over all networks of a cache whose parts have at most so many variables; None "
      "if stopped.");
  nb::class_<ChainSampler>(m, "ChainSampler", "Chains over partitions of the variables.")
      .def(
          "__init__",
          [](ChainSampler* self, ScoreCache const& cache, InArray<std::uint64_t> const& starts,
             std::size_t chains, std::size_t temperatures, double step, std::uint64_t seed,
             double memory_bytes, std::size_t block, double partition_moves) {
            posterior::ChainOptions options;
            options.chains = chains;
            options.temperatures = temperatures;
            options.step = step;
            options.block = block;
            options.partition_moves = partition_moves;
            options.seed = seed;
            options.table_bytes = static_cast<std::size_t>(memory_bytes);
            new (self) ChainSampler(cache, view(starts), options);
          },
          "cache"_a, "starts"_a, "chains"_a, "temperatures"_a, "step"_a, "seed"_a,
          "memory_bytes"_a = 1e9, "block"_a = 6, "partition_moves"_a = 0.1)
      .def(
          "run",
          [](ChainSampler& self, std::size_t samples, std::size_t sweeps, std::size_t threads,
             Seconds seconds, Progress progress) {
            PyControl control({seconds, std::nullopt}, std::move(progress));
            auto found = control.run(
                [&] { return self.run(samples, sweeps, thread_count(threads), control); });
            Report out;
            out["count"] = found.count;
            out["candidates"] = to_numpy(std::move(found.candidates));
            out["log_weights"] = to_numpy(std::move(found.log_weights));
            out["interrupted"] = control.interrupted();
            out["work"] = control.work();
            return out;
          },
          "samples"_a, "sweeps"_a, "threads"_a = 0, "seconds"_a.none() = nb::none(),
          "progress"_a.none() = nb::none(),
          "Continues all chains: draws `samples` networks of each, `sweeps` sweeps apart.")
      .def(
          "begin",
          [](ChainSampler& self, std::size_t chain, std::uint64_t number,
             InArray<std::uint64_t> const& start) { self.begin(chain, number, view(start)); },
          "chain"_a, "number"_a, "start"_a,
          "Resets a chain to the start of chain `number` of a larger run, with an initial network.")
      .def(
          "state",
          [](ChainSampler const& self, std::size_t chain) { return to_numpy(self.state(chain)); },
          "chain"_a, nb::rv_policy::move, "The state of a chain, enough to continue it.")
      .def(
          "restore",
          [](ChainSampler& self, std::size_t chain, InArray<std::uint64_t> const& state) {
            self.restore(chain, view(state));
          },
          "chain"_a, "state"_a, "Replaces the state of a chain by one from `state`.")
      .def_prop_ro(
          "moves", [](ChainSampler const& self) { return moves(self.counts()); },
          "For each kind of move how many were tried and how many accepted, at temperature 1.")
      .def_prop_ro(
          "swaps",
          [](ChainSampler const& self) {
            return std::pair(self.swaps_tried(), self.swaps_accepted());
          },
          "Exchanges between temperatures, tried and accepted.");
}

}  // namespace bayesloom
