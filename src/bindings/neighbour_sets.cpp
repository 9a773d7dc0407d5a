// parent_sets: scoring around a network, on demand.
#include "parent_sets/neighbour_sets.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "graph/network.hpp"
#include "parent_sets/hill_climb.hpp"
#include "parent_sets/order_climb.hpp"
#include "parent_sets/polish.hpp"
#include "parent_sets/supersets.hpp"

namespace bayesloom {

using namespace nb::literals;

namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;
using Rules = std::vector<
    std::tuple<std::vector<Variable>, std::vector<Variable>, std::optional<std::size_t>>>;

/// Parents as given, checked: in range, without repetition or cycle.
ParentSets checked(NeighbourSets const& sets, Lists const& parents) {
  if (parents.size() != sets.variable_count())
    throw InputError("there must be one parent set per variable.");
  return Network(checked_parents(parents)).parent_sets();
}

std::vector<ParentRules> rules_of(Rules rules) {
  std::vector<ParentRules> made;
  for (auto& [required, forbidden, most] : rules) {
    ParentRules rule;
    rule.required = std::move(required);
    rule.forbidden = std::move(forbidden);
    std::ranges::sort(rule.required);
    std::ranges::sort(rule.forbidden);
    if (most) rule.most = *most;
    made.push_back(std::move(rule));
  }
  return made;
}

template <typename Kernel>
Report run(std::optional<double> seconds, std::optional<std::uint64_t> work, Progress progress,
           Kernel kernel) {
  PyControl control({seconds, work}, std::move(progress));
  auto found = control.run([&] { return kernel(static_cast<Control&>(control)); });
  Report out;
  out["parents"] = std::move(found.parents);
  out["score"] = found.score;
  out["steps"] = found.steps;
  out["work"] = control.work();
  out["stopped"] = control.stopped();
  out["interrupted"] = control.interrupted();
  return out;
}

}  // namespace

