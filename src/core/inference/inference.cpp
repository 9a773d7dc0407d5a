#include "inference/inference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "inference/product.hpp"
#include "inference/tuning.hpp"

namespace bayesloom {

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

/// One thread's worker: a plan, and its tables filled in for one row after the other.
class Eliminator {
 public:
  Eliminator(DiscreteNetwork const& network, Question const& question, double memory,
             Control& control)
      : network_(network), question_(question), memory_(memory), control_(control) {
    std::size_t most = 1;
    for (std::size_t v = 0; v < network.size(); ++v)
      most = std::max(most, network.cardinality(static_cast<Variable>(v)));
    buffer_.resize(most);
  }

  /// Takes a row; returns ln P(row), for most_probable together with the best targets.
  double take(std::span<std::int32_t const> row) {
    if (!planned(row)) {
      plan_ = make_plan(network_, row, question_.ask, question_.targets, memory_);
      planned_.assign(row.begin(), row.end());
      up_.assign(plan_.factors.size(), {});
      down_.assign(plan_.factors.size(), {});
      data_.assign(plan_.factors.size(), nullptr);
    }
    row_ = row;
    double log = look_up();
    for (Node const& node : plan_.nodes) {
      if (!forward(node, log)) return never;
    }
    for (auto const index : plan_.scalars) log += std::log(*data_[index]);
    if (!plan_.answer) return log;
    auto const& table = up_[plan_.nodes[*plan_.answer].out];
    double sum = 0;
    for (double const cell : table) sum += cell;
    return log + std::log(sum);
  }

  void write_joint(double* to) const {
    auto const& table = up_[plan_.nodes[*plan_.answer].out];
    double sum = 0;
    for (double const cell : table) sum += cell;
    for (std::size_t k = 0; k < table.size(); ++k) to[k] = table[k] / sum;
  }

  /// Sends messages back and writes the distribution of each variable of the plan.
  void beliefs() {
    beliefs_.resize(network_.size());
    for (auto node = plan_.nodes.rbegin(); node != plan_.nodes.rend(); ++node) {
      auto operands = operands_of(*node);
      double const one = 1;
      bool const root = plan_.factors[node->out].scope.empty();
      Operand const above{root ? &one : down_[node->out].data(), node->out_strides.data()};
      std::vector<std::size_t> const none(node->axes.size(), 0);
      Operand const nothing{&one, none.data()};
      if (node->eliminates) {
        Variable const v = node->axes.back();
        auto& belief = beliefs_[v];
        belief.assign(network_.cardinality(v), 0);
        std::vector<std::size_t> own(node->axes.size(), 0);
        own.back() = 1;
        operands.push_back(root ? nothing : above);
        run(*node, operands, belief.data(), own.data(), false);
        operands.pop_back();
        normalise(belief);
      }
      for (std::size_t k = 0; k < node->operands.size(); ++k) {
        Factor const& factor = plan_.factors[node->operands[k]];
        if (factor.family) continue;
        auto& message = down_[node->operands[k]];
        message.assign(factor.cells, 0);
        auto others = operands;
        others[k] = root ? nothing : above;
        run(*node, others, message.data(), node->strides[k].data(), false);
        scale(message);
      }
    }
  }

  std::span<double const> belief(Variable v) const { return beliefs_[v]; }

  /// Completes a row by the choice that `pick` makes among the states of each variable, given those
  /// that are chosen already, from the last that was eliminated to the first. What was summed out is
  /// not chosen if `maximised`: it was eliminated before all that was maximised over.
  template <typename Pick>
  void trace(std::span<std::int32_t> row, bool maximised, Pick&& pick) {
    for (auto node = plan_.nodes.rbegin(); node != plan_.nodes.rend(); ++node) {
      if (!node->eliminates || (maximised && !node->maximum)) continue;
      Variable const v = node->axes.back();
      std::size_t const last = node->axes.size() - 1;
      auto const products = std::span(buffer_).first(node->sizes[last]);
      std::ranges::fill(products, 1.0);
      for (std::size_t f = 0; f < node->operands.size(); ++f) {
        double const* values = data_[node->operands[f]];
        for (std::size_t a = 0; a < last; ++a)
          values += node->strides[f][a] * static_cast<std::size_t>(row[node->axes[a]]);
        for (std::size_t k = 0; k < products.size(); ++k)
          products[k] *= values[k * node->strides[f][last]];
      }
      row[v] = pick(std::span<double const>(products));
    }
  }

  /// Draws what is below all that is known, parents first.
  template <typename Pick>
  void trace_barren(std::span<std::int32_t> row, Pick&& pick) const {
    for (Variable const v : plan_.barren) {
      std::size_t cell = 0;
      for (Variable const p : network_.parents(v))
        cell = cell * network_.cardinality(p) + static_cast<std::size_t>(row[p]);
      std::size_t const states = network_.cardinality(v);
      row[v] = pick(std::span(network_.table(v) + cell * states, states));
    }
  }

