#include "inference/plan.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "inference/elimination_order.hpp"
#include "inference/tuning.hpp"

namespace bayesloom {

namespace {

constexpr std::uint8_t kept = 2;  // the stage of variables that are not eliminated

class Planner {
 public:
  Planner(DiscreteNetwork const& network, std::span<std::int32_t const> row, Ask ask,
          std::span<Variable const> targets, double memory)
      : network_(network),
        row_(row),
        ask_(ask),
        targets_(targets),
        memory_(memory),
        is_target_(network.size(), false),
        users_(network.size()) {
    for (Variable const v : targets) is_target_[v] = true;
  }

  Plan make() {
    choose_families();
    for (Variable const v : order()) {
      bool const maximum = ask_ == Ask::most_probable && is_target_[v];
      add_bucket(v, maximum);
    }
    if (ask_ == Ask::joint) add_answer();
    return std::move(plan_);
  }

 private:
  bool hidden(Variable v) const { return row_[v] < 0; }

  /// Families of what is known or asked, and of all above it; the rest sums to one.
  void choose_families() {
    std::vector<bool> needed(network_.size(), false);
    auto const& order = network_.order();
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
      bool const below =
          std::ranges::any_of(network_.children(*v), [&](Variable child) { return needed[child]; });
      needed[*v] = !hidden(*v) || is_target_[*v] || below;
    }
    for (Variable const v : order) {
      if (needed[v]) {
        add_family(v);
      } else {
        plan_.barren.push_back(v);
      }
    }
  }

  void add_family(Variable v) {
    Factor factor;
    factor.family = v;
    auto const& parents = network_.parents(v);
    std::size_t stride = 1;
    auto const meet = [&](Variable u) {
      if (hidden(u)) {
        factor.scope.push_back(u);
        factor.strides.push_back(stride);
        factor.cells *= network_.cardinality(u);
      } else {
        factor.evidence.emplace_back(u, stride);
      }
      stride *= network_.cardinality(u);
    };
    meet(v);
    for (std::size_t k = parents.size(); k > 0; --k) meet(parents[k - 1]);
    keep(std::move(factor));
  }

  /// Adds a factor to those that wait for a node.
  std::uint32_t keep(Factor factor) {
    auto const index = static_cast<std::uint32_t>(plan_.factors.size());
    if (!factor.scope.empty()) {
      for (Variable const v : factor.scope) users_[v].push_back(index);
    } else if (!factor.family) {
      plan_.scalars.push_back(index);
    }
    used_.push_back(false);
    plan_.factors.push_back(std::move(factor));
    return index;
  }

  std::vector<Variable> order() const {
    std::vector<Variable> places;
    std::vector<std::uint32_t> place(network_.size());
    std::vector<std::uint8_t> stage;
    for (std::size_t v = 0; v < network_.size(); ++v) {
      if (users_[v].empty()) continue;
      place[v] = static_cast<std::uint32_t>(places.size());
      places.push_back(static_cast<Variable>(v));
      stage.push_back(stage_of(static_cast<Variable>(v)));
    }
    EliminationGraph graph;
    for (Variable const v : places) {
      graph.sizes.push_back(static_cast<double>(network_.cardinality(v)));
      std::vector<std::uint32_t> near;
      for (auto const index : users_[v])
        for (Variable const u : plan_.factors[index].scope)
          if (u != v) near.push_back(place[u]);
      std::ranges::sort(near);
      auto const [first, last] = std::ranges::unique(near);
      near.erase(first, last);
      graph.neighbours.push_back(std::move(near));
    }
    std::vector<Variable> found;
    for (auto const p : elimination_order(graph, stage, kept)) found.push_back(places[p]);
    return found;
  }

  /// What is summed out comes before what is maximised over; targets of a joint table stay.
  std::uint8_t stage_of(Variable v) const {
    if (ask_ == Ask::joint) return is_target_[v] ? kept : 0;
    return ask_ == Ask::most_probable && is_target_[v] ? 1 : 0;
  }

  void add_bucket(Variable v, bool maximum) {
    std::vector<std::uint32_t> waiting;
    for (auto const index : users_[v])
      if (!used_[index]) waiting.push_back(index);
    fold(waiting, v);
    Node node;
    node.axes = joined(waiting, v);
    node.axes.push_back(v);
    node.operands = waiting;
    node.eliminates = true;
    node.maximum = maximum;
    add(std::move(node), joined(waiting, v));
  }

