#include "data/set_counter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/tuning.hpp"

namespace bayesloom {

namespace {

using namespace tuning;

double cost_of_groups(double cells, double rows, double states) {
  return rows * ns_per_row + cells * (states > 2 ? ns_per_histogram + states : ns_per_group);
}

}  // namespace

SetCounter::SetCounter(EncodedData const& data, BitPlanes const& planes, RowClasses const* classes,
                       CountingForm form)
    : data_(data),
      planes_(planes),
      classes_(classes),
      form_(form),
      bit_counter_(data, planes),
      group_counter_(data, planes, classes),
      levels_(1) {
  Level& root = levels_.front();
  if (classes) root.to_come = classes->numbers();
  bit_counter_.start(root.bits);
  need_groups(root);
}

SetCounter::SetCounter(EncodedData const& data, BitPlanes const& planes,
                       std::unique_ptr<MomentReader> moments)
    : SetCounter(data, planes) {
  moments_ = std::move(moments);
}

void SetCounter::need_groups(Level& level) {
  if (!level.groups.made) group_counter_.start(level.bits, level.to_come, level.groups);
}

double SetCounter::rows_expected(Level const& level) const {
  if (level.groups.made) return static_cast<double>(level.groups.row_count);
  auto const rows = static_cast<double>(data_.unique_row_count());
  if (!classes_) return rows;
  return std::min(rows, static_cast<double>(level.bits.seen * classes_->count(level.to_come)));
}

double SetCounter::cost_of_start() const {
  return static_cast<double>(data_.unique_row_count()) * ns_per_start_row;
}

double SetCounter::cost_of_bits(double cells, double states) const {
  // Cells are counted in blocks of eight, empty lanes included.
  auto const words = static_cast<double>(planes_.slice_words());
  return std::ceil(cells / lanes) * lanes * (states - 1) * (words * ns_per_cell_word + ns_per_cell);
}

bool SetCounter::count_by_bits(Level const& level, Variable v) const {
  if (!level.bits.made || !planes_.has(v)) return false;
  if (form_ != CountingForm::by_cost) return form_ == CountingForm::bits;
  double const leaves = classes_ ? static_cast<double>(level.to_come) : leaves_expected;
  double const start = level.groups.made ? 0.0 : cost_of_start() / leaves;
  return cost_of_bits(static_cast<double>(level.bits.cells()), data_.cardinality(v)) <=
         start + cost_of_groups(static_cast<double>(level.bits.seen), rows_expected(level),
                                data_.cardinality(v));
}

bool SetCounter::push_by_bits(Level const& from, Variable v) const {
  if (!from.bits.made || !planes_.has(v)) return false;
  if (form_ != CountingForm::by_cost) return form_ == CountingForm::bits;
  double const r = data_.cardinality(v);
  double const further =
      leaf_depth_ > depth_ + 1 ? static_cast<double>(leaf_depth_ - depth_ - 1) : 0;
  double rows_before = rows_expected(from), rows = rows_before, leaves = leaves_expected;
  double const slots = static_cast<double>(from.bits.cells()) * std::pow(r, 1 + further);
  double const cells =
      std::min(static_cast<double>(from.bits.seen) * std::pow(r, 1 + further), rows);
  if (classes_) {
    // The smallest of k numbers below t lies at t / (k + 1) on average.
    leaves = static_cast<double>(classes_->number(v)) / (further + 1);
    auto const classes = [&](double to_come) {
      return static_cast<double>(classes_->count(static_cast<std::size_t>(to_come)));
    };
    rows = std::min(rows, cells * classes(leaves));
    double const before = further > 0 ? static_cast<double>(classes_->number(v)) / further
                                      : static_cast<double>(from.to_come);
    rows_before = std::min(rows_before, cells / r * classes(before));
  }
  double const words = static_cast<double>(planes_.words());
  double const bits = slots * words * ns_per_split_word + (leaves + 1) * cost_of_bits(slots, r);
  double const start = from.groups.made || further > 0 ? 0.0 : cost_of_start() / leaves_expected;
  double const groups = start + rows_before * ns_per_split_row + cells * ns_per_split_cell +
                        leaves * cost_of_groups(cells, rows, r);
  return bits <= groups;
}

void SetCounter::push(Variable v) {
  if (moments_) {
    moments_->push(v);
    ++depth_;
    return;
  }
  if (levels_.size() == depth_ + 1) levels_.emplace_back();
  Level& from = levels_[depth_];
  Level& to = levels_[++depth_];
  to.states = from.states * data_.cardinality(v);
  to.bits.made = to.groups.made = false;
  if (classes_) to.to_come = classes_->number(v);
  if (push_by_bits(from, v)) {
    bit_counter_.split(from.bits, v, to.bits);
  } else {
    need_groups(from);
    group_counter_.split(from.groups, v, to.groups);
  }
}

void SetCounter::cells(Cells& out) const {
  if (moments_) {
    out.variables = depth_;
    moments_->read(out);
    return;
  }
  Level const& level = levels_[depth_];
  auto const copy = [&](auto const& form) {
    out.ones = form.ones;
    out.counts.assign(form.settled.begin(), form.settled.end());
    out.counts.insert(out.counts.end(), form.totals.begin(), form.totals.end());
  };
  out.states = level.states;
  out.variables = depth_;
  if (level.groups.made)
    copy(level.groups);
  else
    copy(level.bits);
}

void SetCounter::cells_with(Variable v, Cells& out) {
  if (moments_) {
    out.variables = depth_ + 1;
    moments_->read_with(v, out);
    return;
  }
  Level& level = levels_[depth_];
  auto const take = [&](auto const& form, auto& counter) {
    out.ones = form.ones;
    out.counts.assign(form.settled.begin(), form.settled.end());
    counter.count(form, v, out.counts);
  };
  out.states = level.states * data_.cardinality(v);
  out.variables = depth_ + 1;
  if (count_by_bits(level, v)) {
    take(level.bits, bit_counter_);
  } else {
    need_groups(level);
    take(level.groups, group_counter_);
  }
}

}  // namespace bayesloom
