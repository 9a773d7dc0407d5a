#include "check/local_score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <type_traits>
#include <unordered_map>

#include "base/errors.hpp"
#include "check/gaussian_score.hpp"
#include "check/node_average.hpp"
#include "check/normalizer.hpp"

namespace bayesloom::check {

namespace {

constexpr std::array<char const*, 13> names{"bic",  "ebic",  "aic", "bdeu", "bds",    "k2",  "fnml",
                                            "qnml", "bic-g", "bge", "dg",   "bic-cg", "pnal"};

std::size_t length(Column const& column) {
  return std::visit([](auto const& codes) { return codes.size(); }, column);
}

std::uint16_t state(Column const& column, std::size_t row) {
  return std::visit(
      [row](auto const& codes) -> std::uint16_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(codes)>, std::span<double const>>)
          throw InputError("a variable is continuous; this score is of states.");
        else
          return codes[row];
      },
      column);
}

std::uint64_t weight(Table const& table, std::size_t row) {
  return table.weights.empty() ? 1 : table.weights[row];
}

/// N_jk of the parent states that occur: parent states -> state of the variable -> rows.
using Counts = std::unordered_map<std::u16string, std::map<std::uint16_t, std::uint64_t>>;

Counts count(Table const& table, std::size_t variable, std::span<std::size_t const> parents) {
  Counts counts;
  std::u16string key(parents.size(), 0);
  for (std::size_t row = 0; row < length(table.columns[variable]); ++row) {
    for (std::size_t i = 0; i < parents.size(); ++i)
      key[i] = static_cast<char16_t>(state(table.columns[parents[i]], row));
    counts[key][state(table.columns[variable], row)] += weight(table, row);
  }
  return counts;
}

std::uint64_t rows_of(std::map<std::uint16_t, std::uint64_t> const& states) {
  std::uint64_t sum = 0;
  for (auto const& [k, n_jk] : states) sum += n_jk;
  return sum;
}

long double log_likelihood(Counts const& counts) {
  long double sum = 0;
  for (auto const& [j, states] : counts) {
    auto const n_j = static_cast<long double>(rows_of(states));
    for (auto const& [k, n_jk] : states) sum += n_jk * std::log(n_jk / n_j);
  }
  return sum;
}

/// Dirichlet priors of weight `a_j` per parent state and `a_jk` per state: BDeu, BDs and K2.
long double dirichlet(Counts const& counts, long double a_j, long double a_jk) {
  long double sum = 0;
  for (auto const& [j, states] : counts) {
    sum += std::lgamma(a_j) - std::lgamma(rows_of(states) + a_j);
    for (auto const& [k, n_jk] : states) sum += std::lgamma(n_jk + a_jk) - std::lgamma(a_jk);
  }
  return sum;
}

}  // namespace

std::span<char const* const> score_names() { return names; }

void check_table(Table const& table) {
  if (table.columns.empty() || length(table.columns[0]) == 0)
    throw InputError("a table needs at least one row and one column to score a network.");
  if (!table.weights.empty() && table.weights.size() != length(table.columns[0]))
    throw InputError("there are " + std::to_string(table.weights.size()) + " weights, but " +
                     std::to_string(length(table.columns[0])) + " rows.");
  if (std::ranges::find(table.weights, 0U) != table.weights.end())
    throw InputError("a row has weight 0; leave it out.");
  if (table.columns.size() != table.cardinalities.size())
    throw InputError("there are " + std::to_string(table.columns.size()) + " columns, but " +
                     std::to_string(table.cardinalities.size()) + " cardinalities.");
  for (std::size_t v = 0; v < table.columns.size(); ++v) {
    if (length(table.columns[v]) != length(table.columns[0]))
      throw InputError("column " + std::to_string(v) + " has " +
                       std::to_string(length(table.columns[v])) + " rows, column 0 has " +
                       std::to_string(length(table.columns[0])) + ".");
    if (auto const* const given = std::get_if<std::span<double const>>(&table.columns[v])) {
      if (!std::ranges::all_of(
              *given, [&](double x) { return std::isfinite(x) || (table.gaps && std::isnan(x)); }))
        throw InputError("column " + std::to_string(v) + " has a number that is not finite.");
      continue;
    }
    for (std::size_t row = 0; row < length(table.columns[v]); ++row)
      if (state(table.columns[v], row) >= table.cardinalities[v] + (table.gaps ? 1U : 0U))
        throw InputError("column " + std::to_string(v) + ", row " + std::to_string(row) +
                         ": state " + std::to_string(state(table.columns[v], row)) +
                         " is not below the cardinality " + std::to_string(table.cardinalities[v]) +
                         ".");
  }
}

