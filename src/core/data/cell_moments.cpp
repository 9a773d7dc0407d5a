#include "data/cell_moments.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "data/tuning.hpp"

namespace bayesloom {

namespace {

std::shared_ptr<ScaledColumns const> scaled(EncodedData const& data) {
  auto made = std::make_shared<ScaledColumns>();
  std::size_t const n = data.variable_count();
  made->columns.resize(n);
  made->log_variance.assign(n, 0.0);
  auto const weights = data.weights();
  for (std::size_t k = 0; k < n; ++k) {
    auto const v = static_cast<Variable>(k);
    if (!data.continuous(v) || data.cardinality(v) < 2) continue;
    auto const values = data.values(v);
    std::vector<double> column(values.begin(), values.end());
    // Rows that lack the number keep NaN and are not looked at.
    auto const over_rows = [&](auto&& term) {
      double sum = 0;
      for (std::size_t u = 0; u < column.size(); ++u)
        if (!std::isnan(column[u])) sum += term(u);
      return sum;
    };
    double const total = over_rows([&](std::size_t u) { return static_cast<double>(weights[u]); });
    for (int again = 0; again < 2;
         ++again) {  // what rounding of the mean left goes the second time
      double const mean = over_rows([&](std::size_t u) { return weights[u] * column[u]; });
      for (double& x : column) x -= mean / total;
    }
    double const sum = over_rows([&](std::size_t u) { return weights[u] * column[u] * column[u]; });
    double const deviation = std::sqrt(sum / total);
    for (double& x : column) x /= deviation;
    made->log_variance[k] = std::log(sum / total);
    made->columns[k] = std::move(column);
  }
  return made;
}

}  // namespace

std::shared_ptr<ScaledColumns const> scaled_columns(EncodedData const& data) {
  return data.kept_columns([&] { return scaled(data); });
}

CellMomentCounter::CellMomentCounter(EncodedData const& data,
                                     std::shared_ptr<ScaledColumns const> columns,
                                     std::uint32_t least_rows)
    : data_(data),
      columns_(std::move(columns)),
      least_rows_(least_rows),
      // A term is at most the rows times some hundred nats for each of a few columns.
      digits_(std::min(40, 50 - static_cast<int>(std::ceil(std::log2(data.row_count()))))),
      partitions_(1) {
  Partition& all = partitions_.front();
  all.rows.resize(data.unique_row_count());
  std::iota(all.rows.begin(), all.rows.end(), 0U);
  all.ends = {all.rows.size()};
  all.count = {data.row_count()};
}

void CellMomentCounter::split(Partition const& from, Variable v, Partition& to) {
  std::size_t const r = data_.cardinality(v);
  auto const weights = data_.weights();
  to.rows.resize(from.rows.size());
  to.ends.clear();
  to.count.clear();
  to.states = from.states * static_cast<double>(r);
  std::visit(
      [&](auto const& states) {
        std::size_t begin = 0;
        for (std::size_t const end : from.ends) {
          place_.assign(r + 1, 0);
          for (std::size_t k = begin; k < end; ++k) ++place_[states[from.rows[k]] + 1U];
          for (std::size_t s = 0; s < r; ++s) place_[s + 1] += place_[s];
          for (std::size_t s = 0; s < r; ++s)
            if (place_[s + 1] > place_[s]) {
              to.ends.push_back(begin + place_[s + 1]);
              to.count.push_back(0);
            }
          for (std::size_t k = begin; k < end; ++k)
            to.rows[begin + place_[states[from.rows[k]]]++] = from.rows[k];
          begin = end;
        }
      },
      data_.column(v));
  std::size_t k = 0;
  for (std::size_t z = 0; z < to.ends.size(); ++z)
    for (; k < to.ends[z]; ++k) to.count[z] += weights[to.rows[k]];
}

void CellMomentCounter::push(Variable v) {
  bool const continuous = data_.continuous(v);
  stack_.push_back({v, continuous});
  if (continuous) {
    continuous_.push_back(v);
    return;
  }
  if (partitions_.size() == discrete_ + 1) partitions_.emplace_back();
  split(partitions_[discrete_], v, partitions_[discrete_ + 1]);
  ++discrete_;
}

void CellMomentCounter::pop() {
  if (stack_.back().continuous)
    continuous_.pop_back();
  else
    --discrete_;
  stack_.pop_back();
}

void CellMomentCounter::read(Cells& out) {
  chosen_ = continuous_;
  evaluate(partitions_[discrete_], out);
}

void CellMomentCounter::read_with(Variable v, Cells& out) {
  chosen_ = continuous_;
  if (data_.continuous(v)) {
    chosen_.push_back(v);
    evaluate(partitions_[discrete_], out);
  } else {
    split(partitions_[discrete_], v, leaf_);
    evaluate(leaf_, out);
  }
}

void CellMomentCounter::evaluate(Partition const& cells, Cells& out) {
  std::erase_if(chosen_, [&](Variable v) { return columns_->columns[v].empty(); });
  std::ranges::sort(chosen_, std::greater{});
  out.ones = 0;
  out.states = cells.states;
  out.counts.clear();
  for (auto const count : cells.count) out.counts.push_back(static_cast<std::uint32_t>(count));
  out.moments = {};
  std::size_t const c = chosen_.size();
  out.moments.columns = c;
  if (c == 0) return;
  std::int64_t sum = 0;
  std::size_t begin = 0;
  for (std::size_t z = 0; z < cells.ends.size(); ++z) {
    double value = 0;
    auto const count = static_cast<double>(cells.count[z]);
    if (cells.count[z] < std::max<std::uint64_t>(c + 2, least_rows_) ||
        !log_det(cells.rows.data() + begin, cells.ends[z] - begin, count, value)) {
      out.moments.singular = true;
      return;
    }
    sum += std::llround(std::ldexp(count * value, digits_));
    begin = cells.ends[z];
  }
  double scale = 0;
  for (auto const v : chosen_) scale += columns_->log_variance[v];
  out.moments.log_det = std::ldexp(static_cast<double>(sum), -digits_) + scale * data_.row_count();
}

bool CellMomentCounter::log_det(std::uint32_t const* rows, std::size_t size, double count,
                                double& out) {
  std::size_t const c = chosen_.size();
  auto const weights = data_.weights();
  mean_.assign(c, 0.0);
  matrix_.assign(c * c, 0.0);
  row_.resize(c);
  for (std::size_t a = 0; a < c; ++a) {
    double const* const column = columns_->columns[chosen_[a]].data();
    for (std::size_t k = 0; k < size; ++k) mean_[a] += weights[rows[k]] * column[rows[k]];
    mean_[a] /= count;
  }
  for (std::size_t k = 0; k < size; ++k) {
    double const weight = weights[rows[k]];
    for (std::size_t a = 0; a < c; ++a) {
      row_[a] = columns_->columns[chosen_[a]][rows[k]] - mean_[a];
      double const part = weight * row_[a];
      for (std::size_t b = 0; b <= a; ++b) matrix_[a * c + b] += part * row_[b];
    }
  }
  double product = 1;
  double logs = 0;
  for (std::size_t x = 0; x < c; ++x) {
    double const pivot = matrix_[x * c + x] / count;
    if (!(pivot >= tuning::singular_pivot)) return false;
    product *= pivot;
    if (product < tuning::least_product) {
      logs += std::log(product);
      product = 1;
    }
    for (std::size_t i = x + 1; i < c; ++i) {
      double const part = matrix_[i * c + x] / matrix_[x * c + x];
      for (std::size_t j = x + 1; j <= i; ++j) matrix_[i * c + j] -= part * matrix_[j * c + x];
    }
  }
  out = logs + std::log(product);
  return true;
}

}  // namespace bayesloom
