#include "data/counting_checks.hpp"

#include <algorithm>
#include <numeric>

#include "base/errors.hpp"
#include "base/late_start.hpp"
#include "data/bit_kernels.hpp"
#include "data/bit_planes.hpp"
#include "data/row_classes.hpp"

namespace bayesloom {

Cells count_one_set(EncodedData const& data, std::span<Variable const> variables, CountingForm form,
                    bool merge) {
  for (auto const v : variables)
    if (v >= data.variable_count()) throw InputError("there is no variable " + std::to_string(v));
  BitPlanes const planes(data);
  std::vector<Variable> numbered(variables.rbegin(), variables.rend());
  for (std::size_t v = data.variable_count(); v-- > 0;)
    if (std::find(variables.begin(), variables.end(), v) == variables.end())
      numbered.insert(numbered.begin(), static_cast<Variable>(v));
  RowClasses const classes(data, numbered);
  SetCounter counter(data, planes, merge ? &classes : nullptr, form);
  Cells cells;
  for (std::size_t i = 0; i + 1 < variables.size(); ++i) counter.push(variables[i]);
  if (variables.empty())
    counter.cells(cells);
  else
    counter.cells_with(variables.back(), cells);
  return cells;
}

std::vector<std::uint32_t> spelled_out(Cells const& cells) {
  std::vector<std::uint32_t> counts(cells.ones, 1);
  std::ranges::copy_if(cells.counts, std::back_inserter(counts),
                       [](std::uint32_t count) { return count > 0; });
  return counts;
}

std::pair<double, std::uint64_t> time_counting(EncodedData const& data, std::size_t size,
                                               std::uint64_t most, CountingForm form, bool merge) {
  BitPlanes const planes(data);
  std::vector<Variable> numbered(data.variable_count());
  std::iota(numbered.begin(), numbered.end(), Variable{0});
  RowClasses const classes(data, numbered);
  SetCounter counter(data, planes, merge ? &classes : nullptr, form);
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
  double const start = LateStart::thread_seconds();  // CPU time: the same on a busy machine
  walk(walk, data.variable_count(), size);
  double const taken = LateStart::thread_seconds() - start;
  return {1e9 * taken / static_cast<double>(sets), sets};
}

std::vector<std::pair<std::string, std::vector<std::uint64_t>>> count_with_every_kernel(
    std::span<std::uint64_t const> cells, std::span<std::uint64_t const> plane, unsigned shift) {
  std::size_t const stride = plane.size();
  if (stride == 0 || cells.size() % (stride * lanes) != 0)
    throw InputError("cells must fill whole blocks of eight times the plane.");
  std::size_t const blocks = cells.size() / (stride * lanes);
  std::vector<std::pair<std::string, std::vector<std::uint64_t>>> results;
  for (auto const& kernel : bit_kernels()) {
    std::vector<std::uint64_t> out(blocks * lanes, 0);
    kernel.count(cells.data(), blocks, stride, plane.data(), stride, shift, out.data());
    results.emplace_back(kernel.name, std::move(out));
  }
  return results;
}

std::vector<std::pair<std::string, std::vector<std::uint32_t>>> count_tables_with_every_kernel(
    std::span<std::uint64_t const> a, std::span<std::uint64_t const> b, std::size_t words,
    unsigned shift) {
  if (words == 0 || a.size() % words != 0 || b.size() % words != 0)
    throw InputError("planes must have the number of words that is given.");
  auto const planes = [&](std::span<std::uint64_t const> of) {
    std::vector<std::uint64_t const*> begins;
    for (std::size_t at = 0; at < of.size(); at += words) begins.push_back(of.data() + at);
    return begins;
  };
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> results;
  for (auto const& kernel : bit_kernels()) {
    std::vector<std::uint32_t> out(a.size() / words * (b.size() / words), 0);
    kernel.count_table(planes(a), planes(b), words, shift, out.data());
    results.emplace_back(kernel.name, std::move(out));
  }
  return results;
}

}  // namespace bayesloom