  /// Puts the smallest together until few are left.
  void fold(std::vector<std::uint32_t>& waiting, std::optional<Variable> last) {
    auto const smaller = [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(plan_.factors[a].cells, a) < std::pair(plan_.factors[b].cells, b);
    };
    std::ranges::sort(waiting, smaller);
    while (waiting.size() > tuning::most_operands) {
      auto const end = waiting.begin() + static_cast<std::ptrdiff_t>(tuning::most_operands);
      Node node;
      node.operands.assign(waiting.begin(), end);
      node.axes = joined(node.operands, last);
      if (last) node.axes.push_back(*last);
      waiting.erase(waiting.begin(), end);
      auto scope = node.axes;
      auto const made = add(std::move(node), std::move(scope));
      waiting.insert(std::ranges::lower_bound(waiting, made, smaller), made);
    }
  }

  /// All variables of some factors but one, ascending.
  std::vector<Variable> joined(std::vector<std::uint32_t> const& indices,
                               std::optional<Variable> without) const {
    std::vector<Variable> all;
    for (auto const index : indices) {
      auto const& scope = plan_.factors[index].scope;
      all.insert(all.end(), scope.begin(), scope.end());
    }
    std::ranges::sort(all);
    auto const [first, last] = std::ranges::unique(all);
    all.erase(first, last);
    if (without) std::erase(all, *without);
    return all;
  }

  /// Adds a node that hands on a table over `scope`; returns the factor that this is.
  std::uint32_t add(Node node, std::vector<Variable> scope) {
    Factor factor;
    factor.strides.resize(scope.size());
    double cells = 1;
    for (std::size_t k = scope.size(); k > 0; --k) {
      factor.strides[k - 1] = factor.cells;
      factor.cells *= network_.cardinality(scope[k - 1]);
      cells *= static_cast<double>(network_.cardinality(scope[k - 1]));
      check(cells, scope.size());
    }
    bytes_ += 8 * cells;
    check(0, scope.size());
    factor.scope = std::move(scope);
    factor.node = static_cast<std::uint32_t>(plan_.nodes.size());
    for (Variable const v : node.axes) node.sizes.push_back(network_.cardinality(v));
    for (auto const index : node.operands) {
      node.strides.push_back(strides_of(plan_.factors[index], node.axes));
      used_[index] = true;
    }
    node.out_strides = strides_of(factor, node.axes);
    node.out = keep(std::move(factor));
    plan_.nodes.push_back(std::move(node));
    return plan_.nodes.back().out;
  }

  void check(double cells, std::size_t variables) const {
    double const bytes = bytes_ + 8 * cells;
    if (bytes <= memory_) return;
    char size[32];
    std::snprintf(size, sizeof size, "%.3g", bytes / 1e9);
    throw ResourceError("this network needs tables of " + std::string(size) +
                        " GB or more, one over " + std::to_string(variables) +
                        " variables at once: too densely connected for an exact answer here.");
  }

  static std::vector<std::size_t> strides_of(Factor const& factor,
                                             std::vector<Variable> const& axes) {
    std::vector<std::size_t> strides;
    strides.reserve(axes.size());
    for (Variable const v : axes) {
      auto const at = std::ranges::find(factor.scope, v);
      strides.push_back(at == factor.scope.end()
                            ? 0
                            : factor.strides[static_cast<std::size_t>(at - factor.scope.begin())]);
    }
    return strides;
  }

  void add_answer() {
    std::vector<std::uint32_t> waiting;
    for (std::uint32_t index = 0; index < plan_.factors.size(); ++index)
      if (!used_[index] && !plan_.factors[index].scope.empty()) waiting.push_back(index);
    fold(waiting, std::nullopt);
    Node node;
    node.operands = std::move(waiting);
    node.axes.assign(targets_.begin(), targets_.end());
    plan_.answer = static_cast<std::uint32_t>(plan_.nodes.size());
    auto scope = node.axes;
    add(std::move(node), std::move(scope));
  }

  DiscreteNetwork const& network_;
  std::span<std::int32_t const> row_;
  Ask ask_;
  std::span<Variable const> targets_;
  double memory_;
  std::vector<bool> is_target_;
  std::vector<std::vector<std::uint32_t>> users_;  // factors that hold each variable
  std::vector<bool> used_;                         // factors that a node has taken
  double bytes_ = 0;
  Plan plan_;
};

}  // namespace

Plan make_plan(DiscreteNetwork const& network, std::span<std::int32_t const> row, Ask ask,
               std::span<Variable const> targets, double memory) {
  return Planner(network, row, ask, targets, memory).make();
}

}  // namespace bayesloom
