#include "parent_sets/regression_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "data/set_counter.hpp"
#include "parent_sets/tuning.hpp"
#include "score/gaussian.hpp"

namespace bayesloom {

namespace {

using Mask = std::uint64_t;
constexpr std::size_t most_variables = 64;

/// The inverse of the matrix of all columns; nothing if that is singular.
std::optional<std::vector<double>> inverse_of(MomentMatrix const& matrix,
                                              std::vector<std::size_t> const& columns) {
  std::size_t const n = columns.size();
  std::vector<long double> a(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      a[i * n + j] =
          matrix.element(std::max(columns[i], columns[j]), std::min(columns[i], columns[j]));
  for (std::size_t k = 0; k < n; ++k) {  // Gauss and Jordan: row k is swept
    long double const pivot = a[k * n + k];
    if (!(pivot > matrix.singular_below)) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      long double const part = a[i * n + k] / pivot;
      for (std::size_t j = 0; j < n; ++j)
        if (j != k) a[i * n + j] -= part * a[k * n + j];
      a[i * n + k] = -part;
    }
    for (std::size_t j = 0; j < n; ++j)
      if (j != k) a[k * n + j] /= pivot;
    a[k * n + k] = 1 / pivot;
  }
  return std::vector<double>(a.begin(), a.end());
}

/// What rounding may do to a bound, in nats.
double error_of(std::vector<double> const& inverse, std::size_t n, double rows) {
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += inverse[i * n + i];
  auto const size = static_cast<double>(n);
  return rows / 2 * size * size * size * 0x1p-50 * trace * trace;
}

std::vector<std::size_t> columns_of(MomentMatrix const& matrix, std::span<Variable const> useful) {
  std::vector<std::size_t> columns;
  for (Variable const v : useful) columns.push_back(matrix.begin(v));
  return columns;
}

/// Sets that beat all their subsets, for each of their members, best first.
class BestSets {
 public:
  explicit BestSets(std::size_t n) : lists_(n) {}

  /// The best score of a set with k inside a set, or `at_least` if none is above it.
  Fixed best(std::size_t k, Mask set, Fixed at_least) const {
    for (auto const& [score, mask] : lists_[k]) {
      if (score <= at_least) break;
      if ((mask & ~set) == 0) return score;
    }
    return at_least;
  }

  void add(Mask set, Fixed score) {
    for (Mask left = set; left; left &= left - 1) {
      auto& list = lists_[static_cast<std::size_t>(std::countr_zero(left))];
      auto const at =
          std::ranges::lower_bound(list, score, std::greater<>(), &std::pair<Fixed, Mask>::first);
      list.insert(at, {score, set});
    }
  }