 private:
  bool planned(std::span<std::int32_t const> row) const {
    return planned_.size() == row.size() &&
           std::ranges::equal(row, planned_,
                              [](std::int32_t a, std::int32_t b) { return (a < 0) == (b < 0); });
  }

  /// Finds the tables of families at the row's evidence; returns ln of those that are numbers.
  double look_up() {
    for (std::size_t index = 0; index < plan_.factors.size(); ++index) {
      Factor const& factor = plan_.factors[index];
      if (!factor.family) continue;
      data_[index] = network_.table(*factor.family);
      for (auto const& [v, stride] : factor.evidence)
        data_[index] += stride * static_cast<std::size_t>(row_[v]);
    }
    double product = 1;
    double log = 0;
    for (std::size_t index = 0; index < plan_.factors.size(); ++index) {
      Factor const& factor = plan_.factors[index];
      if (!factor.family || !factor.scope.empty()) continue;
      product *= *data_[index];
      if (product < tuning::tiny) {
        log += std::log(product);
        product = 1;
      }
    }
    return log + std::log(product);
  }

  bool forward(Node const& node, double& log) {
    auto& table = up_[node.out];
    table.assign(plan_.factors[node.out].cells, 0);
    auto const operands = operands_of(node);
    if (!run(node, operands, table.data(), node.out_strides.data(), node.maximum)) return false;
    log += scale(table);
    data_[node.out] = table.data();
    return true;
  }

  std::vector<Operand> operands_of(Node const& node) const {
    std::vector<Operand> operands;
    operands.reserve(node.operands.size() + 1);
    for (std::size_t k = 0; k < node.operands.size(); ++k)
      operands.push_back({data_[node.operands[k]], node.strides[k].data()});
    return operands;
  }

  bool run(Node const& node, std::vector<Operand> const& operands, double* out,
           std::size_t const* strides, bool maximum) {
    return project(node.sizes, operands, out, strides, maximum, buffer_, control_);
  }

  static void normalise(std::vector<double>& table) {
    double sum = 0;
    for (double const cell : table) sum += cell;
    for (double& cell : table) cell /= sum;
  }

  DiscreteNetwork const& network_;
  Question const& question_;
  double memory_;
  Control& control_;
  Plan plan_;
  std::vector<std::int32_t> planned_;
  std::span<std::int32_t const> row_;
  std::vector<std::vector<double>> up_;    // tables of nodes, by factor
  std::vector<std::vector<double>> down_;  // messages back, by factor
  std::vector<double const*> data_;        // of each factor, for this row
  std::vector<std::vector<double>> beliefs_;
  std::vector<double> buffer_;
};

std::int32_t largest(std::span<double const> values) {
  return static_cast<std::int32_t>(std::ranges::max_element(values) - values.begin());
}

/// A state by its share of the sum; one of share 0 is never drawn.
std::int32_t drawn(std::span<double const> shares, Rng& rng) {
  double sum = 0;
  for (double const share : shares) sum += share;
  double const mark = rng.uniform() * sum;
  double below = 0;
  std::int32_t state = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (shares[k] <= 0) continue;
    state = static_cast<std::int32_t>(k);
    below += shares[k];
    if (mark < below) break;
  }
  return state;
}

/// Answers rows one after the other and writes each to its own place.
class Teller {
 public:
  Teller(DiscreteNetwork const& network, std::span<std::int32_t const> rows,
         Question const& question, double memory)
      : network_(network), rows_(rows), question_(question) {
    std::size_t const count = network.size() == 0 ? 0 : rows.size() / network.size();
    check(static_cast<double>(count), memory);
    answers.logs.assign(count, 0);
    if (question.ask == Ask::joint || question.ask == Ask::each) {
      width_ = question.ask == Ask::joint ? 1 : 0;
      for (Variable const v : question.targets) {
        std::size_t const states = network.cardinality(v);
        width_ = question.ask == Ask::joint ? width_ * states : width_ + states;
      }
      answers.values.assign(count * width_, 0);
    } else if (question.ask != Ask::evidence) {
      answers.codes.assign(count * question.draws * network.size(), -1);
    }
  }

  void tell(std::size_t r, Eliminator& eliminator) {
    std::size_t const n = network_.size();
    auto const row = rows_.subspan(r * n, n);
    answers.logs[r] = eliminator.take(row);
    if (answers.logs[r] == never) return;
    switch (question_.ask) {
      case Ask::evidence:
        return;
      case Ask::joint:
        return eliminator.write_joint(answers.values.data() + r * width_);
      case Ask::each:
        eliminator.beliefs();
        return write_each(row, eliminator, answers.values.data() + r * width_);
      case Ask::modes:
        eliminator.beliefs();
        return write_modes(row, eliminator, std::span(answers.codes).subspan(r * n, n));
      case Ask::most_probable:
        return write_best(row, eliminator, std::span(answers.codes).subspan(r * n, n));
      case Ask::draw:
        return write_draws(r, row, eliminator);
    }
  }

