#include "data/moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <mutex>
#include <string>

#include "base/errors.hpp"
#include "data/tuning.hpp"

namespace bayesloom {

namespace {

std::size_t triangle(std::size_t rows) { return rows * (rows + 1) / 2; }

/// Which states of a discrete variable have a column: the seen ones but the most frequent.
std::vector<std::uint32_t> indicated(EncodedData const& data, Variable v) {
  std::vector<std::uint64_t> counts(data.cardinality(v), 0);
  auto const weights = data.weights();
  std::visit(
      [&](auto const& states) {
        for (std::size_t u = 0; u < states.size(); ++u) counts[states[u]] += weights[u];
      },
      data.column(v));
  auto const most = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
  std::vector<std::uint32_t> states;
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0 && k != most) states.push_back(static_cast<std::uint32_t>(k));
  return states;
}

/// Centred columns of unit length under the weights, row by row, so that sums run over columns.
struct Standardised {
  std::vector<std::vector<double>> columns;
  std::vector<double> variance;

  void add(EncodedData const& data, std::vector<double> column) {
    auto const weights = data.weights();
    double const total = data.row_count();
    double mean = 0;
    for (std::size_t u = 0; u < column.size(); ++u) mean += weights[u] * column[u];
    mean /= total;
    double sum = 0;
    double rest = 0;  // what rounding of the mean left
    for (std::size_t u = 0; u < column.size(); ++u) {
      column[u] -= mean;
      rest += weights[u] * column[u];
    }
    rest /= total;
    for (std::size_t u = 0; u < column.size(); ++u) {
      column[u] -= rest;
      sum += weights[u] * column[u] * column[u];
    }
    if (!(sum > 0) || !std::isfinite(sum))
      throw InputError(
          "a continuous variable is too large or too small: the squares of its numbers cannot be "
          "added. Give it in other units.");
    double const length = std::sqrt(sum);
    for (std::size_t u = 0; u < column.size(); ++u)
      column[u] *= std::sqrt(static_cast<double>(weights[u])) / length;
    columns.push_back(std::move(column));
    variance.push_back(sum / total);
  }
};

/// Sums of products of all pairs of columns; each sum runs over the rows in their order.
std::vector<double> products(std::vector<std::vector<double>> const& columns) {
  constexpr std::size_t wide = 8;
  std::size_t const n = columns.size();
  std::size_t const rows = columns.empty() ? 0 : columns.front().size();
  std::size_t const width = (n + wide - 1) / wide * wide;
  std::vector<double> matrix(n * n, 0.0);
  std::size_t const block = std::max<std::size_t>(1, tuning::moment_block_bytes / (8 * width + 8));
  std::vector<double> slab(std::min(block, std::max<std::size_t>(rows, 1)) * width, 0.0);
  for (std::size_t begin = 0; begin < rows; begin += block) {
    std::size_t const count = std::min(block, rows - begin);
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t u = 0; u < count; ++u) slab[u * width + c] = columns[c][begin + u];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; j += wide) {
        std::array<double, wide> sum{};
        std::size_t const most = std::min(wide, n - j);
        for (std::size_t k = 0; k < most; ++k) sum[k] = matrix[i * n + j + k];
        for (std::size_t u = 0; u < count; ++u) {
          double const x = slab[u * width + i];
          double const* const other = slab.data() + u * width + j;
          for (std::size_t k = 0; k < wide; ++k) sum[k] += x * other[k];
        }
        for (std::size_t k = 0; k < most; ++k) matrix[i * n + j + k] = sum[k];
      }
  }
  for (std::size_t i = 0; i < n; ++i) {
    matrix[i * n + i] = 1;
    for (std::size_t j = 0; j < i; ++j) matrix[j * n + i] = matrix[i * n + j];
  }
  return matrix;
}

}  // namespace

