// parent_sets: candidate parent sets as flat arrays.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "parent_sets/parent_sets.hpp"

namespace bayesloom {

namespace {

nb::dict run_exhaustive(EncodedData const& data, std::string name,
                        std::map<std::string, double> options,
                        std::optional<std::size_t> max_parents, double margin, bool prune,
                        std::size_t threads, std::optional<double> seconds, Progress progress) {
  ScoreSpec const spec{std::move(name), std::move(options)};
  ExhaustiveOptions const settings{max_parents, margin, prune, threads};
  PyControl control({seconds, std::nullopt}, std::move(progress));
  auto found = control.run([&] { return exhaustive(data, spec, settings, control); });
  nb::dict out;
  out["children"] = to_numpy(std::move(found.candidates.children));
  out["scores"] = to_numpy(std::move(found.candidates.scores));
  out["first"] = to_numpy(std::move(found.candidates.first));
  out["parents"] = to_numpy(std::move(found.candidates.parents));
  out["finished_size"] = found.finished_size;
  out["exhausted"] = found.exhausted;
  out["scored"] = found.scored;
  out["counted"] = found.counted;
  out["stopped"] = control.stopped();
  out["interrupted"] = control.interrupted();
  return out;
}

}  // namespace

void bind_parent_sets(nb::module_& m) {
  m.def("exhaustive", &run_exhaustive, nb::arg("data"), nb::arg("score"), nb::arg("options"),
        nb::arg("max_parents").none() = nb::none(), nb::arg("margin") = 0.0,
        nb::arg("prune") = true, nb::arg("threads") = 0, nb::arg("seconds").none() = nb::none(),
        nb::arg("progress").none() = nb::none(),
        "All parent sets that matter, as flat arrays by child.");
}

}  // namespace bayesloom