void bind_neighbour_sets(nb::module_& m) {
  nb::class_<NeighbourSets>(m, "NeighbourSets", "Parent sets scored on demand, next to a network.")
      .def(
          "__init__",
          [](NeighbourSets* self, EncodedData const& data, std::string name,
             std::map<std::string, double> options, std::size_t parents_considered,
             std::size_t threads, Rules rules, std::vector<std::pair<Variable, Variable>> before,
             std::optional<std::size_t> most_bytes) {
            NeighbourOptions settings;
            settings.parents_considered = parents_considered;
            settings.threads = threads;
            settings.rules = rules_of(std::move(rules));
            settings.before = std::move(before);
            if (most_bytes) settings.most_bytes = *most_bytes;
            new (self)
                NeighbourSets(data, {std::move(name), std::move(options)}, std::move(settings));
          },
          "data"_a, "score"_a, "options"_a,
          "parents_considered"_a = NeighbourOptions{}.parents_considered, "threads"_a = 0,
          "rules"_a = Rules{}, "before"_a = std::vector<std::pair<Variable, Variable>>{},
          "most_bytes"_a = nb::none(), nb::keep_alive<1, 2>())
      .def_prop_ro("scored", &NeighbourSets::scored, "Local scores computed so far.")
      .def_prop_ro("set_count", &NeighbourSets::set_count, "Parent sets kept.")
      .def_prop_ro("bytes", &NeighbourSets::bytes, "Memory of the parent sets kept.")
      .def_prop_ro("full_count", &NeighbourSets::full_count,
                   "Children that have used up their part of the memory.")
      .def_prop_ro("rows_compared", &NeighbourSets::rows_compared,
                   "Unique rows by which the parents considered were chosen.")
      .def(
          "prepare",
          [](NeighbourSets& self, std::optional<double> within, std::optional<std::size_t> sample,
             std::optional<double> seconds, Progress progress) {
            PyControl control({seconds, std::nullopt}, std::move(progress));
            control.run([&] { return self.prepare(control, within, sample); });
            Report out;
            out["work"] = control.work();
            out["stopped"] = control.stopped();
            out["interrupted"] = control.interrupted();
            return out;
          },
          "within"_a = nb::none(), "sample"_a = nb::none(), "seconds"_a = nb::none(),
          "progress"_a = nb::none(),
          "Scores all pairs of variables, once; if `within` so many seconds that cannot be done, "
          "those that are "
          "best by a sample of the rows, or of `sample` rows if that is given.")
      .def(
          "climb",
          [](NeighbourSets& self, std::optional<Lists> const& start, std::size_t tabu,
             std::size_t stall, std::size_t together, std::size_t members, std::uint64_t seed,
             std::optional<double> seconds, std::optional<std::uint64_t> work, Progress progress) {
            ParentSets from;
            if (start) from = checked(self, *start);
            return run(seconds, work, std::move(progress), [&](Control& control) {
              return hill_climb(self, std::move(from), {tabu, stall, together, members, seed},
                                control);
            });
          },
          "start"_a = nb::none(), "tabu"_a = ClimbOptions{}.tabu, "stall"_a = ClimbOptions{}.stall,
          "together"_a = ClimbOptions{}.together, "members"_a = ClimbOptions{}.members,
          "seed"_a = ClimbOptions{}.seed, "seconds"_a = nb::none(), "work"_a = nb::none(),
          "progress"_a = nb::none(),
          "Climbs to a network: its parents and score, and what was done.")
      .def_prop_ro("climbs_orders", &climbs_orders, "Whether `climb_orders` can be used.")
      .def(
          "climb_orders",
          [](NeighbourSets& self, std::optional<Lists> const& start, std::uint64_t patience,
             std::uint64_t seed, std::optional<double> seconds, std::optional<std::uint64_t> work,
             Progress progress) {
            ParentSets from;
            if (start) from = checked(self, *start);
            return run(seconds, work, std::move(progress), [&](Control& control) {
              return climb_orders(self, std::move(from), {patience, seed}, control);
            });
          },
          "start"_a = nb::none(), "patience"_a = OrderClimbOptions{}.patience,
          "seed"_a = OrderClimbOptions{}.seed, "seconds"_a = nb::none(), "work"_a = nb::none(),
          "progress"_a = nb::none(),
          "Climbs over orders to a network: its parents and score, and what was done.")
      .def(
          "scores",
          [](NeighbourSets& self, Lists const& parents) {
            auto const given = checked(self, parents);
            std::vector<Fixed> scores(given.size());
            for (std::size_t v = 0; v < given.size(); ++v)
              scores[v] = self.score(static_cast<Variable>(v), given[v], 0);
            return scores;
          },
          "parents"_a, "The local scores of a network; those that are known are not counted again.")
      .def(
          "around",
          [](NeighbourSets& self, Lists const& parents, bool both_ways,
             std::optional<double> seconds, std::optional<std::uint64_t> work, Progress progress) {
            auto const given = checked(self, parents);
            return run(seconds, work, std::move(progress), [&](Control& control) {
              self.around(given, both_ways, control);
              return ClimbResult{};
            });
          },
          "parents"_a, "both_ways"_a = false, "seconds"_a = nb::none(), "work"_a = nb::none(),
          "progress"_a = nb::none(), "Scores the sets with one parent added, removed or exchanged.")
      .def(
          "grow",
          [](NeighbourSets& self, std::vector<Variable> const& order, Lists const& parents,
             std::optional<double> seconds, std::optional<std::uint64_t> work, Progress progress) {
            auto const given = checked(self, parents);
            return run(seconds, work, std::move(progress), [&](Control& control) {
              self.grow(order, given, control);
              return ClimbResult{};
            });
          },
          "order"_a, "parents"_a, "seconds"_a = nb::none(), "work"_a = nb::none(),
          "progress"_a = nb::none(), "Grows and shrinks parent sets along an order.")
      .def(
          "look_beyond",
          [](NeighbourSets& self, Lists const& parents, std::optional<double> seconds,
             std::optional<std::uint64_t> work, Progress progress) {
            auto const given = checked(self, parents);
            return run(seconds, work, std::move(progress), [&](Control& control) {
              ClimbResult none;
              none.steps = self.look_beyond(given, control);
              return none;
            });
          },
          "parents"_a, "seconds"_a = nb::none(), "work"_a = nb::none(), "progress"_a = nb::none(),
          "Tries parents that are not considered beside the sets of a network; `steps` gain.")
      .def(
          "widen",
          [](NeighbourSets& self, std::size_t count, std::optional<double> seconds,
             std::optional<std::uint64_t> work, Progress progress) {
            return run(seconds, work, std::move(progress), [&](Control& control) {
              ClimbResult none;
              none.steps = self.widen(count, control);
              return none;
            });
          },
          "count"_a, "seconds"_a = nb::none(), "work"_a = nb::none(), "progress"_a = nb::none(),
          "Expands the best sets of each child that were not expanded yet.")
      .def(
          "beside",
          [](NeighbourSets& self, ScoreCache const& cache, InArray<std::uint64_t> const& candidates,
             std::optional<double> seconds, std::optional<std::uint64_t> work, Progress progress) {
            return run(seconds, work, std::move(progress), [&](Control& control) {
              ClimbResult none;
              none.steps = self.beside(cache, view(candidates), control);
              return none;
            });
          },
          "cache"_a, "candidates"_a, "seconds"_a = nb::none(), "work"_a = nb::none(),
          "progress"_a = nb::none(),
          "Scores the sets next to candidates of a cache; `steps` says how many sets were "
          "expanded.")
      .def("add", &NeighbourSets::add, "cache"_a, "Adds the candidates of a cache.",
           nb::call_guard<nb::gil_scoped_release>())
      .def("cache", &NeighbourSets::cache, "names"_a, "Everything scored so far that can matter.",
           nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "polish",
      [](EncodedData const& data, std::string name, std::map<std::string, double> options,
         ScoreCache const& cache, Lists const& parents, std::size_t threads, Rules rules,
         std::vector<std::pair<Variable, Variable>> before, std::optional<std::uint64_t> work,
         Progress progress) {
        auto network = Network(checked_parents(parents)).parent_sets();
        PolishOptions const settings{threads, rules_of(std::move(rules)), std::move(before)};
        PyControl control({std::nullopt, work}, std::move(progress));
        auto found = control.run([&] {
          return polish(data, {std::move(name), std::move(options)}, cache, std::move(network),
                        settings, control);
        });
        Report out;
        out["parents"] = std::move(found.parents);
        out["scores"] = std::move(found.scores);
        out["steps"] = found.steps;
        out["work"] = control.work();
        out["stopped"] = control.stopped();
        out["interrupted"] = control.interrupted();
        return out;
      },
      "data"_a, "score"_a, "options"_a, "cache"_a, "parents"_a, "threads"_a = 0,
      "rules"_a = Rules{}, "before"_a = std::vector<std::pair<Variable, Variable>>{},
      "work"_a = nb::none(), "progress"_a = nb::none(),
      "Takes away, adds and turns single edges of a network while that raises its score.");
  m.def(
      "supersets",
      [](EncodedData const& data, std::string name, std::map<std::string, double> options,
         Variable child, Rules rules, double margin, std::optional<double> seconds,
         Progress progress) {
        if (rules.size() != 1) throw InputError("rules of one variable are needed.");
        auto const made = rules_of(std::move(rules));
        PyControl control({seconds, std::nullopt}, std::move(progress));
        auto const found = control.run([&] {
          return supersets(data, {std::move(name), std::move(options)}, child, made[0], margin,
                           control);
        });
        Report out;
        out["scores"] = found.candidates.scores;
        out["ends"] = found.candidates.ends;
        out["parents"] = found.candidates.parents;
        out["complete"] = found.complete;
        out["cut"] = found.cut;
        out["interrupted"] = control.interrupted();
        return out;
      },
      "data"_a, "score"_a, "options"_a, "child"_a, "rules"_a, "margin"_a = 0.0,
      "seconds"_a = nb::none(), "progress"_a = nb::none(),
      "All parent sets of a child with given parents that can matter among those.");
}

}  // namespace bayesloom
