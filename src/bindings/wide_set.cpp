// credible, for caches whose components are too large for sets of variables.
#include "credible/diagram/diagram_set.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "counts.hpp"
#include "credible/output/network_text.hpp"
#include "credible/averages/pair_weights.hpp"

namespace bayesloom {

void bind_wide_estimates(nb::class_<credible::WideSet>& wide);  // wide_estimates.cpp

namespace {

using credible::WideClasses;
using credible::WideSet;

using Batch = nb::typed<nb::tuple, OutArray<std::uint64_t>, OutArray<Fixed>>;
using ClassBatch =
    nb::typed<nb::tuple, OutArray<std::uint64_t>, OutArray<Fixed>, nb::typed<nb::list, nb::int_>>;

constexpr std::uint64_t most_listed = 5'000'000;      // networks for one sum or for a list of classes
constexpr std::uint64_t most_for_count = 20'000'000;  // of a part, to count its classes

class WideStream {
 public:
  WideStream(WideStream const&) = delete;
  WideStream(WideSet const& set, Fixed within)
      : set_(set),
        within_(within),
        gathered_(set.gathered().size() > 0 && set.counted() && !set.counted()->whole),
        walk_(set.walk_within(within)),
        candidates_(set.cache().variable_count()),
        text_(set.cache()) {}

  Batch take(std::size_t most) {
    std::vector<std::uint64_t> candidates;
    std::vector<Fixed> scores;
    {
      nb::gil_scoped_release const release;
      while (scores.size() < most && next()) {
        candidates.insert(candidates.end(), candidates_.begin(), candidates_.end());
        scores.push_back(score_);
      }
    }
    return Batch(nb::make_tuple(to_numpy(std::move(candidates)), to_numpy(std::move(scores))));
  }

  std::pair<nb::bytes, std::size_t> take_json(std::size_t most) {
    std::string lines;
    std::size_t count = 0;
    {
      nb::gil_scoped_release const release;
      for (; count < most && next(); ++count) text_.append_line(score_, candidates_, lines);
    }
    return {nb::bytes(lines.data(), lines.size()), count};
  }

 private:
  /// The next network, of the diagrams or, where they are unfinished, of those gathered near the
  /// best.
  bool next() {
    auto const& gathered = set_.gathered();
    if (!gathered_) {
      if (!walk_.next()) return false;
      set_.candidates(walk_.chosen(), candidates_);
      score_ = set_.score_of(walk_.loss());
      return true;
    }
    while (at_ < gathered.size() && gathered.losses[at_] > within_) ++at_;
    if (at_ == gathered.size()) return false;
    std::copy_n(gathered.candidates.begin() + static_cast<std::ptrdiff_t>(at_ * gathered.width),
                gathered.width, candidates_.begin());
    score_ = set_.best() - gathered.losses[at_++];
    return true;
  }

  WideSet const& set_;
  Fixed const within_;
  bool const gathered_;
  credible::DiagramWalk walk_;
  std::vector<std::uint64_t> candidates_;
  Fixed score_ = 0;
  std::size_t at_ = 0;
  credible::NetworkText text_;
};

/// The classes within a loss: counted at once, listed when asked for.
struct WideClassList {
  WideSet const& set;
  Fixed loss;
  credible::ClassCount counted;
};

class WideClassStream {
 public:
  explicit WideClassStream(WideClassList const& list) : set_(list.set) {
    Control control;
    found_ = set_.classes(list.loss, most_listed, control);
  }
  ClassBatch take(std::size_t most) {
    std::vector<std::uint64_t> candidates;
    std::vector<Fixed> scores;
    nb::list members;
    for (; scores.size() < most && at_ < found_.classes.size(); ++at_) {
      auto const& entry = found_.classes[at_];
      candidates.insert(candidates.end(), entry.candidates.begin(), entry.candidates.end());
      scores.push_back(set_.score_of(entry.loss));
      members.append(nb::int_(entry.members));
    }
    return ClassBatch(
        nb::make_tuple(to_numpy(std::move(candidates)), to_numpy(std::move(scores)), members));
  }