std::shared_ptr<Correlations const> correlations(EncodedData const& data, bool indicators) {
  return data.kept_correlations(indicators, [&] {
    auto made = std::make_shared<Correlations>();
    Standardised standard;
    made->first.push_back(0);
    for (std::size_t k = 0; k < data.variable_count(); ++k) {
      auto const v = static_cast<Variable>(k);
      if (data.continuous(v)) {
        auto const values = data.values(v);
        if (data.cardinality(v) > 1) standard.add(data, {values.begin(), values.end()});
      } else if (indicators) {
        for (auto const state : indicated(data, v)) {
          std::vector<double> column(data.unique_row_count());
          std::visit(
              [&](auto const& states) {
                for (std::size_t u = 0; u < states.size(); ++u) column[u] = states[u] == state;
              },
              data.column(v));
          standard.add(data, std::move(column));
        }
      }
      made->first.push_back(static_cast<std::uint32_t>(standard.columns.size()));
    }
    made->matrix = products(standard.columns);
    made->variance = std::move(standard.variance);
    return std::shared_ptr<Correlations const>(std::move(made));
  });
}

Residuals residuals(MomentMatrix const& matrix) {
  std::size_t const n = matrix.columns();
  Residuals out;
  // L by rows, unit diagonal, with the pivots apart; then the inverse of L.
  std::vector<double> lower(n * n, 0.0);
  std::vector<double> pivots(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double value = matrix.element(i, j);
      for (std::size_t k = 0; k < j; ++k) value -= lower[i * n + k] * lower[j * n + k] * pivots[k];
      if (j < i)
        lower[i * n + j] = value / pivots[j];
      else
        pivots[i] = value;
    }
    pivots[i] = std::max(matrix.pivot(pivots[i], i), 1e-300);
    out.least_pivot = std::min(out.least_pivot, pivots[i]);
  }
  std::vector<double> inverse(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    inverse[i * n + i] = 1;
    for (std::size_t k = 0; k < i; ++k) {
      double const part = lower[i * n + k];
      for (std::size_t j = 0; j <= k; ++j) inverse[i * n + j] -= part * inverse[k * n + j];
    }
  }
  std::vector<double> block;
  for (std::size_t v = 0; v + 1 < matrix.base->first.size(); ++v) {
    std::size_t const begin = matrix.base->first[v];
    std::size_t const size = matrix.base->first[v + 1] - begin;
    // The block of the inverse matrix; its determinant is 1 / that of the residual.
    block.assign(size * size, 0.0);
    for (std::size_t a = 0; a < size; ++a)
      for (std::size_t b = 0; b <= a; ++b)
        for (std::size_t k = begin + a; k < n; ++k)
          block[a * size + b] +=
              inverse[k * n + begin + a] * inverse[k * n + begin + b] / pivots[k];
    double log_det = 0;
    for (std::size_t x = 0; x < size; ++x) {
      log_det += std::log(std::max(block[x * size + x], 1e-300));
      for (std::size_t i = x + 1; i < size; ++i)
        for (std::size_t j = x + 1; j <= i; ++j)
          block[i * size + j] -= block[i * size + x] * block[j * size + x] / block[x * size + x];
    }
    out.log_det.push_back(-log_det);
  }
  return out;
}

void MomentCounter::Product::multiply(MomentMatrix const& matrix, double found,
                                      std::size_t column) {
  double const pivot = matrix.pivot(found, column);
  if (!(pivot > 0) || pivot < matrix.singular_below) singular = true;
  rest *= pivot;
  if (rest < tuning::least_product) {
    logs += std::log(rest);
    rest = 1;
  }
  scale += matrix.log_diagonal[column];
  ++columns;
}

void MomentCounter::Product::tell(Moments& out) const {
  out.singular = singular;
  out.columns = columns;
  out.log_det = singular ? 0 : (logs + std::log(rest)) + scale;
}

MomentCounter::MomentCounter(std::shared_ptr<MomentMatrix const> matrix)
    : matrix_(std::move(matrix)),
      single_([&] {
        auto const& first = matrix_->base->first;
        for (std::size_t v = 0; v + 1 < first.size(); ++v)
          if (first[v + 1] - first[v] > 1) return false;
        return true;
      }()),
      levels_(1) {
  levels_.front().made = true;
  levels_.front().size = matrix_->columns();
}

bool MomentCounter::descending(Variable v) const {
  return single_ && ordered_ == stack_.size() && (stack_.empty() || v < stack_.back());
}

double MomentCounter::entry(Level const& level, std::size_t i, std::size_t j) const {
  return &level == levels_.data() ? matrix_->element(i, j) : level.matrix[triangle(i) + j];
}

