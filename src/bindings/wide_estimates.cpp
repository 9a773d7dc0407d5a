// credible, for caches whose components are too large for sets of variables: what stands for a
// count that does not end.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "control.hpp"
#include "counts.hpp"
#include "credible/diagram/diagram_set.hpp"

namespace bayesloom {

using credible::WideSet;

namespace {

std::optional<std::tuple<double, double, std::uint64_t, double>> tempered(
    WideSet const& set, credible::NearNetworks const& near, std::size_t networks,
    std::uint64_t seed, std::size_t threads, std::optional<double> seconds) {
  PyControl control({seconds, std::nullopt}, {});
  credible::TemperingOptions options;
  options.networks = networks;
  options.threads = thread_count(threads);
  options.seed = seed;
  auto const found = control.run([&] { return set.tempered(near, options, control); });
  if (!found) return std::nullopt;
  return std::tuple(found->count, found->error, found->probes, found->effective);
}

}  // namespace

void bind_wide_estimates(nb::class_<WideSet>& wide) {
  wide.def(
          "estimate",
          [](WideSet& set, std::uint64_t probes, std::uint64_t seed,
             std::optional<double> seconds) {
            PyControl control({seconds, std::nullopt}, {});
            auto const found = control.run([&] { return set.estimate(probes, seed, control); });
            return std::tuple(found.count, found.error, found.probes, found.effective);
          },
          nb::arg("probes"), nb::arg("seed"), nb::arg("seconds").none() = nb::none(),
          "An unbiased estimate of the number of networks, its error, the probes made, and how "
          "many "
          "of equal weight they are worth.")
      .def(
          "tempered_estimate",
          [](WideSet const& set, WideSet const& near, std::size_t networks, std::uint64_t seed,
             std::size_t threads, std::optional<double> seconds) {
            if (!near.counted() || !near.counted()->whole)
              throw InputError("the smaller set must be counted.");
            return tempered(set, credible::CountedNear(near), networks, seed, threads, seconds);
          },
          nb::arg("near"), nb::arg("networks"), nb::arg("seed"), nb::arg("threads") = 0,
          nb::arg("seconds").none() = nb::none(),
          "An estimate of the number of networks by populations, of so many networks each, that "
          "begin with those of a smaller set; its error, the networks in all, and how many draws "
          "they are worth. None if stopped.")
      .def(
          "tempered_estimate",
          [](WideSet const& set, InArray<std::uint64_t> const& candidates,
             InArray<Fixed> const& scores, Fixed slack, std::size_t networks, std::uint64_t seed,
             std::size_t threads, std::optional<double> seconds) {
            std::vector<Fixed> losses;
            for (Fixed const score : view(scores)) losses.push_back(set.best() - score);
            credible::ListedNear const near(view(candidates), std::move(losses),
                                            set.cache().variable_count(), slack);
            return tempered(set, near, networks, seed, threads, seconds);
          },
          nb::arg("candidates"), nb::arg("scores"), nb::arg("slack"), nb::arg("networks"),
          nb::arg("seed"), nb::arg("threads") = 0, nb::arg("seconds").none() = nb::none(),
          "The same from a list of all networks within a smaller slack, as `stream` gives it.")
      .def(
          "gather",
          [](WideSet& set, std::size_t most, std::optional<double> seconds) {
            PyControl control({seconds, std::nullopt}, {});
            control.run([&] {
              set.gather(most, control);
              return 0;
            });
            return to_int(set.counted() ? set.counted()->low : set.gathered().size());
          },
          nb::arg("most"), nb::arg("seconds").none() = nb::none(),
          "Lists networks near the best, at most so many, and returns how many networks there are "
          "for "
          "certain.")
      .def(
          "estimated_shares",
          [](WideSet& set, std::uint64_t draws, std::uint64_t seed, std::optional<double> seconds) {
            PyControl control({seconds, std::nullopt}, {});
            auto found = control.run([&] { return set.shares(draws, seed, control); });
            return std::pair(to_numpy(std::move(found.first)), found.second);
          },
          nb::arg("draws"), nb::arg("seed"), nb::arg("seconds").none() = nb::none(),
          "For each candidate an estimate of its share in the mass; and how many networks drawn by "
          "mass "
          "would be as good.");
}

}  // namespace bayesloom
