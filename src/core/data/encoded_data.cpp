#include "data/encoded_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>

#include "base/checksum.hpp"
#include "base/errors.hpp"

namespace bayesloom {

namespace {

std::size_t rows_of(ColumnView const& column) {
  return std::visit([](auto const& states) { return states.size(); }, column);
}

void check_numbers(std::span<double const> numbers, std::size_t v, bool missing_allowed) {
  auto const odd = std::ranges::find_if_not(
      numbers, [&](double x) { return std::isfinite(x) || (missing_allowed && std::isnan(x)); });
  if (odd != numbers.end())
    throw InputError("variable " + std::to_string(v) + ", row " +
                     std::to_string(odd - numbers.begin()) + ": the number is not finite.");
}

void check_column(ColumnView const& column, std::size_t v, std::uint32_t cardinality,
                  bool missing_allowed) {
  if (auto const* const numbers = std::get_if<std::span<double const>>(&column)) {
    check_numbers(*numbers, v, missing_allowed);
    return;
  }
  if (cardinality < 1 || cardinality > 65535)
    throw InputError("variable " + std::to_string(v) + " has " + std::to_string(cardinality) +
                     " states; 1 to 65,535 are possible.");
  std::visit(
      [&](auto const& states) {
        auto const largest = std::max_element(states.begin(), states.end());
        if (*largest >= cardinality + (missing_allowed ? 1U : 0U))
          throw InputError("variable " + std::to_string(v) + ", row " +
                           std::to_string(largest - states.begin()) + ": state " +
                           std::to_string(*largest) + " is not below the " +
                           std::to_string(cardinality) + " states declared.");
      },
      column);
}

template <typename Value>
std::uint64_t bits_of(Value value) {
  if constexpr (std::is_same_v<Value, double>)
    return std::isnan(value) ? 0x7ff8000000000000ULL                       // however it is written
                             : std::bit_cast<std::uint64_t>(value + 0.0);  // -0 is 0
  else
    return value;
}

/// One 64-bit hash per row, built column by column so that memory is read in order.
std::vector<std::uint64_t> hash_rows(std::span<ColumnView const> columns, std::size_t rows) {
  std::vector<std::uint64_t> hash(rows, 0x9e3779b97f4a7c15ULL);
  for (auto const& column : columns)
    std::visit(
        [&](auto const& states) {
          for (std::size_t row = 0; row < rows; ++row) {
            std::uint64_t h = (hash[row] ^ bits_of(states[row])) * 0xbf58476d1ce4e5b9ULL;
            hash[row] = h ^ (h >> 29);
          }
        },
        column);
  return hash;
}

bool equal_rows(std::span<ColumnView const> columns, std::uint32_t a, std::uint32_t b) {
  return std::all_of(columns.begin(), columns.end(), [&](ColumnView const& column) {
    return std::visit([&](auto const& states) { return bits_of(states[a]) == bits_of(states[b]); },
                      column);
  });
}

struct UniqueRow {
  std::uint32_t first;  // where it occurs first
  std::uint32_t weight;
  std::uint64_t hash;
};

/// How many rows count: the sum of the weights, which must fit the type of all counts.
std::uint32_t total_of(std::span<std::uint32_t const> weights, std::size_t rows) {
  std::uint64_t total = rows;
  if (!weights.empty()) {
    if (weights.size() != rows)
      throw InputError("there are " + std::to_string(weights.size()) + " weights for " +
                       std::to_string(rows) + " rows.");
    if (std::find(weights.begin(), weights.end(), 0U) != weights.end())
      throw InputError("a row has weight 0; leave it out.");
    total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  }
  if (total >= std::numeric_limits<std::uint32_t>::max())
    throw InputError("the table has " + std::to_string(total) + " rows" +
                     (weights.empty() ? "" : " by its weights") +
                     "; at most 4,294,967,294 are possible.");
  return static_cast<std::uint32_t>(total);
}

std::vector<UniqueRow> merge_equal_rows(std::span<ColumnView const> columns, std::size_t rows,
                                        std::span<std::uint32_t const> weights) {
  auto const hash = hash_rows(columns, rows);
  std::vector<std::uint32_t> by_hash(rows);
  std::iota(by_hash.begin(), by_hash.end(), 0U);
  std::stable_sort(by_hash.begin(), by_hash.end(),
                   [&](auto a, auto b) { return hash[a] < hash[b]; });

  std::vector<UniqueRow> unique;
  for (std::size_t begin = 0; begin < rows;) {
    std::uint64_t const h = hash[by_hash[begin]];
    std::size_t const group = unique.size();  // rows with this hash: nearly always all equal
    for (; begin < rows && hash[by_hash[begin]] == h; ++begin) {
      auto const row = by_hash[begin];
      auto const weight = weights.empty() ? 1U : weights[row];
      auto const same =
          std::find_if(unique.begin() + static_cast<std::ptrdiff_t>(group), unique.end(),
                       [&](UniqueRow const& u) { return equal_rows(columns, u.first, row); });
      if (same != unique.end())
        same->weight += weight;
      else
        unique.push_back({row, weight, h});
    }
  }
  bool const numbers = std::ranges::any_of(columns, [](ColumnView const& column) {
    return std::holds_alternative<std::span<double const>>(column);
  });
  std::sort(unique.begin(), unique.end(), [&](UniqueRow const& a, UniqueRow const& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    return numbers && a.hash != b.hash ? a.hash < b.hash : a.first < b.first;
  });
  return unique;
}

}  // namespace

EncodedData::EncodedData(std::span<ColumnView const> columns,
                         std::vector<std::uint32_t> cardinalities,
                         std::span<std::uint32_t const> weights, bool missing_allowed,
                         std::span<std::span<std::uint8_t const> const> set_rows)
    : cardinalities_(std::move(cardinalities)) {
  if (columns.empty()) throw InputError("the table has no variables.");
  if (columns.size() > max_variables)
    throw InputError("the table has " + std::to_string(columns.size()) + " variables; at most " +
                     max_variables_text + " are possible.");
  if (columns.size() != cardinalities_.size())
    throw InputError("the table has " + std::to_string(columns.size()) + " variables but " +
                     std::to_string(cardinalities_.size()) + " cardinalities.");
  std::size_t const rows = rows_of(columns.front());
  if (rows == 0) throw InputError("the table has no rows.");
  row_count_ = total_of(weights, rows);
  for (std::size_t v = 0; v < columns.size(); ++v) {
    if (rows_of(columns[v]) != rows)
      throw InputError("variable " + std::to_string(v) + " has " +
                       std::to_string(rows_of(columns[v])) + " rows, the first one has " +
                       std::to_string(rows) + ".");
    check_column(columns[v], v, cardinalities_[v], missing_allowed);
  }

  // Rows that were set differently are different rows.
  std::vector<ColumnView> keys(columns.begin(), columns.end());
  if (!set_rows.empty() && set_rows.size() != columns.size())
    throw InputError("there must be one entry of rows that were set for each variable.");
  for (auto const& flags : set_rows) {
    if (flags.empty()) continue;
    if (flags.size() != rows)
      throw InputError("what was set is told for " + std::to_string(flags.size()) + " of " +
                       std::to_string(rows) + " rows.");
    keys.emplace_back(flags);
  }
  make_parts(columns, weights, missing_allowed, set_rows);
  auto const unique = merge_equal_rows(keys, rows, weights);
  lacks_.assign(columns.size(), 0);
  for (auto const& row : unique) weights_.push_back(row.weight);
  values_.resize(columns.size());
  for (std::size_t v = 0; v < columns.size(); ++v)
    std::visit(
        [&](auto const& given) {
          using Value = std::remove_const_t<typename std::decay_t<decltype(given)>::element_type>;
          std::vector<Value> kept(unique.size());
          for (std::size_t u = 0; u < unique.size(); ++u) kept[u] = given[unique[u].first];
          if constexpr (std::is_same_v<Value, double>) {
            auto const first = std::ranges::find_if(kept, [](double x) { return !std::isnan(x); });
            bool const varies = std::any_of(
                first, kept.end(), [&](double x) { return x != *first && !std::isnan(x); });
            cardinalities_[v] = varies ? 2 : 1;
            lacks_[v] = std::ranges::any_of(kept, [](double x) { return std::isnan(x); });
            columns_.emplace_back(std::vector<std::uint8_t>(unique.size(), 0));
            values_[v] = std::move(kept);
            ++continuous_count_;
          } else {
            lacks_[v] = std::ranges::any_of(kept, [&](auto x) { return x == cardinalities_[v]; });
            columns_.emplace_back(std::move(kept));
          }
          incomplete_ = incomplete_ || lacks_[v];
        },
        columns[v]);
}

void EncodedData::make_parts(std::span<ColumnView const> columns,
                             std::span<std::uint32_t const> weights, bool missing_allowed,
                             std::span<std::span<std::uint8_t const> const> set_rows) {
  auto const any = [](std::span<std::uint8_t const> flags) {
    return std::ranges::any_of(flags, [](auto flag) { return flag != 0; });
  };
  if (std::ranges::none_of(set_rows, any)) return;
  part_of_.assign(columns.size(), 0);
  std::vector<std::size_t> owner;  // of each part, a variable with its rows
  for (std::size_t v = 0; v < columns.size(); ++v) {
    if (!any(set_rows[v])) continue;
    auto const same = std::ranges::find_if(
        owner, [&](std::size_t other) { return std::ranges::equal(set_rows[other], set_rows[v]); });
    part_of_[v] = static_cast<std::uint32_t>(same - owner.begin() + 1);
    if (same == owner.end()) owner.push_back(v);
  }
  for (std::size_t const v : owner) {
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < set_rows[v].size(); ++row)
      if (!set_rows[v][row]) kept.push_back(row);
    if (kept.empty())
      throw InputError("variable " + std::to_string(v) +
                       " was set in every row: nothing tells what it depends on.");
    std::vector<
        std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<double>>>
        own(columns.size());
    std::vector<ColumnView> views;
    for (std::size_t c = 0; c < columns.size(); ++c)
      std::visit(
          [&](auto const& given) {
            using Value = std::remove_const_t<typename std::decay_t<decltype(given)>::element_type>;
            std::vector<Value> some;
            for (std::size_t const row : kept) some.push_back(given[row]);
            own[c] = std::move(some);
            views.emplace_back(std::span<Value const>(std::get<std::vector<Value>>(own[c])));
          },
          columns[c]);
    std::vector<std::uint32_t> own_weights;
    if (!weights.empty())
      for (std::size_t const row : kept) own_weights.push_back(weights[row]);
    parts_.push_back(
        std::make_shared<EncodedData const>(views, cardinalities_, own_weights, missing_allowed));
  }
}

std::uint64_t EncodedData::digest() const {
  Xxh64 sum;
  auto const add = [&](auto const& values) {
    std::uint64_t const count = values.size();
    sum.update(&count, sizeof count);
    sum.update(values.data(), values.size() * sizeof(*values.data()));
  };
  add(cardinalities_);
  add(weights_);
  for (auto const& column : columns_) std::visit(add, column);
  for (auto const& numbers : values_)
    if (!numbers.empty()) add(numbers);
  if (!part_of_.empty()) add(part_of_);
  for (auto const& part : parts_) {
    std::uint64_t const own = part->digest();
    sum.update(&own, sizeof own);
  }
  return sum.digest();
}

}  // namespace bayesloom
