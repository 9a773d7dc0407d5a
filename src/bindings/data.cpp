// data: the encoded table, and the counting kernels for tests and benchmarks.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "bindings.hpp"
#include "data/bit_planes.hpp"
#include "data/encoded_data.hpp"
#include "data/set_counter.hpp"

namespace bayesloom {

namespace {

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

EncodedData encode(std::vector<AnyColumn> const& columns, std::vector<std::uint32_t> cardinalities,
                   std::optional<InArray<std::uint32_t>> const& weights) {
  std::vector<ColumnView> views;
  for (std::size_t v = 0; v < columns.size(); ++v) {
    auto const& column = columns[v];
    if (column.dtype() == nb::dtype<std::uint8_t>())
      views.emplace_back(std::span(static_cast<std::uint8_t const*>(column.data()), column.size()));
    else if (column.dtype() == nb::dtype<std::uint16_t>())
      views.emplace_back(
          std::span(static_cast<std::uint16_t const*>(column.data()), column.size()));
    else
      throw InputError("column " + std::to_string(v) + " must hold uint8 or uint16 states.");
  }
  std::span<std::uint32_t const> given;
  if (weights) {
    if (weights->size() == 0) throw InputError("there are 0 weights; give one for each row.");
    given = {weights->data(), weights->size()};
  }
  nb::gil_scoped_release const release;
  return EncodedData(views, std::move(cardinalities), given);
}

CountingForm form_named(std::string const& name) {
  if (name == "by_cost") return CountingForm::by_cost;
  if (name == "bits") return CountingForm::bits;
  if (name == "groups") return CountingForm::groups;
  throw InputError("unknown counting form '" + name + "'. Known: bits, by_cost, groups.");
}

/// Counts (zeros left out, ones spelled out) and possible cells of one set; `merge` rows that agree
/// on all variables not in it and not yet counted.
std::tuple<OutArray<std::uint32_t>, double> cell_counts(EncodedData const& data,
                                                        std::vector<Variable> const& variables,
                                                        std::string const& form, bool merge) {
  for (auto const v : variables)
    if (v >= data.variable_count()) throw InputError("there is no variable " + std::to_string(v));
  BitPlanes const planes(data);
  std::vector<Variable> numbered(variables.rbegin(), variables.rend());
  for (std::size_t v = data.variable_count(); v-- > 0;)
    if (std::find(variables.begin(), variables.end(), v) == variables.end())
      numbered.insert(numbered.begin(), static_cast<Variable>(v));
  RowClasses const classes(data, numbered);
  SetCounter counter(data, planes, merge ? &classes : nullptr, form_named(form));
  Cells cells;
  for (std::size_t i = 0; i + 1 < variables.size(); ++i) counter.push(variables[i]);
  if (variables.empty())
    counter.cells(cells);
  else
    counter.cells_with(variables.back(), cells);
  std::vector<std::uint32_t> counts(cells.ones, 1);
  for (auto const count : cells.counts)
    if (count > 0) counts.push_back(count);
  return {to_numpy(std::move(counts)), cells.states};
}

/// Nanoseconds per counted set, over all sets of `size` variables (at most `most` of them), walked
/// as an enumeration walks them: prefixes pushed, last variables counted as leaves, in falling
/// order.
std::tuple<double, std::uint64_t> time_counting(EncodedData const& data, std::size_t size,
                                                std::uint64_t most, std::string const& form,
                                                bool merge) {
  BitPlanes const planes(data);
  std::vector<Variable> numbered(data.variable_count());
  std::iota(numbered.begin(), numbered.end(), Variable{0});
  RowClasses const classes(data, numbered);
  SetCounter counter(data, planes, merge ? &classes : nullptr, form_named(form));
  counter.expect_leaves_at(size - 1);
  Cells cells;
  std::uint64_t sets = 0;
  auto const walk = [&](auto const& self, std::size_t below, std::size_t left) -> void {
    for (std::size_t v = left - 1; v < below && sets < most; ++v) {
      if (left == 1) {
        counter.cells_with(static_cast<Variable>(v), cells);
        ++sets;
      } else {
        counter.push(static_cast<Variable>(v));
        self(self, v, left - 1);
        counter.pop();
      }
    }
  };
  nb::gil_scoped_release const release;
  auto const start = std::chrono::steady_clock::now();
  walk(walk, data.variable_count(), size);
  std::chrono::duration<double, std::nano> const taken = std::chrono::steady_clock::now() - start;
  return {taken.count() / static_cast<double>(sets), sets};
}

/// What each bit kernel of this processor counts for the same cells and plane.
std::vector<std::tuple<std::string, std::vector<std::uint64_t>>> count_with_every_kernel(
    InArray<std::uint64_t> cells, InArray<std::uint64_t> plane, unsigned shift) {
  std::size_t const stride = plane.size();
  if (stride == 0 || cells.size() % (stride * lanes) != 0)
    throw InputError("cells must fill whole blocks of eight times the plane.");
  std::size_t const blocks = cells.size() / (stride * lanes);
  std::vector<std::tuple<std::string, std::vector<std::uint64_t>>> results;
  for (auto const& kernel : bit_kernels()) {
    std::vector<std::uint64_t> out(blocks * lanes, 0);
    kernel.count(cells.data(), blocks, stride, plane.data(), stride, shift, out.data());
    results.emplace_back(kernel.name, std::move(out));
  }
  return results;
}

}  // namespace

void bind_data(nb::module_& m) {
  nb::class_<EncodedData>(m, "EncodedData",
                          "The table as the core sees it: small integers, equal rows merged.")
      .def(
          "__init__",
          [](EncodedData* self, std::vector<AnyColumn> const& columns,
             std::vector<std::uint32_t> cardinalities,
             std::optional<InArray<std::uint32_t>> const& weights) {
            new (self) EncodedData(encode(columns, std::move(cardinalities), weights));
          },
          nb::arg("columns"), nb::arg("cardinalities"), nb::arg("weights").none() = nb::none(),
          nb::sig("def __init__(self, columns: Sequence[NDArray[numpy.uint8] | "
                  "NDArray[numpy.uint16]], cardinalities: Sequence[int], "
                  "weights: NDArray[numpy.uint32] | None = None) -> None"))
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
  m.def("cell_counts", &cell_counts, nb::arg("data"), nb::arg("variables"),
        nb::arg("form") = "by_cost", nb::arg("merge") = false,
        "Rows in each cell of a set of variables, and how many cells are possible.");
  m.def("time_counting", &time_counting, nb::arg("data"), nb::arg("size"), nb::arg("most"),
        nb::arg("form") = "by_cost", nb::arg("merge") = true,
        "Nanoseconds per set, and how many sets were counted.");
  m.def("count_with_every_kernel", &count_with_every_kernel, nb::arg("cells"), nb::arg("plane"),
        nb::arg("shift") = 0, "The same bit count by each kernel of this processor.");
}

}  // namespace bayesloom
