#include "check/node_average.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <vector>

#include "base/errors.hpp"
#include "check/gaussian_score.hpp"

namespace bayesloom::check {

namespace {

bool is_number(Table const& table, std::size_t v) {
  return std::holds_alternative<std::span<double const>>(table.columns[v]);
}

double value(Table const& table, std::size_t v, std::size_t row) {
  return std::visit([&](auto const& column) { return static_cast<double>(column[row]); },
                    table.columns[v]);
}

bool present(Table const& table, std::size_t v, std::size_t row) {
  double const x = value(table, v, row);
  return is_number(table, v) ? !std::isnan(x) : x < table.cardinalities[v];
}

/// Whether all values that are there are the same; also if there are none.
bool constant(Table const& table, std::size_t v, std::size_t rows) {
  std::optional<double> first;
  for (std::size_t row = 0; row < rows; ++row) {
    if (!present(table, v, row)) continue;
    if (first && *first != value(table, v, row)) return false;
    first = value(table, v, row);
  }
  return true;
}

}  // namespace

long double node_average(Table const& table, std::size_t variable,
                         std::span<std::size_t const> parents, ScoreOptions const& options) {
  if (!(options.power > 0 && options.power < 0.5))
    throw InputError("the option power must lie between 0 and 1/2.");
  std::size_t const all =
      std::visit([](auto const& column) { return column.size(); }, table.columns.front());
  auto const weight = [&](std::size_t row) {
    return table.weights.empty() ? 1.0L : static_cast<long double>(table.weights[row]);
  };
  bool const continuous = is_number(table, variable);
  if (continuous && constant(table, variable, all)) return 0;
  std::vector<std::size_t> discrete;
  std::vector<std::size_t> numbers;
  long double q = 1;
  for (std::size_t const p : parents)
    if (!is_number(table, p)) {
      discrete.push_back(p);
      q *= table.cardinalities[p];
    } else if (!continuous) {
      throw InputError("a discrete variable has a continuous parent, which pnal does not allow.");
    } else if (!constant(table, p, all)) {
      numbers.push_back(p);
    }
  auto const p = static_cast<long double>(numbers.size());

  long double n = 0;
  long double m = 0;
  std::map<std::vector<double>, std::vector<std::size_t>> cells;
  for (std::size_t row = 0; row < all; ++row) {
    n += weight(row);
    bool const complete =
        present(table, variable, row) &&
        std::ranges::all_of(parents, [&](std::size_t v) { return present(table, v, row); });
    if (!complete) continue;
    m += weight(row);
    std::vector<double> key;
    for (std::size_t const d : discrete) key.push_back(value(table, d, row));
    cells[key].push_back(row);
  }
  if (m == 0 && parents.empty()) return 0;
  long double const charge = std::max(std::pow(n, 1 - static_cast<long double>(options.power)) /
                                          static_cast<long double>(table.columns.size()),
                                      std::log(n) / 2);
  if (m == 0 || (!parents.empty() && 2 * charge * m < n * (1 - 1e-12L)))
    throw InputError("too few rows have values of a variable and of all its parents.");

  long double likelihood = 0;
  numbers.push_back(variable);
  for (auto const& [key, rows] : cells) {
    long double count = 0;
    std::map<double, long double> states;
    for (std::size_t const row : rows) {
      count += weight(row);
      states[value(table, variable, row)] += weight(row);
    }
    if (!continuous) {
      for (auto const& [state, own] : states) likelihood += own * std::log(own / count);
      continue;
    }
    bool const few = count < std::max<long double>(p + 3, options.least);
    if (few && parents.empty()) return 0;
    if (few) throw InputError("a cell of discrete parents has too few rows for a local score.");
    long double const v = residual_variance(table, numbers, rows);
    likelihood -= count / 2 * (1 + std::log(2 * std::numbers::pi_v<long double>) + std::log(v));
  }
  long double const parameters =
      q * (continuous ? p + 2 : static_cast<long double>(table.cardinalities[variable]) - 1);
  return n * likelihood / m - charge * parameters;
}

}  // namespace bayesloom::check
