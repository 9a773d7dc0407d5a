#include "data/family_counter.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "data/tuning.hpp"

namespace bayesloom {

FamilyCounter::FamilyCounter(EncodedData const& data, std::shared_ptr<ScaledColumns const> columns,
                             std::uint32_t least_rows)
    : data_(data),
      columns_(std::move(columns)),
      least_rows_(least_rows),
      // As in cell_moments.cpp: a term is at most the rows times some hundred nats.
      digits_(std::min(40, 50 - static_cast<int>(std::ceil(std::log2(data.row_count()))))),
      puts_aside_(data.continuous_count() == 0),
      levels_(1) {
  Level& all = levels_.front();
  all.rows.resize(data.unique_row_count());
  std::iota(all.rows.begin(), all.rows.end(), 0U);
  all.ends = {all.rows.size()};
}

void FamilyCounter::split(Level const& from, Variable v, Level& to) {
  std::size_t const r = data_.cardinality(v);
  to.rows.clear();
  to.ends.clear();
  to.singles.clear();
  to.states = from.states * static_cast<double>(r);
  to.continuous = from.continuous;
  std::visit(
      [&](auto const& states) {
        for (auto const row : from.singles)
          if (states[row] < r) to.singles.push_back(row);
        std::size_t begin = 0;
        for (std::size_t const end : from.ends) {
          // By state; what lacks one comes last and is left out.
          place_.assign(r + 2, 0);
          for (std::size_t k = begin; k < end; ++k) ++place_[states[from.rows[k]] + 1U];
          if (puts_aside_)
            for (std::size_t k = begin; k < end; ++k) {
              auto const state = states[from.rows[k]];
              if (state < r && place_[state + 1U] == 1) to.singles.push_back(from.rows[k]);
            }
          std::size_t at = to.rows.size();
          for (std::size_t s = 0; s < r; ++s) {
            std::size_t const size = place_[s + 1];
            bool const kept = size > (puts_aside_ ? 1 : 0);
            place_[s] = kept ? at : SIZE_MAX;
            if (!kept) continue;
            at += size;
            to.ends.push_back(at);
          }
          place_[r] = SIZE_MAX;
          to.rows.resize(at);
          for (std::size_t k = begin; k < end; ++k) {
            std::size_t& place = place_[states[from.rows[k]]];
            if (place != SIZE_MAX) to.rows[place++] = from.rows[k];
          }
          begin = end;
        }
      },
      data_.column(v));
}

void FamilyCounter::keep_complete(Level const& from, Variable v, Level& to) const {
  to.rows.clear();
  to.ends.clear();
  to.singles.clear();
  to.states = from.states;
  to.continuous = from.continuous + (columns_->columns[v].empty() ? 0 : 1);
  auto const values = data_.values(v);
  std::size_t begin = 0;
  for (std::size_t const end : from.ends) {
    std::size_t const first = to.rows.size();
    for (std::size_t k = begin; k < end; ++k)
      if (!std::isnan(values[from.rows[k]])) to.rows.push_back(from.rows[k]);
    if (to.rows.size() > first) to.ends.push_back(to.rows.size());
    begin = end;
  }
}

void FamilyCounter::push(Variable v) {
  stack_.push_back(v);
  if (levels_.size() == stack_.size()) levels_.emplace_back();
  Level const& from = levels_[stack_.size() - 1];
  Level& to = levels_[stack_.size()];
  if (data_.continuous(v))
    keep_complete(from, v, to);
  else
    split(from, v, to);
}

void FamilyCounter::pop() { stack_.pop_back(); }

void FamilyCounter::read(Cells& out) {
  Level const& level = levels_[stack_.size()];
  out.counts.clear();
  out.given.clear();
  out.ones = 0;
  out.moments = {};
  out.moments.columns = level.continuous;
  out.states = level.states;
}

void FamilyCounter::read_with(Variable v, Cells& out) {
  read(out);
  Level const& level = levels_[stack_.size()];
  if (data_.continuous(v)) {
    regress(level, v, out);
    return;
  }
  out.states *= data_.cardinality(v);
  count_states(level, v, out);
  out.moments = {};
  out.moments.singular = level.continuous > 0;
}

void FamilyCounter::read_family(Variable child, Cells& parents, Cells& family) {
  read(parents);
  read_with(child, family);
}

void FamilyCounter::count_states(Level const& level, Variable child, Cells& out) {
  std::uint32_t const r = data_.cardinality(child);
  auto const weights = data_.weights();
  out.rows = 0;
  std::visit(
      [&](auto const& states) {
        for (auto const row : level.singles)
          if (states[row] < r) out.rows += weights[row];
        std::size_t begin = 0;
        for (std::size_t const end : level.ends) {
          histogram_.assign(r + 1, 0);
          for (std::size_t k = begin; k < end; ++k)
            histogram_[states[level.rows[k]]] += weights[level.rows[k]];
          std::uint32_t sum = 0;
          for (std::uint32_t s = 0; s < r; ++s) {
            if (histogram_[s] > 0) out.counts.push_back(histogram_[s]);
            sum += histogram_[s];
          }
          out.given.push_back(sum);
          out.rows += sum;
          begin = end;
        }
      },
      data_.column(child));
}

void FamilyCounter::regress(Level const& level, Variable child, Cells& out) {
  out.rows = 0;
  if (columns_->columns[child].empty()) {  // constant: as a variable of one state
    out.moments = {};
    out.rows = data_.row_count();
    return;
  }
  chosen_.clear();
  for (auto const v : stack_)
    if (data_.continuous(v) && !columns_->columns[v].empty()) chosen_.push_back(v);
  std::ranges::sort(chosen_, std::greater{});
  chosen_.push_back(child);
  std::size_t const c = chosen_.size();
  out.moments.columns = c;
  auto const weights = data_.weights();
  double const* const values = columns_->columns[child].data();
  std::int64_t sum = 0;
  std::size_t begin = 0;
  for (std::size_t const end : level.ends) {
    used_.clear();
    std::uint32_t count = 0;
    for (std::size_t k = begin; k < end; ++k)
      if (!std::isnan(values[level.rows[k]])) {
        used_.push_back(level.rows[k]);
        count += weights[level.rows[k]];
      }
    begin = end;
    if (count == 0) continue;
    out.given.push_back(count);
    out.rows += count;
    if (out.moments.singular) continue;  // rows are counted all the same
    double value = 0;
    if (count < std::max<std::size_t>(c + 2, least_rows_) || !residual(count, value))
      out.moments.singular = true;
    else
      sum += std::llround(std::ldexp(count * value, digits_));
  }
  out.moments.log_det = std::ldexp(static_cast<double>(sum), -digits_) +
                        columns_->log_variance[child] * static_cast<double>(out.rows);
}

bool FamilyCounter::residual(double count, double& out) {
  std::size_t const c = chosen_.size();
  auto const weights = data_.weights();
  mean_.assign(c, 0.0);
  matrix_.assign(c * c, 0.0);
  row_.resize(c);
  for (std::size_t a = 0; a < c; ++a) {
    double const* const column = columns_->columns[chosen_[a]].data();
    for (auto const u : used_) mean_[a] += weights[u] * column[u];
    mean_[a] /= count;
  }
  for (auto const u : used_) {
    double const weight = weights[u];
    for (std::size_t a = 0; a < c; ++a) {
      row_[a] = columns_->columns[chosen_[a]][u] - mean_[a];
      double const part = weight * row_[a];
      for (std::size_t b = 0; b <= a; ++b) matrix_[a * c + b] += part * row_[b];
    }
  }
  for (std::size_t x = 0; x < c; ++x) {
    double const pivot = matrix_[x * c + x] / count;
    if (!(pivot >= tuning::singular_pivot)) return false;
    if (x + 1 == c) out = std::log(pivot);
    for (std::size_t i = x + 1; i < c; ++i) {
      double const part = matrix_[i * c + x] / matrix_[x * c + x];
      for (std::size_t j = x + 1; j <= i; ++j) matrix_[i * c + j] -= part * matrix_[j * c + x];
    }
  }
  return true;
}

}  // namespace bayesloom
