// data: the encoded table, and the counting kernels for tests and benchmarks.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "bindings.hpp"
#include "data/counting_checks.hpp"
#include "data/encoded_data.hpp"

namespace bayesloom {

namespace {

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

EncodedData encode(std::vector<AnyColumn> const& columns, std::vector<std::uint32_t> cardinalities,
                   std::optional<InArray<std::uint32_t>> const& weights, bool missing,
                   std::vector<std::optional<InArray<std::uint8_t>>> const& set_rows) {
  std::vector<ColumnView> views;
  for (std::size_t v = 0; v < columns.size(); ++v) {
    auto const& column = columns[v];
    if (column.dtype() == nb::dtype<std::uint8_t>())
      views.emplace_back(std::span(static_cast<std::uint8_t const*>(column.data()), column.size()));
    else if (column.dtype() == nb::dtype<std::uint16_t>())
      views.emplace_back(
          std::span(static_cast<std::uint16_t const*>(column.data()), column.size()));
    else if (column.dtype() == nb::dtype<double>())
      views.emplace_back(std::span(static_cast<double const*>(column.data()), column.size()));
    else
      throw InputError("column " + std::to_string(v) +
                       " must hold uint8 or uint16 states, or numbers of type float64.");
  }
  std::span<std::uint32_t const> given;
  if (weights) {
    if (weights->size() == 0) throw InputError("there are 0 weights; give one for each row.");
    given = {weights->data(), weights->size()};
  }
  std::vector<std::span<std::uint8_t const>> flags;
  for (auto const& one : set_rows)
    flags.push_back(one ? std::span(one->data(), one->size()) : std::span<std::uint8_t const>());
  nb::gil_scoped_release const release;
  return EncodedData(views, std::move(cardinalities), given, missing, flags);
}

CountingForm form_named(std::string const& name) {
  if (name == "by_cost") return CountingForm::by_cost;
  if (name == "bits") return CountingForm::bits;
  if (name == "groups") return CountingForm::groups;
  throw InputError("unknown counting form '" + name + "'. Known: bits, by_cost, groups.");
}

}  // namespace

void bind_data(nb::module_& m) {
  nb::class_<EncodedData>(m, "EncodedData",
                          "The table as the core sees it: small integers, equal rows merged.")
      .def(
          "__init__",
          [](EncodedData* self, std::vector<AnyColumn> const& columns,
             std::vector<std::uint32_t> cardinalities,
             std::optional<InArray<std::uint32_t>> const& weights, bool missing,
             std::vector<std::optional<InArray<std::uint8_t>>> const& set_rows) {
            new (self)
                EncodedData(encode(columns, std::move(cardinalities), weights, missing, set_rows));
          },
          nb::arg("columns"), nb::arg("cardinalities"), nb::arg("weights").none() = nb::none(),
          nb::arg("missing") = false,
          nb::arg("set_rows") = std::vector<std::optional<InArray<std::uint8_t>>>(),
          nb::sig("def __init__(self, columns: Sequence[NDArray[numpy.uint8] | "
                  "NDArray[numpy.uint16] | NDArray[numpy.float64]], cardinalities: Sequence[int], "
                  "weights: NDArray[numpy.uint32] | None = None, missing: bool = False, "
                  "set_rows: Sequence[NDArray[numpy.uint8] | None] = ()) -> None"))
      .def_prop_ro("variable_count", &EncodedData::variable_count)
      .def_prop_ro("row_count", &EncodedData::row_count)
      .def_prop_ro("unique_row_count", &EncodedData::unique_row_count)
      .def_prop_ro("digest", &EncodedData::digest,
                   "A number that changes with the rows, their weights and the cardinalities.",
                   nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro(
          "weights",
          [](EncodedData const& self) {
            auto const weights = self.weights();
            return to_numpy(std::vector<std::uint32_t>(weights.begin(), weights.end()));
          },
          nb::rv_policy::move);
  m.def(
      "cell_counts",
      [](EncodedData const& data, std::vector<Variable> const& variables, std::string const& form,
         bool merge) {
        auto const cells = count_one_set(data, variables, form_named(form), merge);
        return std::tuple(to_numpy(spelled_out(cells)), cells.states);
      },
      nb::arg("data"), nb::arg("variables"), nb::arg("form") = "by_cost", nb::arg("merge") = false,
      "Rows in each cell of a set of variables, and how many cells are possible.");
  m.def(
      "time_counting",
      [](EncodedData const& data, std::size_t size, std::uint64_t most, std::string const& form,
         bool merge) {
        auto const counting = form_named(form);
        nb::gil_scoped_release const release;
        return time_counting(data, size, most, counting, merge);
      },
      nb::arg("data"), nb::arg("size"), nb::arg("most"), nb::arg("form") = "by_cost",
      nb::arg("merge") = true, "Nanoseconds per set, and how many sets were counted.");
  m.def(
      "count_with_every_kernel",
      [](InArray<std::uint64_t> const& cells, InArray<std::uint64_t> const& plane, unsigned shift) {
        return count_with_every_kernel(view(cells), view(plane), shift);
      },
      nb::arg("cells"), nb::arg("plane"), nb::arg("shift") = 0,
      "The same bit count by each kernel of this processor.");
  m.def(
      "count_tables_with_every_kernel",
      [](InArray<std::uint64_t> const& a, InArray<std::uint64_t> const& b, std::size_t words,
         unsigned shift) { return count_tables_with_every_kernel(view(a), view(b), words, shift); },
      nb::arg("a"), nb::arg("b"), nb::arg("words"), nb::arg("shift") = 0,
      "Common bits of planes and others by each kernel of this processor.");
}

}  // namespace bayesloom