 private:
  std::vector<std::vector<std::pair<Fixed, Mask>>> lists_;
};

class RegressionSearch {
 public:
  RegressionSearch(EncodedData const& data, BitPlanes const& planes, ScoreSpec const& spec,
                   ExhaustiveOptions const& options, std::span<Variable const> useful,
                   Variable child, Control& control)
      : options_(options),
        control_(control),
        useful_(useful),
        n_(useful.size()),
        child_(static_cast<std::size_t>(std::ranges::find(useful, child) - useful.begin())),
        r_(data.cardinality(child)),
        margin_(static_cast<Fixed>(std::ceil(options.margin * fixed_units_per_nat))),
        score_(make_score(spec, data)),
        counter_(make_counter(spec, data, planes, nullptr)),
        rows_(data.row_count()),
        charge_(dynamic_cast<GaussianBic const&>(*score_).charge()),
        limit_(options.max_parents.value_or(n_)),
        best_sets_(n_) {
    auto const matrix = moment_matrix(spec, data);
    auto const columns = columns_of(*matrix, useful);
    auto inverse = inverse_of(*matrix, columns);
    if (!inverse) throw InternalError("a singular matrix has no inverse.");
    slack_ = tuning::bound_safety + error_of(*inverse, n_, rows_);
    fit_ =
        -rows_ / 2 * (1 + std::log(2 * std::numbers::pi) + matrix->log_diagonal[columns[child_]]);
    products_.resize(n_ + 1);
    inverses_.resize(n_ + 1);
    inverses_.front() = std::move(*inverse);
    products_.front().resize(n_ * n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        products_.front()[i * n_ + j] =
            matrix->element(std::max(columns[i], columns[j]), std::min(columns[i], columns[j]));
  }

  ChildResult run() {
    std::vector<std::size_t> open;
    for (std::size_t v = 0; v < n_; ++v)
      if (v != child_) open.push_back(v);
    Fixed const score = scored();
    keep(score);
    visit(open, 0, 0, score);
    return std::move(result_);
  }

 private:
  double& product(std::size_t level, std::size_t a, std::size_t b) {
    return products_[level][a * n_ + b];
  }
  double& inverse(std::size_t level, std::size_t a, std::size_t b) {
    return inverses_[level][a * n_ + b];
  }

  Fixed scored() {
    ++result_.scored;
    counter_.family(useful_[child_], parents_, family_);
    return score_->local_score(family_, parents_, r_);
  }

  /// All sets that contain those that are in and some that are open, but not the former alone. `in` and `out` are how
  /// many have been taken in and left out, `best` is the best score of a subset of those that are in.
  void visit(std::vector<std::size_t> open, std::size_t in, std::size_t out, Fixed best) {
    if (open.empty() || control_.stopped()) return;
    if (++tried_ % tuning::counted_between_looks == 0 &&
        control_.should_stop(tuning::counted_between_looks))
      return;
    // More parents cost at least this, and explain at most what all that are not out explain.
    double const most = fit_ + rows_ / 2 * std::log(inverse(out, child_, child_)) - paid(in + 1);
    if (most + slack_ < to_nats(best) - options_.margin) return;
    if (in == limit_) {
      result_.cut = true;
      return;
    }
    std::size_t const k = strongest(open, in);
    bool const useful = useful_beside(k, in, out);
    std::erase(open, k);
    inverses_[out + 1].resize(n_ * n_);
    step(inverses_[out], k, open, inverses_[out + 1]);
    visit(open, in, out + 1, best);
    if (!useful) return;
    Mask const bit = Mask{1} << k;
    Fixed const best_subset = best_sets_.best(k, mask_ | bit, best);
    if (most + slack_ < to_nats(best_subset) - options_.margin) return;
    mask_ |= bit;
    members_.push_back(useful_[k]);
    counter_.push(useful_[k]);
    if (Fixed const score = scored(); is_score(score)) {
      if (score >= best_subset - margin_) keep(score);
      if (score > best_subset) best_sets_.add(mask_, score);
      products_[in + 1].resize(n_ * n_);
      step(products_[in], k, open, products_[in + 1]);
      visit(std::move(open), in + 1, out, std::max(best_subset, score));
    }
    counter_.pop();
    members_.pop_back();
    mask_ &= ~bit;
  }

  double paid(std::size_t parents) const { return charge_ * static_cast<double>(parents + 2); }

  /// Of those that are open, the one that explains most beside those that are in.
  std::size_t strongest(std::vector<std::size_t> const& open, std::size_t in) {
    return *std::ranges::max_element(open, {}, [&](std::size_t k) {
      double const both = product(in, k, child_);
      return both * both / std::max(product(in, k, k), 1e-300);
    });
  }

  /// Whether one more parent may bring what it costs to any set between those that are in and all.
  bool useful_beside(std::size_t k, std::size_t in, std::size_t out) {
    double const gain = rows_ / 2 * std::log(product(in, k, k) * inverse(out, k, k));
    return gain - charge_ + slack_ >= -options_.margin;
  }

  /// One step of elimination of k, over those that are open and the child.
  void step(std::vector<double> const& from, std::size_t k, std::vector<std::size_t> const& open,
            std::vector<double>& to) const {
    double const pivot = from[k * n_ + k];
    auto const row = [&](std::size_t a) {
      double const part = from[a * n_ + k] / pivot;
      for (std::size_t const b : open) to[a * n_ + b] = from[a * n_ + b] - part * from[k * n_ + b];
      to[a * n_ + child_] = from[a * n_ + child_] - part * from[k * n_ + child_];
    };
    for (std::size_t const a : open) row(a);
    row(child_);
  }

  void keep(Fixed score) {
    sorted_.assign(members_.begin(), members_.end());
    std::ranges::sort(sorted_);
    result_.kept.add(score, sorted_);
    bytes_ += sizeof(Fixed) + sizeof(std::size_t) +
              sorted_.size() * (sizeof(Variable) + sizeof(std::pair<Fixed, Mask>));
    if (options_.memory_bytes > 0 && static_cast<double>(bytes_) > options_.memory_bytes)
      throw ResourceError("the parent sets of one of " + std::to_string(n_) +
                          " variables that may matter take more than the " +
                          std::to_string(static_cast<long long>(options_.memory_bytes / 1e6)) +
                          " MB allowed. Set max_parents, or allow more memory.");
  }

  ExhaustiveOptions const& options_;
  Control& control_;
  std::span<Variable const> useful_;
  std::size_t const n_, child_;
  std::uint32_t const r_;
  Fixed const margin_;
  std::unique_ptr<Score> score_;
  SetCounter counter_;
  double const rows_, charge_;
  std::size_t const limit_;
  double slack_ = 0, fit_ = 0;
  std::vector<std::vector<double>> products_, inverses_;  // by how many are in, and out
  BestSets best_sets_;
  std::vector<Variable> members_, sorted_;
  Mask mask_ = 0;
  Cells parents_, family_;
  std::uint64_t tried_ = 0;
  std::size_t bytes_ = 0;
  ChildResult result_;
};

}  // namespace

bool searches_regressions(EncodedData const& data, ScoreSpec const& spec) {
  auto const score = make_score(spec, data);
  auto const* const penalised = dynamic_cast<GaussianBic const*>(score.get());
  if (!penalised) return false;
  auto const matrix = moment_matrix(spec, data);
  std::vector<Variable> useful;
  for (std::size_t v = 0; v < data.variable_count(); ++v) {
    auto const variable = static_cast<Variable>(v);
    if (data.cardinality(variable) < 2) continue;
    if (matrix->end(variable) != matrix->begin(variable) + 1) return false;
    useful.push_back(variable);
  }
  std::size_t const n = useful.size();
  if (n < 2 || n > most_variables || n >= data.row_count()) return false;
  auto const inverse = inverse_of(*matrix, columns_of(*matrix, useful));
  return inverse && error_of(*inverse, n, data.row_count()) <
                        tuning::regression_error_part * penalised->charge();
}

ChildResult search_regressions(EncodedData const& data, BitPlanes const& planes,
                               ScoreSpec const& spec, ExhaustiveOptions const& options,
                               std::span<Variable const> useful, Variable child, Control& control) {
  return RegressionSearch(data, planes, spec, options, useful, child, control).run();
}

}  // namespace bayesloom
