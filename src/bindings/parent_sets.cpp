// parent_sets: from a table to a score cache.
#include "parent_sets/parent_sets.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/errors.hpp"
#include "bindings.hpp"
#include "control.hpp"

namespace bayesloom {

namespace {

using ShardPair = std::pair<std::size_t, std::size_t>;  // number of the part from 0, how many parts

CheckpointOptions checkpoint_of(nb::bytes const& path, bool resume, double interval) {
  return {std::string(path.c_str(), path.size()), resume, interval};
}

Report run_exhaustive(EncodedData const& data, std::vector<std::string> names, std::string name,
                      std::map<std::string, double> options, std::optional<std::size_t> max_parents,
                      double margin, bool prune, std::size_t threads, double memory_bytes,
                      std::uint64_t max_sets, ShardPair shard, nb::bytes checkpoint, bool resume,
                      double checkpoint_interval, std::optional<bool> by_child,
                      std::optional<double> seconds, Progress progress) {
  ScoreSpec const spec{std::move(name), std::move(options)};
  ExhaustiveOptions const settings{max_parents,
                                   margin,
                                   prune,
                                   threads,
                                   memory_bytes,
                                   max_sets,
                                   {shard.first, shard.second},
                                   checkpoint_of(checkpoint, resume, checkpoint_interval),
                                   by_child};
  PyControl control({seconds, std::nullopt}, std::move(progress));
  check_names(names, "");
  auto found = control.run([&] { return exhaustive(data, spec, settings, control); });
  Report out;
  out["cache"] =
      cache_from_lists(std::move(names), data.cardinalities(), std::move(found.candidates));
  out["finished_size"] = found.finished_size;
  out["exhausted"] = found.exhausted;
  out["scored"] = found.scored;
  out["counted"] = found.counted;
  out["unscored"] = std::move(found.unscored);
  out["fits"] = std::move(found.fits);
  out["stopped"] = control.stopped();
  out["interrupted"] = control.interrupted();
  return out;
}

Strategy strategy_named(std::string const& name) {
  if (name == "independence") return Strategy::independence;
  if (name == "greedy") return Strategy::greedy;
  if (name == "sequential") return Strategy::sequential;
  throw InputError("unknown strategy '" + name + "'. Known: greedy, independence, sequential.");
}

Report run_anytime(EncodedData const& data, std::vector<std::string> names, std::string name,
                   std::map<std::string, double> options, std::string const& strategy,
                   bool conditional, std::size_t max_parents, double margin,
                   std::size_t parents_considered, std::optional<double> seconds_per_variable,
                   std::optional<std::uint64_t> sets_per_variable, double memory_bytes,
                   bool adaptive, std::size_t threads, ShardPair shard, nb::bytes checkpoint,
                   bool resume, double checkpoint_interval, std::optional<double> seconds,
                   Progress progress) {
  ScoreSpec const spec{std::move(name), std::move(options)};
  AnytimeOptions const settings{strategy_named(strategy),
                                conditional,
                                max_parents,
                                margin,
                                parents_considered,
                                seconds_per_variable,
                                seconds,
                                sets_per_variable,
                                memory_bytes,
                                {shard.first, shard.second},
                                checkpoint_of(checkpoint, resume, checkpoint_interval),
                                adaptive,
                                threads};
  PyControl control({seconds, std::nullopt}, std::move(progress));
  check_names(names, "");
  auto found = control.run([&] { return anytime_parent_sets(data, spec, settings, control); });
  Report out;
  out["cache"] =
      cache_from_lists(std::move(names), data.cardinalities(), std::move(found.candidates));
  out["certified"] = std::ranges::count(found.certified, 1);
  out["scored"] = found.scored;
  out["pair_seconds"] = found.pair_seconds;
  out["capped_parents"] = found.capped_parents;
  out["out_of_memory"] = found.out_of_memory;
  out["cut"] = found.cut;
  out["stopped"] = control.stopped();
  out["interrupted"] = control.interrupted();
  return out;
}

}  // namespace

void bind_parent_sets(nb::module_& m) {
  m.def("exhaustive", &run_exhaustive, nb::arg("data"), nb::arg("names"), nb::arg("score"),
        nb::arg("options"), nb::arg("max_parents").none() = nb::none(), nb::arg("margin") = 0.0,
        nb::arg("prune") = true, nb::arg("threads") = 0, nb::arg("memory_bytes") = 0.0,
        nb::arg("max_sets") = ExhaustiveOptions{}.max_sets, nb::arg("shard") = ShardPair{0, 1},
        nb::arg("checkpoint") = nb::bytes("", 0), nb::arg("resume") = false,
        nb::arg("checkpoint_interval") = 10.0, nb::arg("by_child").none() = nb::none(),
        nb::arg("seconds").none() = nb::none(), nb::arg("progress").none() = nb::none(),
        "A score cache of all parent sets that matter, and what was done.");
  m.def(
      "estimate_exhaustive",
      [](EncodedData const& data, std::string name, std::map<std::string, double> options,
         std::optional<std::size_t> max_parents, double margin) {
        ExhaustiveOptions settings;
        settings.max_parents = max_parents;
        settings.margin = margin;
        auto const found =
            estimate_exhaustive(data, {std::move(name), std::move(options)}, settings);
        return std::pair(found.local_scores, found.largest_set);
      },
      nb::arg("data"), nb::arg("score"), nb::arg("options"),
      nb::arg("max_parents").none() = nb::none(), nb::arg("margin") = 0.0,
      "How many local scores are computed at most, and the largest parent set that can matter.");
  m.def("anytime_parent_sets", &run_anytime, nb::arg("data"), nb::arg("names"), nb::arg("score"),
        nb::arg("options"), nb::arg("strategy"), nb::arg("conditional") = true,
        nb::arg("max_parents") = 12, nb::arg("margin") = 0.0, nb::arg("parents_considered") = 512,
        nb::arg("seconds_per_variable").none() = nb::none(),
        nb::arg("sets_per_variable").none() = nb::none(), nb::arg("memory_bytes") = 0.0,
        nb::arg("adaptive") = true, nb::arg("threads") = 0, nb::arg("shard") = ShardPair{0, 1},
        nb::arg("checkpoint") = nb::bytes("", 0), nb::arg("resume") = false,
        nb::arg("checkpoint_interval") = 10.0, nb::arg("seconds").none() = nb::none(),
        nb::arg("progress").none() = nb::none(),
        "A score cache of the best parent sets found in the time given, and what was done.");
}

}  // namespace bayesloom
