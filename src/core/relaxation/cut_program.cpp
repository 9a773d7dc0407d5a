// What branch and cut asks of its linear program, and what it makes of the duals.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "relaxation/cut_tree.hpp"

namespace bayesloom::relaxation {

namespace {

constexpr double no_cutoff = std::numeric_limits<double>::infinity();

/// The place of a variable's row.
std::int32_t row_of(Problem const& problem, Index i) {
  return static_cast<std::int32_t>(
      std::lower_bound(problem.variables.begin(), problem.variables.end(), i) -
      problem.variables.begin());
}

}  // namespace

void CutTree::begin_program() {
  begun_ = true;
  Problem const& problem = rows_.problem();
  program_.begin(problem.variables.size());
  // The candidates nearest to the best by the prices that came along.
  rows_.price(duals_, alive_);
  auto const& values = rows_.values();
  std::vector<Fixed> cost(rows_.columns());
  for (std::size_t c = 0; c < cost.size(); ++c) cost[c] = rows_.tops()[rows_.owner(c)] - values[c];
  std::vector<Fixed> sorted = cost;
  auto const count = std::min(
      sorted.size(), static_cast<std::size_t>(options_.first_columns *
                                              static_cast<double>(problem.variables.size())));
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count - 1),
                   sorted.end());
  std::vector<std::size_t> chosen;
  for (std::size_t c = 0; c < cost.size(); ++c)
    if (cost[c] <= sorted[count - 1]) chosen.push_back(c);
  put_columns(chosen);
  add_rows(0);
}

void CutTree::put_columns(std::vector<std::size_t> const& candidates) {
  Problem const& problem = rows_.problem();
  std::vector<std::int32_t> number(rows_.columns(), -1);
  std::vector<std::vector<std::pair<std::int32_t, double>>> cells(candidates.size());
  std::vector<double> costs;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    std::size_t const c = candidates[k];
    number[c] = static_cast<std::int32_t>(k);
    costs.push_back(-to_nats(problem.value[c]));
    cells[k].emplace_back(row_of(problem, rows_.owner(c)), 1.0);
    place_[c] = static_cast<std::int32_t>(column_.size());
    column_.push_back(c);
    allowed_[c] = 1;
  }
  // Rows that are not in the program yet get the columns when they are added.
  std::size_t const in_program = begun_rows_;
  auto const n = static_cast<std::int32_t>(problem.variables.size());
  for (std::size_t r = 0; r < in_program; ++r) {
    CutRow const& row = rows_.rows()[r];
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      if (auto const at = number[static_cast<std::size_t>(row.columns[k])]; at >= 0)
        cells[static_cast<std::size_t>(at)].emplace_back(n + static_cast<std::int32_t>(r),
                                                         row.values[k]);
  }
  LinearProgram::Sparse columns;
  for (auto const& own : cells) {
    for (auto const& [row, value] : own) {
      columns.places.push_back(row);
      columns.values.push_back(value);
    }
    columns.first.push_back(static_cast<std::int32_t>(columns.places.size()));
  }
  program_.add_columns(costs, columns);
}

void CutTree::add_rows(std::size_t from) {
  LinearProgram::Sparse rows;
  std::vector<double> least;
  for (std::size_t r = from; r < rows_.rows().size(); ++r) {
    CutRow const& row = rows_.rows()[r];
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      if (auto const at = place_[static_cast<std::size_t>(row.columns[k])]; at >= 0) {
        rows.places.push_back(at);
        rows.values.push_back(row.values[k]);
      }
    rows.first.push_back(static_cast<std::int32_t>(rows.places.size()));
    least.push_back(static_cast<double>(row.least));
  }
  begun_rows_ = rows_.rows().size();
  if (!least.empty()) program_.add_rows(least, rows);
}

