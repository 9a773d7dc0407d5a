#include "check/gaussian_score.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <vector>

#include "base/errors.hpp"

namespace bayesloom::check {

namespace {

using Vector = std::vector<long double>;

long double weight(Table const& table, std::size_t row) {
  return table.weights.empty() ? 1 : static_cast<long double>(table.weights[row]);
}

bool continuous(Table const& table, std::size_t variable) {
  return std::holds_alternative<std::span<double const>>(table.columns[variable]);
}

std::size_t state(Table const& table, std::size_t variable, std::size_t row) {
  if (auto const* const small =
          std::get_if<std::span<std::uint8_t const>>(&table.columns[variable]))
    return (*small)[row];
  return std::get<std::span<std::uint16_t const>>(table.columns[variable])[row];
}

std::size_t row_count(Table const& table) {
  return std::visit([](auto const& column) { return column.size(); }, table.columns.front());
}

std::span<double const> numbers(Table const& table, std::size_t variable) {
  auto const* const given = std::get_if<std::span<double const>>(&table.columns[variable]);
  if (!given) throw InputError("a variable has states; this score is of numbers.");
  return *given;
}

bool constant(std::span<double const> values) {
  return std::ranges::all_of(values, [&](double x) { return x == values.front(); });
}

/// The values of some rows less their mean, each times the square root of the weight of its row.
Vector centred(Table const& table, Vector const& values, std::vector<std::size_t> const& rows) {
  long double total = 0;
  long double sum = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    total += weight(table, rows[k]);
    sum += weight(table, rows[k]) * values[k];
  }
  Vector column(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    column[k] = (values[k] - sum / total) * std::sqrt(weight(table, rows[k]));
  return column;
}

std::vector<std::size_t> all_rows(Table const& table) {
  std::vector<std::size_t> rows(row_count(table));
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

Vector numbers_of(Table const& table, std::size_t variable, std::vector<std::size_t> const& rows) {
  auto const values = numbers(table, variable);
  Vector chosen;
  for (std::size_t const row : rows) chosen.push_back(static_cast<long double>(values[row]));
  return chosen;
}

long double dot(Vector const& a, Vector const& b) {
  long double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// Share of a column's variance. Where less than 1e-8 is left, in the order in which it is computed, a set is
/// singular (docs/continuous.md). In another order, as here, that may be far less: only what is clear is refused.
constexpr long double determined = 1e-10L;

/// What is left of each column by those before it: its residual sum of squares.
std::vector<long double> residual_sums(std::vector<Vector> columns) {
  std::vector<long double> sums;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    long double const whole = dot(columns[j], columns[j]);
    for (int again = 0; again < 2; ++again)
      for (std::size_t i = 0; i < j; ++i) {
        long double const part = dot(columns[i], columns[j]) / sums[i];
        for (std::size_t k = 0; k < columns[j].size(); ++k) columns[j][k] -= part * columns[i][k];
      }
    sums.push_back(dot(columns[j], columns[j]));
    if (!(sums[j] > determined * whole))
      throw InputError(
          "a variable is determined by its parents, or they by each other: there is no local "
          "score.");
  }
  return sums;
}

/// The columns that a variable stands for under `dg`.
void add_columns(Table const& table, std::size_t variable, std::vector<Vector>& columns) {
  auto const rows = all_rows(table);
  if (continuous(table, variable)) {
    if (!constant(numbers(table, variable)))
      columns.push_back(centred(table, numbers_of(table, variable, rows), rows));
    return;
  }
  std::set<std::size_t> seen;
  for (std::size_t const row : rows) seen.insert(state(table, variable, row));
  seen.erase(std::prev(seen.end()));
  for (std::size_t const one : seen) {
    Vector indicator;
    for (std::size_t const row : rows) indicator.push_back(state(table, variable, row) == one);
    columns.push_back(centred(table, indicator, rows));
  }
}

long double degenerate(Table const& table, std::size_t variable,
                       std::span<std::size_t const> parents, long double n) {
  std::vector<Vector> columns;
  for (std::size_t const p : parents) add_columns(table, p, columns);
  auto const from = columns.size();
  add_columns(table, variable, columns);
  auto const k = static_cast<long double>(columns.size() - from);
  long double const pi = std::numbers::pi_v<long double>;
  auto const sums = residual_sums(std::move(columns));
  long double result = -std::log(n) / 2 * (k * static_cast<long double>(from) + k * (k + 3) / 2);
  for (std::size_t c = from; c < sums.size(); ++c)
    result -= n / 2 * (1 + std::log(2 * pi) + std::log(sums[c] / n));
  return result;
}

long double conditional(Table const& table, std::size_t variable,
                        std::span<std::size_t const> parents, long double n,
                        ScoreOptions const& options) {
  long double q = 1;
  std::vector<std::size_t> discrete;
  std::vector<std::size_t> family;
  for (std::size_t const p : parents)
    if (!continuous(table, p)) {
      discrete.push_back(p);
      q *= table.cardinalities[p];
    } else if (!constant(numbers(table, p))) {
      family.push_back(p);
    }
  auto const p = static_cast<long double>(family.size());
  family.push_back(variable);
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> cells;
  for (std::size_t row = 0; row < row_count(table); ++row) {
    std::vector<std::size_t> key;
    for (std::size_t const d : discrete) key.push_back(state(table, d, row));
    cells[key].push_back(row);
  }
  long double const pi = std::numbers::pi_v<long double>;
  if (!(options.penalty > 0)) throw InputError("penalty must be above 0.");
  long double result = -options.penalty * std::log(n) / 2 * q * (p + 2);
  for (auto const& [key, rows] : cells) {
    long double count = 0;
    for (std::size_t const row : rows) count += weight(table, row);
    if (count < std::max<long double>(p + 3, options.least))
      throw InputError("a cell of discrete parents has too few rows for a local score.");
    std::vector<Vector> columns;
    for (std::size_t const v : family)
      columns.push_back(centred(table, numbers_of(table, v, rows), rows));
    long double const v = residual_sums(std::move(columns)).back() / count;
    result -= count / 2 * (1 + std::log(2 * pi) + std::log(v));
  }
  return result;
}

}  // namespace

bool is_gaussian(std::string const& score) {
  return score == "bic-g" || score == "bge" || score == "dg" || score == "bic-cg";
}

long double gaussian_score(Table const& table, std::size_t variable,
                           std::span<std::size_t const> parents, std::string const& score,
                           ScoreOptions const& options) {
  long double n = 0;
  for (std::size_t row = 0; row < row_count(table); ++row) n += weight(table, row);
  if (score == "dg") return degenerate(table, variable, parents, n);
  if (constant(numbers(table, variable))) return 0;
  if (score == "bic-cg") return conditional(table, variable, parents, n, options);
  std::vector<std::size_t> family;
  for (std::size_t const p : parents)
    if (!constant(numbers(table, p))) family.push_back(p);
  auto const p = static_cast<long double>(family.size());
  family.push_back(variable);
  std::vector<Vector> columns;
  auto const rows = all_rows(table);
  for (std::size_t const v : family)
    columns.push_back(centred(table, numbers_of(table, v, rows), rows));
  long double const pi = std::numbers::pi_v<long double>;

  if (score == "bic-g") {
    if (!(options.penalty > 0)) throw InputError("penalty must be above 0.");
    long double const v = residual_sums(std::move(columns)).back() / n;
    return -n / 2 * (1 + std::log(2 * pi) + std::log(v)) -
           options.penalty * std::log(n) / 2 * (p + 2);
  }
  long double const m = options.alpha_mu;
  long double const a = options.degrees;
  if (!(m > 0) || !(a > 1)) throw InputError("alpha_mu must be above 0 and degrees above 1.");
  long double const t = m * (a - 1) / (m + 1);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j].resize(columns[j].size() + columns.size(), 0);
    columns[j][columns[j].size() - columns.size() + j] = std::sqrt(t);
  }
  auto const sums = residual_sums(std::move(columns));
  long double parents_log = 0;
  for (std::size_t j = 0; j + 1 < sums.size(); ++j) parents_log += std::log(sums[j]);
  long double const family_log = parents_log + std::log(sums.back());
  return std::log(m / (n + m)) / 2 - n / 2 * std::log(pi) + std::lgamma((n + a + p + 1) / 2) -
         std::lgamma((a + p + 1) / 2) + (a + 2 * p + 1) / 2 * std::log(t) -
         (n + a + p + 1) / 2 * family_log + (n + a + p) / 2 * parents_log;
}

long double residual_variance(Table const& table, std::span<std::size_t const> family,
                              std::span<std::size_t const> rows) {
  std::vector<std::size_t> const chosen(rows.begin(), rows.end());
  long double count = 0;
  for (std::size_t const row : chosen) count += weight(table, row);
  std::vector<Vector> columns;
  for (std::size_t const v : family)
    columns.push_back(centred(table, numbers_of(table, v, chosen), chosen));
  return residual_sums(std::move(columns)).back() / count;
}

}  // namespace bayesloom::check