double local_score(Table const& table, std::size_t variable, std::span<std::size_t const> parents,
                   std::string const& score, ScoreOptions const& options) {
  double const ess = options.ess;
  double const gamma = options.gamma;
  if (std::ranges::find(names, score) == names.end())
    throw InputError("unknown score '" + score + "'.");
  if (!(ess > 0) || !std::isfinite(ess))
    throw InputError("the equivalent sample size ess must be a positive number, got " +
                     std::to_string(ess) + ".");
  if (!(gamma >= 0) || !std::isfinite(gamma))
    throw InputError("the option gamma must be a number of 0 or more, got " +
                     std::to_string(gamma) + ".");
  if (variable >= table.columns.size() ||
      std::ranges::any_of(parents, [&](std::size_t p) { return p >= table.columns.size(); }))
    throw InputError("a variable or parent is not a column of the table.");

  if (score == "pnal") {
    auto const value = static_cast<double>(node_average(table, variable, parents, options));
    if (!std::isfinite(value)) throw InputError("a local score is not a finite number.");
    return value;
  }
  if (table.gaps) throw InputError("score '" + score + "' needs a value of every variable.");
  auto const has_numbers = [&](std::size_t v) {
    return std::holds_alternative<std::span<double const>>(table.columns[v]);
  };
  if (score == "bic-cg" && !has_numbers(variable)) {
    if (std::ranges::any_of(parents, has_numbers))
      throw InputError("a discrete variable has a continuous parent, which bic-cg does not allow.");
    return local_score(table, variable, parents, "bic", options);
  }
  if (is_gaussian(score)) {
    auto const value =
        static_cast<double>(gaussian_score(table, variable, parents, score, options));
    if (!std::isfinite(value))
      throw InputError("a local score is not a finite number: parents determine their child.");
    return value;
  }
  std::uint64_t n = 0;
  for (std::size_t row = 0; row < length(table.columns[variable]); ++row) n += weight(table, row);
  long double const r = table.cardinalities[variable];
  long double q = 1;
  for (std::size_t const p : parents) q *= table.cardinalities[p];
  Counts const counts = count(table, variable, parents);
  auto const seen = static_cast<long double>(counts.size());

  long double result = 0;
  if (score == "bdeu") {
    result = dirichlet(counts, ess / q, ess / (q * r));
  } else if (score == "bds") {
    result = dirichlet(counts, ess / seen, ess / (seen * r));
  } else if (score == "k2") {
    result = dirichlet(counts, r, 1);
  } else {
    result = log_likelihood(counts);
    if (score == "bic" && !(options.penalty > 0)) throw InputError("penalty must be above 0.");
    double const times = score == "bic" ? options.penalty : 1.0;
    if (score == "bic" || score == "ebic")
      result -= times * std::log(static_cast<long double>(n)) / 2 * (r - 1) * q;
    if (score == "ebic" && table.columns.size() > 2)
      result -= gamma * std::log(static_cast<long double>(table.columns.size() - 1)) *
                static_cast<long double>(parents.size());
    if (score == "aic") result -= (r - 1) * q;
    if (score == "fnml")
      for (auto const& [j, states] : counts) result -= log_normalizer(rows_of(states), r);
    if (score == "qnml") result -= log_normalizer(n, q * r) - log_normalizer(n, q);
  }
  if (!std::isfinite(static_cast<double>(result)))
    throw InputError(
        "a local score is not a finite number: its parents have too many joint states.");
  return static_cast<double>(result);
}

}  // namespace bayesloom::check