void CutTree::drop_idle() {
  std::size_t const n = rows_.problem().variables.size();
  std::vector<std::int32_t> gone, places;
  for (std::size_t r = 0; r < rows_.rows().size(); ++r) {
    CutRow& row = rows_.rows()[r];
    double margin = -static_cast<double>(row.least);
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      margin += shares_[static_cast<std::size_t>(row.columns[k])] * row.values[k];
    bool const idle = margin > options_.margin && duals_[r] <= 1e-9;
    row.idle = idle ? row.idle + 1 : 0;
    if (row.idle < options_.most_idle) continue;
    gone.push_back(static_cast<std::int32_t>(r));
    places.push_back(static_cast<std::int32_t>(n + r));
  }
  if (gone.empty()) return;
  program_.remove_rows(places);
  rows_.remove(gone);
  begun_rows_ = rows_.rows().size();
  std::size_t kept = 0, at = 0;
  for (std::size_t r = 0; r < duals_.size(); ++r) {
    if (at < gone.size() && static_cast<std::size_t>(gone[at]) == r) {
      ++at;
    } else {
      duals_[kept++] = duals_[r];
    }
  }
  duals_.resize(kept);
}

void CutTree::drop_columns() {
  std::vector<std::int32_t> gone;
  for (std::size_t k = 0; k < column_.size(); ++k)
    if (alive_[column_[k]] == 0) gone.push_back(static_cast<std::int32_t>(k));
  if (gone.size() * 4 < column_.size()) return;
  program_.remove_columns(gone);
  std::size_t kept = 0, at = 0;
  for (std::size_t k = 0; k < column_.size(); ++k) {
    std::size_t const c = column_[k];
    if (at < gone.size() && static_cast<std::size_t>(gone[at]) == k) {
      ++at;
      place_[c] = -1;
      allowed_[c] = 0;
    } else {
      place_[c] = static_cast<std::int32_t>(kept);
      column_[kept++] = c;
    }
  }
  column_.resize(kept);
}

void CutTree::allow(Node const& node) {
  std::vector<std::int32_t> changed;
  std::vector<double> most;
  for (std::size_t k = 0; k < column_.size(); ++k) {
    std::size_t const c = column_[k];
    if (allowed_[c] == node.open[c]) continue;
    allowed_[c] = node.open[c];
    changed.push_back(static_cast<std::int32_t>(k));
    most.push_back(node.open[c] != 0 ? 1.0 : 0.0);
  }
  if (!changed.empty()) program_.allow(changed, most);
}

std::size_t CutTree::take_columns(Node const& node) {
  Problem const& problem = rows_.problem();
  auto const& values = rows_.values();
  std::vector<std::size_t> chosen;
  std::vector<std::pair<Fixed, std::size_t>> better;
  for (Index const i : problem.variables) {
    Fixed top = nothing;
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c)
      if (node.open[c] != 0 && place_[c] >= 0) top = std::max(top, values[c]);
    better.clear();
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c)
      if (node.open[c] != 0 && place_[c] < 0 && values[c] > top + options_.least_better)
        better.emplace_back(-values[c], c);
    std::sort(better.begin(), better.end());
    if (better.size() > options_.most_columns) better.resize(options_.most_columns);
    for (auto const& entry : better) chosen.push_back(entry.second);
  }
  if (!chosen.empty()) put_columns(chosen);
  return chosen.size();
}

bool CutTree::use_duals(Node& node, std::vector<double> const& duals) {
  Fixed const bound = rows_.price(duals, node.open);
  node.bound = std::min(node.bound, bound);
  if (bound <= floor()) {
    if (record_) {
      proof_[node.proof].last = rows_.prices();
      proof_[node.proof].end = ProofNode::End::leaf;
    }
    return false;
  }
  // The best network known stays: without it the program may have no solution.
  Fixed const margin = bound - floor();
  auto const& values = rows_.values();
  std::size_t gone = 0;
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (node.open[c] == 0 || rows_.tops()[rows_.owner(c)] - values[c] <= margin) continue;
    node.open[c] = 0;
    ++gone;
    if (node.depth == 0) alive_[c] = 0;
  }
  if (gone > 0 && record_) proof_[node.proof].fixes.push_back(rows_.prices());
  return true;
}

