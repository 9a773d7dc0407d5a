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
#include <string>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "base/parallel.hpp"
#include "control.hpp"
#include "credible/class_size.hpp"
#include "credible/json_lines.hpp"
#include "graph/network.hpp"

namespace bayesloom {

namespace {

using credible::ClassWalk;
using credible::Classes;
using credible::Count;
using credible::CredibleSet;
using credible::JsonLines;
using credible::Walk;

nb::int_ to_int(Count count) {
  nb::int_ const high(static_cast<std::uint64_t>(count >> 64)), low(static_cast<std::uint64_t>(count));
  return nb::int_((high << nb::int_(64)) | low);
}

using Batch = nb::typed<nb::tuple, OutArray<std::uint64_t>, OutArray<Fixed>>;
using ClassBatch =
    nb::typed<nb::tuple, OutArray<std::uint64_t>, OutArray<Fixed>, nb::typed<nb::list, nb::int_>>;

/// A walk over the networks that hands them over many at a time.
class NetworkStream {
 public:
  explicit NetworkStream(CredibleSet const& set) : set_(set), walk_(set.walk()), lines_(set) {}

  /// Up to `most` networks: candidates, one per variable and network, and scores.
  Batch take(std::size_t most) {
    std::vector<std::uint64_t> candidates;
    std::vector<Fixed> scores;
    {
      nb::gil_scoped_release const release;
      std::size_t const n = set_.cache().variable_count();
      while (scores.size() < most && walk_.next()) {
        candidates.resize(candidates.size() + n);
        set_.candidates(walk_, std::span(candidates).last(n));
        scores.push_back(set_.best() - walk_.loss());
      }
    }
    return Batch(nb::make_tuple(to_numpy(std::move(candidates)), to_numpy(std::move(scores))));
  }

  /// Up to `most` networks as lines of JSON, and how many they are.
  std::pair<nb::bytes, std::size_t> take_json(std::size_t most) {
    std::size_t count = 0;
    {
      nb::gil_scoped_release const release;
      text_.clear();
      for (; count < most && walk_.next(); ++count) lines_.append(walk_, text_);
    }
    return {nb::bytes(text_.data(), text_.size()), count};
  }

 private:
  CredibleSet const& set_;
  Walk walk_;
  JsonLines lines_;
  std::string text_;
};

/// The classes of a set, with the set they belong to.
struct ClassList {
  CredibleSet const& set;
  Classes classes;

  /// Up to `most` classes from number `skip` on: representatives' candidates, scores, members.
  ClassBatch take(std::size_t skip, std::size_t most) const {
    std::vector<std::uint64_t> candidates;
    std::vector<Fixed> scores;
    nb::list members;
    ClassWalk walk(classes, set.slack());
    std::size_t const n = set.cache().variable_count();
    for (std::size_t at = 0; at < skip + most && walk.next(); ++at) {
      if (at < skip) continue;
      std::size_t const begin = candidates.size();
      candidates.resize(begin + n);
      std::size_t place = 0;  // in a representative of all parts together
      for (std::size_t p = 0; p < set.parts().size(); ++p) {
        std::size_t const q = classes.joint() ? 0 : p;
        auto const& part = classes.parts()[q];
        auto const& component = set.parts()[p].component;
        auto const chosen = part.representative(part.entries[walk.entries()[q]]);
        for (std::size_t x = 0; x < component.size(); ++x)
          candidates[begin + component.variables[x]] =
              component.choices[x][chosen[classes.joint() ? place++ : x]].candidate;
      }
      scores.push_back(set.best() - walk.loss());
      members.append(to_int(walk.members()));
    }
    return ClassBatch(
        nb::make_tuple(to_numpy(std::move(candidates)), to_numpy(std::move(scores)), members));
  }
};

}  // namespace

void bind_credible(nb::module_& m) {
  nb::class_<NetworkStream>(m, "CredibleStream", "The networks of a credible set, many at a time.")
      .def("take", &NetworkStream::take, nb::arg("most"),
           "Candidates, one per variable and network, and fixed-point scores of the next networks.")
      .def("take_json", &NetworkStream::take_json, nb::arg("most"),
           "The next networks as lines of JSON, and how many they are.");

  nb::class_<ClassList>(m, "CredibleClasses", "The equivalence classes of a credible set.")
      .def_prop_ro("count", [](ClassList const& list) { return to_int(list.classes.count()); })
      .def("take", &ClassList::take, nb::arg("skip"), nb::arg("most"),
           "Candidates of one network per class, fixed-point scores and numbers of members.");

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
      .def("count",
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
      .def("estimate",
           [](CredibleSet const& set, std::uint64_t probes, std::uint64_t seed,
              std::optional<double> seconds, Progress progress) {
             PyControl control({seconds, std::nullopt}, std::move(progress));
             Rng rng(seed);
             auto const found = control.run([&] { return set.estimate(probes, rng, control); });
             return std::tuple(found.count, found.error, found.probes);
           },
           nb::arg("probes"), nb::arg("seed"), nb::arg("seconds").none() = nb::none(),
           nb::arg("progress").none() = nb::none(),
           "An unbiased estimate of the number of networks, its standard error, and the probes made.")
      .def("stream", [](CredibleSet const& set) { return std::make_unique<NetworkStream>(set); },
           nb::keep_alive<0, 1>(), "A fresh stream of the networks.")
      .def("candidate_masses",
           [](CredibleSet const& set, std::optional<double> seconds, Progress progress)
               -> std::optional<OutArray<double>> {
             PyControl control({seconds, std::nullopt}, std::move(progress));
             auto masses = control.run([&] { return set.candidate_masses(control); });
             if (!masses) return std::nullopt;
             return to_numpy(std::move(*masses));
           },
           nb::arg("seconds").none() = nb::none(), nb::arg("progress").none() = nb::none(),
           "For each candidate of the cache the sum of exp(score - best) over networks that use it.")
      .def("classes",
           [](CredibleSet const& set, std::optional<double> seconds, Progress progress)
               -> std::unique_ptr<ClassList> {
             PyControl control({seconds, std::nullopt}, std::move(progress));
             auto classes = control.run([&] { return set.classes(control); });
             if (!classes) return nullptr;
             return std::make_unique<ClassList>(ClassList{set, std::move(*classes)});
           },
           nb::arg("seconds").none() = nb::none(), nb::arg("progress").none() = nb::none(),
           nb::keep_alive<0, 1>(), nb::sig("def classes(self, seconds: float | None = None, progress: "
           "collections.abc.Callable[[int, float], None] | None = None) -> CredibleClasses | None"),
           "The equivalence classes, or None if stopped.");

  m.def(
      "credible_set",
      [](ScoreCache const& cache, Fixed slack, std::size_t threads, double memory_bytes,
         std::optional<Fixed> known, std::optional<double> seconds, std::optional<std::uint64_t> work,
         Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        credible::CredibleOptions const options{slack, thread_count(threads), memory_bytes, known};
        auto set = control.run([&] { return CredibleSet::make(cache, options, control); });
        Report out;
        out["interrupted"] = control.interrupted();
        out["work"] = control.work();
        out["set"] = set ? nb::cast(std::move(set)) : nb::none();
        return out;
      },
      nb::arg("cache"), nb::arg("slack"), nb::arg("threads") = 0, nb::arg("memory_bytes") = 4e9,
      nb::arg("known").none() = nb::none(), nb::arg("seconds").none() = nb::none(),
      nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
      "The credible set for networks at most `slack` (in units of 2^-30 nat) below the best; None if "
      "stopped.");
  m.def("class_size",
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
