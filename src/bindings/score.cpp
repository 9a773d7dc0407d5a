// score: the table of scores, and local scores of given families.
#include "score/score.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "score/local_scores.hpp"

namespace bayesloom {

namespace {

constexpr std::array<char const*, 4> statistic_names{"cells", "moments", "cell_moments",
                                                     "families"};
constexpr std::array<char const*, 3> kind_names{"discrete", "continuous", "any"};

nb::typed<nb::dict, nb::str, Report> describe_scores() {
  nb::typed<nb::dict, nb::str, Report> table;
  for (auto const& [name, entry] : score_table()) {
    nb::list options;
    for (auto const& option : entry.options) {
      nb::dict row;
      row["name"] = option.name;
      row["initial"] = option.initial;
      row["low"] = option.low;
      row["high"] = option.high;
      row["help"] = option.help;
      options.append(row);
    }
    nb::dict row;
    row["title"] = entry.title;
    row["summary"] = entry.summary;
    row["formula"] = entry.formula;
    row["reference"] = entry.reference;
    row["set_function"] = entry.set_function;
    row["equivalent"] = entry.equivalent;
    row["options"] = options;
    row["statistic"] = statistic_names[static_cast<std::size_t>(entry.statistic)];
    row["kinds"] = kind_names[static_cast<std::size_t>(entry.kinds)];
    row["needs_rows"] = entry.needs_rows;
    row["reads_missing"] = entry.reads_missing;
    row["discrete_have_discrete_parents"] = entry.discrete_have_discrete_parents;
    table[name.c_str()] = row;
  }
  return table;
}

OutArray<Fixed> score_families(EncodedData const& data, std::string name,
                               std::map<std::string, double> options, InArray<Variable> children,
                               InArray<std::uint64_t> first, InArray<Variable> parents,
                               std::size_t threads, std::optional<double> seconds) {
  FamilyList const families{view(children), view(first), view(parents)};
  // What is computed here belongs to an answer that may be worth saving: only a request that comes
  // from now on ends it.
  struct Unasked {
    bool const before = interrupt_requested();
    Unasked() { request_interrupt(false); }
    ~Unasked() {
      if (before) request_interrupt();
    }
  } const unasked;
  PyControl control({seconds, std::nullopt}, std::nullopt);
  auto scores = control.run([&] {
    return local_scores(data, {std::move(name), std::move(options)}, families, threads, control);
  });
  if (control.interrupted()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  if (control.stopped()) throw ResourceError("the time limit ended before all was scored.");
  return to_numpy(std::move(scores));
}

}  // namespace

void bind_score(nb::module_& m) {
  m.def("describe_scores", &describe_scores, "Every score with its properties and options.");
  m.def("score_families", &score_families, nb::arg("data"), nb::arg("score"), nb::arg("options"),
        nb::arg("children"), nb::arg("first"), nb::arg("parents"), nb::arg("threads") = 0,
        nb::arg("seconds") = nb::none(),
        "Local scores, in fixed point, of families given as flat arrays.");
}

}  // namespace bayesloom