bool CutTree::refine(Node const& node, Control& control) {
  auto const costs = rows_.begin_refining(duals_, node.open, options_.refined_below);
  std::vector<std::size_t> missing;
  for (std::size_t c = 0; c < costs.size(); ++c)
    if (node.open[c] != 0 && place_[c] < 0 && costs[c] < options_.refined_near)
      missing.push_back(c);
  if (!missing.empty()) put_columns(missing);
  allow(node);
  std::vector<double> own(column_.size()), refined(column_.size());
  for (std::size_t k = 0; k < column_.size(); ++k) {
    own[k] = -to_nats(rows_.problem().value[column_[k]]);
    refined[k] = std::min(costs[column_[k]], options_.refined_near);
  }
  program_.change_costs(refined);
  auto end = LinearProgram::End::unfinished;
  while (end == LinearProgram::End::unfinished && !control.stopped()) {
    end = program_.solve(options_.slice, no_cutoff);
    control.should_stop(1 + program_.steps() * options_.step_work);
  }
  if (end == LinearProgram::End::failed) failed_ = true;
  std::vector<double> shares, duals;
  bool const solved = end == LinearProgram::End::optimal && read_solution(shares, duals);
  program_.change_costs(own);
  if (!solved || rows_.refine(duals, node.open, record_ ? 0 : options_.refined_finer) > floor())
    return false;
  if (record_) {
    proof_[node.proof].last = rows_.prices();
    proof_[node.proof].end = ProofNode::End::leaf;
  }
  return true;
}

CutTree::Ray CutTree::use_ray(Node& node) {
  std::vector<double> ray;
  if (!program_.ray(ray)) return Ray::nothing;
  std::size_t const n = rows_.problem().variables.size();
  if (ray.size() != n + rows_.rows().size()) return Ray::nothing;
  ray.erase(ray.begin(), ray.begin() + static_cast<std::ptrdiff_t>(n));
  double largest = 1e-12;
  for (double const part : ray) largest = std::max(largest, std::abs(part));
  double const gap = std::max(1.0, to_nats(node.bound - floor()));
  for (double const sign : {1.0, -1.0}) {
    for (double scale = gap; scale < 1e5 * gap; scale *= 10) {
      std::vector<double> duals =
          duals_.size() == ray.size() ? duals_ : std::vector<double>(ray.size(), 0);
      for (std::size_t r = 0; r < ray.size(); ++r)
        duals[r] = std::max(0.0, duals[r] + sign * ray[r] * scale / largest);
      if (rows_.price(duals, node.open) <= floor()) {
        use_duals(node, duals);
        return Ray::closed;
      }
    }
    // Columns that are not in the program stand highest by such prices.
    if (take_columns(node) > 0) return Ray::columns;
  }
  return Ray::nothing;
}

bool CutTree::read_solution(std::vector<double>& shares, std::vector<double>& duals) {
  std::size_t const n = rows_.problem().variables.size();
  program_.solution(shares, duals);
  if (shares.size() != column_.size() || duals.size() != n + rows_.rows().size()) {
    failed_ = true;
    return false;
  }
  duals.erase(duals.begin(), duals.begin() + static_cast<std::ptrdiff_t>(n));
  return true;
}

CutTree::Outcome CutTree::solve(Node& node, Control& control) {
  using End = LinearProgram::End;
  bool by_cutoff = true;
  for (;;) {
    allow(node);
    // A value so high that no bound near the floor is left.
    double const cutoff = by_cutoff ? -to_nats(floor()) + options_.near : no_cutoff;
    End const end = program_.solve(options_.slice, cutoff);
    if (end == End::failed) {
      failed_ = true;
      return Outcome::stopped;
    }
    if (control.should_stop(1 + program_.steps() * options_.step_work)) {
      if (end != End::optimal) return Outcome::stopped;
    }
    if (end == End::unfinished) continue;
    if (end == End::infeasible) {
      // Columns that are not in the program may make a difference: the bound is over all.
      auto const by_ray = use_ray(node);
      if (by_ray == Ray::columns) continue;
      return by_ray == Ray::closed ? Outcome::closed : Outcome::open;
    }
    std::vector<double> shares, duals;
    if (!read_solution(shares, duals)) return Outcome::stopped;
    if (end == End::cut_off) {
      if (!use_duals(node, duals)) return Outcome::closed;
      if (take_columns(node) == 0) by_cutoff = false;
      continue;
    }
    std::fill(shares_.begin(), shares_.end(), 0.0);
    for (std::size_t k = 0; k < column_.size(); ++k)
      shares_[column_[k]] = std::clamp(shares[k], 0.0, 1.0);
    duals_ = std::move(duals);
    if (!use_duals(node, duals_)) return Outcome::closed;
    if (control.stopped()) return Outcome::stopped;
    if (take_columns(node) == 0) return Outcome::open;
  }
}

}  // namespace bayesloom::relaxation