  Answers answers;

 private:
  /// Refuses answers that do not fit into memory.
  void check(double count, double memory) const {
    double bytes = 0;
    if (question_.ask == Ask::joint || question_.ask == Ask::each) {
      double width = question_.ask == Ask::joint ? 1 : 0;
      for (Variable const v : question_.targets) {
        auto const states = static_cast<double>(network_.cardinality(v));
        width = question_.ask == Ask::joint ? width * states : width + states;
      }
      bytes = 8 * count * width;
    } else if (question_.ask != Ask::evidence) {
      bytes =
          4 * count * static_cast<double>(question_.draws) * static_cast<double>(network_.size());
    }
    if (bytes <= memory) return;
    char size[32];
    std::snprintf(size, sizeof size, "%.3g", bytes / 1e9);
    throw ResourceError("the answer takes " + std::string(size) + " GB, more than there is.");
  }

  void write_each(std::span<std::int32_t const> row, Eliminator const& eliminator, double* to) {
    for (Variable const v : question_.targets) {
      std::size_t const states = network_.cardinality(v);
      if (row[v] >= 0) {
        to[row[v]] = 1;
      } else {
        std::ranges::copy(eliminator.belief(v), to);
      }
      to += states;
    }
  }

  void write_modes(std::span<std::int32_t const> row, Eliminator const& eliminator,
                   std::span<std::int32_t> to) {
    std::ranges::copy(row, to.begin());
    for (Variable const v : question_.targets)
      if (row[v] < 0) to[v] = largest(eliminator.belief(v));
  }

  void write_best(std::span<std::int32_t const> row, Eliminator& eliminator,
                  std::span<std::int32_t> to) {
    std::ranges::copy(row, to.begin());
    eliminator.trace(to, true, largest);
  }

  void write_draws(std::size_t r, std::span<std::int32_t const> row, Eliminator& eliminator) {
    std::size_t const n = network_.size();
    Rng const base = Rng(question_.seed).split(r);
    for (std::size_t d = 0; d < question_.draws; ++d) {
      Rng rng = base.split(d);
      auto const to = std::span(answers.codes).subspan((r * question_.draws + d) * n, n);
      std::ranges::copy(row, to.begin());
      auto const pick = [&](std::span<double const> shares) { return drawn(shares, rng); };
      eliminator.trace(to, false, pick);
      eliminator.trace_barren(to, pick);
    }
  }

  DiscreteNetwork const& network_;
  std::span<std::int32_t const> rows_;
  Question const& question_;
  std::size_t width_ = 0;
};

Answers answered(DiscreteNetwork const& network, std::span<std::int32_t const> rows,
                 Question const& question, std::size_t threads, double memory, Control& control) {
  Teller teller(network, rows, question, memory);
  std::size_t const count = teller.answers.logs.size();
  std::size_t const tasks = (count + tuning::rows_per_task - 1) / tuning::rows_per_task;
  std::size_t const workers = std::max<std::size_t>(1, std::min(threads, tasks));
  std::vector<Eliminator> eliminators;
  eliminators.reserve(workers);
  for (std::size_t w = 0; w < workers; ++w)
    eliminators.emplace_back(network, question, memory / static_cast<double>(workers), control);
  parallel_for(workers, tasks, control, [&](std::size_t task, std::size_t worker) {
    std::size_t const end = std::min(count, (task + 1) * tuning::rows_per_task);
    for (std::size_t r = task * tuning::rows_per_task; r < end; ++r) {
      if (control.should_stop()) return;
      teller.tell(r, eliminators[worker]);
    }
  });
  return std::move(teller.answers);
}

}  // namespace

Answers infer(DiscreteNetwork const& network, std::span<std::int32_t const> rows,
              Question const& question, std::size_t threads, double memory, Control& control) {
  std::size_t const n = network.size();
  if (n == 0 ? !rows.empty() : rows.size() % n != 0)
    throw InputError("rows must hold a code for each variable.");
  std::vector<bool> asked(n, false);
  for (Variable const v : question.targets) {
    if (v >= n || asked[v]) throw InputError("targets must be different variables of the network.");
    asked[v] = true;
    for (std::size_t k = v; question.ask == Ask::joint && k < rows.size(); k += n)
      if (rows[k] >= 0) throw InputError("a target of a joint table is known already.");
  }
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] >=
        static_cast<std::int32_t>(network.cardinality(static_cast<Variable>(k % network.size()))))
      throw InputError("a row holds a code that its variable does not have.");
  // Messages back take as much memory again.
  bool const twice = question.ask == Ask::each || question.ask == Ask::modes;
  double const own = twice ? memory / 2 : memory;
  if (threads > 1) {
    try {
      return answered(network, rows, question, threads, own, control);
    } catch (ResourceError const&) {
      // One thread alone has the whole memory.
    }
  }
  return answered(network, rows, question, 1, own, control);
}

}  // namespace bayesloom