/// Eliminates what was pushed last from the level below, which is made.
void MomentCounter::make(std::size_t number) {
  Level& level = levels_[number];
  if (level.made) return;
  Level const& from = levels_[number - 1];
  std::size_t const x = matrix_->begin(level.variable);
  level.matrix.resize(triangle(level.size));
  level.made = true;
  if (matrix_->end(level.variable) == x) {  // no column: as it was
    for (std::size_t i = 0; i < level.size; ++i)
      for (std::size_t j = 0; j <= i; ++j) level.matrix[triangle(i) + j] = entry(from, i, j);
    return;
  }
  row_.resize(x + 1);
  for (std::size_t j = 0; j <= x; ++j) row_[j] = entry(from, x, j);
  double const inverse = 1 / matrix_->pivot(row_[x], x);
  for (std::size_t i = 0; i < level.size; ++i) {
    double const part = row_[i] * inverse;
    double* const to = level.matrix.data() + triangle(i);
    if (number == 1) {
      for (std::size_t j = 0; j <= i; ++j) to[j] = matrix_->element(i, j) - part * row_[j];
    } else {
      double const* const old = from.matrix.data() + triangle(i);
      for (std::size_t j = 0; j <= i; ++j) to[j] = old[j] - part * row_[j];
    }
  }
}

void MomentCounter::push(Variable v) {
  if (descending(v)) {
    make(ordered_);
    if (levels_.size() == ordered_ + 1) levels_.emplace_back();
    Level const& from = levels_[ordered_];
    Level& to = levels_[++ordered_];
    to.variable = v;
    to.made = false;
    to.size = matrix_->begin(v);
    to.product = from.product;
    if (matrix_->end(v) > to.size)
      to.product.multiply(*matrix_, entry(from, to.size, to.size), to.size);
  }
  stack_.push_back(v);
}

void MomentCounter::pop() {
  stack_.pop_back();
  ordered_ = std::min(ordered_, stack_.size());
}

void MomentCounter::read(Cells& out) {
  if (ordered_ == stack_.size()) {
    levels_[ordered_].product.tell(out.moments);
    return;
  }
  sorted_ = stack_;
  std::ranges::sort(sorted_, std::greater{});
  gather(sorted_, out.moments);
}

void MomentCounter::read_with(Variable v, Cells& out) {
  if (!descending(v)) {
    sorted_ = stack_;
    sorted_.push_back(v);
    std::ranges::sort(sorted_, std::greater{});
    gather(sorted_, out.moments);
    return;
  }
  Level const& level = levels_[ordered_];
  Product product = level.product;
  std::size_t const i = matrix_->begin(v);
  if (matrix_->end(v) > i) {
    double found = 0;
    if (level.made) {
      found = entry(level, i, i);
    } else {
      Level const& from = levels_[ordered_ - 1];
      std::size_t const x = matrix_->begin(level.variable);
      found = entry(from, i, i);
      if (matrix_->end(level.variable) > x) {
        double const a = entry(from, x, i);
        double const part = a * (1 / matrix_->pivot(entry(from, x, x), x));
        found -= part * a;
      }
    }
    product.multiply(*matrix_, found, i);
  }
  product.tell(out.moments);
}

void MomentCounter::gather(std::span<Variable const> set, Moments& out) {
  chosen_.clear();
  for (auto const v : set)
    for (auto c = matrix_->end(v); c-- > matrix_->begin(v);) chosen_.push_back(c);
  std::size_t const k = chosen_.size();
  // Eliminated from the front: row t is of the t-th column, the largest first.
  small_.resize(k * k);
  for (std::size_t s = 0; s < k; ++s)
    for (std::size_t t = s; t < k; ++t)
      small_[s * k + t] = matrix_->element(chosen_[s], chosen_[t]);
  Product product;
  for (std::size_t s = 0; s < k && !product.singular; ++s) {
    double const* const row = small_.data() + s * k;
    product.multiply(*matrix_, row[s], chosen_[s]);
    double const inverse = 1 / matrix_->pivot(row[s], chosen_[s]);
    // As above: part is of the larger number i, which stands in the earlier row.
    for (std::size_t t = s + 1; t < k; ++t) {
      double const part = row[t] * inverse;
      double* const to = small_.data() + t * k;
      for (std::size_t w = t; w < k; ++w) to[w] -= part * row[w];
    }
  }
  product.columns = k;
  product.tell(out);
}

}  // namespace bayesloom