 private:
  WideSet const& set_;
  WideClasses found_;
  std::size_t at_ = 0;
};

/// Whether all networks are known and few enough to be listed for a sum.
bool few(WideSet const& set) {
  return set.counted() && set.counted()->whole && set.counted()->high <= most_listed;
}

/// Calls body(candidates, mass) for every network; false if stopped.
template <typename Body>
bool for_all(WideSet const& set, Control& control, Body&& body) {
  std::vector<std::uint64_t> candidates(set.cache().variable_count());
  auto walk = set.walk_within(set.slack());
  while (walk.next()) {
    set.candidates(walk.chosen(), candidates);
    body(std::span<std::uint64_t const>(candidates),
         std::exp(to_nats(set.score_of(walk.loss()) - set.best())));
    if (control.should_stop()) return false;
  }
  return true;
}

Batch draw(WideSet const& set, std::size_t networks, std::uint64_t seed, bool even) {
  if (!set.counted())
    throw ResourceError("only from a set that was counted networks can be drawn.");
  std::size_t const n = set.cache().variable_count();
  std::vector<std::uint64_t> candidates(networks * n);
  std::vector<Fixed> scores;
  {
    nb::gil_scoped_release const release;
    auto drawing = set.drawing(even, seed);
    for (std::size_t i = 0; i < networks; ++i) {
      auto const score = drawing.draw(std::span(candidates).subspan(i * n, n));
      if (!score) break;
      scores.push_back(*score);
    }
  }
  if (scores.size() < networks)
    throw ResourceError(
        "almost every network drawn was out of reach; a smaller Bayes factor helps.");
  return Batch(nb::make_tuple(to_numpy(std::move(candidates)), to_numpy(std::move(scores))));
}

}  // namespace

void bind_wide_set(nb::module_& m) {
  nb::class_<WideStream>(m, "WideStream", "The networks of a wide credible set, many at a time.")
      .def("take", &WideStream::take, nb::arg("most"),
           "Candidates, one per variable and network, and fixed-point scores of the next networks.")
      .def("take_json", &WideStream::take_json, nb::arg("most"),
           "The next networks as lines of JSON, and how many they are.");
  nb::class_<WideClassStream>(m, "WideClassStream", "The classes of a wide set, many at a time.")
      .def("take", &WideClassStream::take, nb::arg("most"),
           "Candidates of one network per class, fixed-point scores and numbers of members.");
  nb::class_<WideClassList>(m, "WideClasses", "The equivalence classes of a wide credible set.")
      .def_prop_ro("count", [](WideClassList const& list) { return to_int(list.counted.count); })
      .def_prop_ro(
          "whole", [](WideClassList const& list) { return list.counted.whole; },
          "Whether these are all classes there are.")
      .def(
          "stream",
          [](WideClassList const& list) { return std::make_unique<WideClassStream>(list); },
          nb::keep_alive<0, 1>(),
          "A fresh stream of the classes, of the first five million networks at most.");

  nb::class_<WideSet> wide(m, "WideSet", "A credible set whose components have many variables.");
  wide.def_prop_ro("best", &WideSet::best,
                   "The best score that is known, in units of 2^-30 nat; of all, once counted.")
      .def_prop_ro("gap", &WideSet::gap, "How far the bound by prices is above it, in these units.")
      .def_prop_ro("best_network", &WideSet::best_network, "One candidate per variable.")
      .def_prop_ro("component_sizes",
                   [](WideSet const& set) {
                     std::vector<std::size_t> sizes;
                     for (auto const& part : set.parts()) sizes.push_back(part.size());
                     return sizes;
                   })
      .def_prop_ro("slack", &WideSet::slack)
      .def_prop_ro("state_count", &WideSet::node_count)
      .def_prop_ro(
          "whole", [](WideSet const& set) { return set.counted() && set.counted()->whole; },
          "Whether the count has come to its end.")
      .def(
          "count",
          [](WideSet& set, std::optional<double> seconds, std::optional<std::uint64_t> work,
             Progress progress) {
            PyControl control({seconds, work}, std::move(progress));
            auto const found = control.run([&] { return set.count(control); });
            Report out;
            out["count"] = to_int(found.nearest);
            out["mass"] = found.exact() ? nb::object(nb::float_(found.mass)) : nb::none();
            out["low"] = to_int(found.low);
            out["high"] = found.whole ? nb::object(to_int(found.high)) : nb::none();
            out["work"] = control.work();
            out["interrupted"] = control.interrupted();
            return out;
          },
          nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
          nb::arg("progress").none() = nb::none(),
          "The number of networks by rounded losses, a proved lower bound, and a proved upper one "
          "or "
          "None if stopped.")
      .def(
          "count_within",
          [](WideSet const& set, Fixed loss, std::optional<double>) -> std::optional<nb::int_> {
            if (loss < 0 || loss > set.slack())
              throw InputError("the loss must lie within the slack.");
            auto const found = set.count_within(loss);
            if (!found.whole) return std::nullopt;
            return to_int(found.nearest);
          },
          nb::arg("loss"), nb::arg("seconds").none() = nb::none(),
          "The number of networks at most `loss` below the best, by rounded losses; None if the "
          "set "
          "was not counted to the end.")
      .def(
          "stream",
          [](WideSet const& set, std::optional<Fixed> within) {
            return std::make_unique<WideStream>(
                set, std::min(set.slack(), within.value_or(set.slack())));
          },
          nb::arg("within").none() = nb::none(), nb::keep_alive<0, 1>(),
          "A fresh stream of the networks, or of those at most `within` below the best.")
      .def_prop_ro(
          "ranked", [](WideSet const& set) { return set.counted() && set.counted()->whole; },
          "Whether networks can be drawn.")
      .def(
          "draw",
          [](WideSet const& set, std::size_t networks, std::uint64_t seed, bool even) {
            return draw(set, networks, seed, even);
          },
          nb::arg("networks"), nb::arg("seed"), nb::arg("even") = false,
          "Networks drawn with probability proportional to their mass, or with `even` each as "
          "likely "
          "as the other: candidates and scores.")
      .def(
          "candidate_masses",
          [](WideSet const& set, std::optional<double> seconds,
             Progress progress) -> std::optional<OutArray<double>> {
            if (!few(set)) return std::nullopt;
            PyControl control({seconds, std::nullopt}, std::move(progress));
            std::vector<double> masses(set.cache().candidate_count(), 0.0);
            bool const done = control.run([&] {
              return for_all(set, control, [&](auto const& network, double mass) {
                for (auto const c : network) masses[c] += mass;
              });
            });
            if (!done) return std::nullopt;
            return to_numpy(std::move(masses));
          },
          nb::arg("seconds").none() = nb::none(), nb::arg("progress").none() = nb::none(),
          "For each candidate the sum of exp(score - best) over networks that use it; None if "
          "stopped "
          "or if there are too many networks.")
      .def(
          "pair_masses",
          [](WideSet const& set, bool ancestor, std::optional<double> seconds,
             Progress progress) -> std::optional<OutArray<double>> {
            if (!few(set)) return std::nullopt;
            auto const feature =
                ancestor ? credible::PairFeature::ancestor : credible::PairFeature::blanket;
            PyControl control({seconds, std::nullopt}, std::move(progress));
            std::size_t const n = set.cache().variable_count();
            std::vector<double> masses(n * n, 0.0);
            bool const done = control.run([&] {
              return for_all(set, control, [&](auto const& network, double mass) {
                auto const has = credible::pair_counts(set.cache(), network, feature);
                for (std::size_t i = 0; i < has.size(); ++i) masses[i] += mass * has[i];
              });
            });
            if (!done) return std::nullopt;
            return to_numpy(std::move(masses));
          },
          nb::arg("ancestor"), nb::arg("seconds").none() = nb::none(),
          nb::arg("progress").none() = nb::none(),
          "At a * n + b the mass of networks with b in the Markov blanket of a, or with a path "
          "from a "
          "to b; None if stopped or too many.")
      .def(
          "pair_counts",
          [](WideSet const& set, InArray<std::uint64_t> const& networks, bool ancestor) {
            for (auto const c : view(networks))
              if (c >= set.cache().candidate_count())
                throw InputError("there is no such candidate.");
            return to_numpy(pair_counts(
                set.cache(), view(networks),
                ancestor ? credible::PairFeature::ancestor : credible::PairFeature::blanket));
          },
          nb::arg("networks"), nb::arg("ancestor"), "The same of given networks: how many of them.")
      .def(
          "classes",
          [](WideSet const& set, std::optional<Fixed> within, std::optional<double> seconds,
             std::optional<std::uint64_t> work, Progress progress, std::uint64_t most) {
            PyControl control({seconds, work}, std::move(progress));
            Fixed const loss = std::min(set.slack(), within.value_or(set.slack()));
            auto const found = control.run([&] { return set.count_classes(loss, most, control); });
            return std::make_unique<WideClassList>(WideClassList{set, loss, found});
          },
          nb::arg("within").none() = nb::none(), nb::arg("seconds").none() = nb::none(),
          nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
          nb::arg("most") = most_for_count, nb::keep_alive<0, 1>(),
          "The equivalence classes, as many as were found in at most so many networks of a part.");
  bind_wide_estimates(wide);
}

}  // namespace bayesloom
