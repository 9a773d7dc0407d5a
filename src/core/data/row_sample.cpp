#include "data/row_sample.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace bayesloom {

EncodedData row_sample(EncodedData const& data, std::size_t rows) {
  std::size_t const all = data.unique_row_count();
  std::size_t const step = std::max<std::size_t>(1, all / std::clamp<std::size_t>(rows, 1, all));
  auto const some = [&](auto const& values) {
    std::vector<std::remove_cvref_t<decltype(values[0])>> kept;
    for (std::size_t u = step / 2; u < all; u += step) kept.push_back(values[u]);
    return kept;
  };
  using Values =
      std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<double>>;
  std::vector<Values> kept;
  kept.reserve(data.variable_count());
  std::vector<ColumnView> views;
  for (std::size_t k = 0; k < data.variable_count(); ++k) {
    auto const v = static_cast<Variable>(k);
    if (data.continuous(v))
      kept.emplace_back(some(data.values(v)));
    else
      std::visit([&](auto const& states) { kept.emplace_back(some(states)); }, data.column(v));
    std::visit(
        [&](auto const& values) { views.emplace_back(std::span(values.data(), values.size())); },
        kept.back());
  }
  auto const cardinalities = data.cardinalities();
  return EncodedData(views, {cardinalities.begin(), cardinalities.end()}, some(data.weights()),
                     data.incomplete());
}

}  // namespace bayesloom
