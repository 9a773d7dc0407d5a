// inference: exact answers of discrete networks.
#include "inference/inference.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "bindings.hpp"
#include "control.hpp"

namespace bayesloom {

using namespace nb::literals;

namespace {

Ask ask_named(std::string const& name) {
  constexpr std::array names{"joint", "each", "modes", "most_probable", "draw", "evidence"};
  for (std::size_t k = 0; k < names.size(); ++k)
    if (name == names[k]) return static_cast<Ask>(k);
  throw InputError("unknown question " + name + ".");
}

}  // namespace

void bind_inference(nb::module_& m) {
  nb::class_<DiscreteNetwork>(m, "DiscreteNetwork",
                              "A network of discrete variables with its tables.")
      .def(
          "__init__",
          [](DiscreteNetwork* self, std::vector<std::uint32_t> cardinalities,
             std::vector<std::vector<Variable>> parents, InArray<double> const& tables) {
            auto const given = view(tables);
            new (self) DiscreteNetwork(std::move(cardinalities), std::move(parents),
                                       {given.begin(), given.end()});
          },
          "cardinalities"_a, "parents"_a, "tables"_a)
      .def("__len__", &DiscreteNetwork::size)
      .def(
          "infer",
          [](DiscreteNetwork const& network, InArray<std::int32_t> const& rows,
             std::string const& ask, std::vector<Variable> targets, std::size_t draws,
             std::uint64_t seed, std::size_t threads, double memory_bytes, Progress progress) {
            Question question{ask_named(ask), std::move(targets), draws, seed};
            PyControl control({}, std::move(progress));
            auto const given = view(rows);
            Answers answers = control.run(
                [&] { return infer(network, given, question, threads, memory_bytes, control); });
            Report out;
            out["values"] = to_numpy(std::move(answers.values));
            out["codes"] = to_numpy(std::move(answers.codes));
            out["logs"] = to_numpy(std::move(answers.logs));
            out["interrupted"] = control.interrupted();
            return out;
          },
          "rows"_a, "ask"_a, "targets"_a, "draws"_a = 1, "seed"_a = 0, "threads"_a = 1,
          "memory_bytes"_a = 1e9, "progress"_a = nb::none(),
          "Answers for every row: codes one row after the other, negative where hidden.");
}

}  // namespace bayesloom
