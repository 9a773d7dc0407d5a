#include "inference/elimination_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "inference/tuning.hpp"

namespace bayesloom {

namespace {

using Places = std::vector<std::uint32_t>;

enum class Rule : std::uint8_t { weight, fill, weighted_fill };

class Greedy {
 public:
  Greedy(EliminationGraph const& graph, std::span<std::uint8_t const> stage, std::uint8_t stages,
         Rule rule)
      : sizes_(graph.sizes),
        near_(graph.neighbours),
        stage_(stage),
        stages_(stages),
        rule_(rule),
        costs_(graph.sizes.size()) {
    for (std::uint32_t v = 0; v < sizes_.size(); ++v)
      if (stage_[v] < stages_) enter(v);
  }

  void run(double give_up) {
    while (!queue_.empty() && !(cells_ > give_up)) {
      auto const v = std::get<2>(*queue_.begin());
      queue_.erase(queue_.begin());
      order_.push_back(v);
      eliminate(v);
    }
  }

  bool done() const { return queue_.empty(); }
  double cells() const { return cells_; }
  Places take() { return std::move(order_); }

 private:
  void enter(std::uint32_t v) {
    costs_[v] = cost(v);
    queue_.emplace(stage_[v], costs_[v], v);
  }

  void renew(std::uint32_t v) {
    if (stage_[v] >= stages_) return;
    queue_.erase({stage_[v], costs_[v], v});
    enter(v);
  }

  double cost(std::uint32_t v) const {
    auto const& near = near_[v];
    if (rule_ == Rule::weight) {
      double weight = sizes_[v];
      for (auto const u : near) weight *= sizes_[u];
      return weight;
    }
    double fill = 0;
    for (std::size_t i = 0; i < near.size(); ++i)
      for (std::size_t j = i + 1; j < near.size(); ++j)
        if (!std::ranges::binary_search(near_[near[i]], near[j]))
          fill += rule_ == Rule::fill ? 1 : sizes_[near[i]] * sizes_[near[j]];
    return fill;
  }

  void eliminate(std::uint32_t v) {
    Places const near = std::move(near_[v]);
    near_[v].clear();
    double weight = sizes_[v];
    for (auto const u : near) weight *= sizes_[u];
    cells_ += weight;
    Places touched = near;
    for (auto const u : near) {
      Places joined;
      std::ranges::set_union(near_[u], near, std::back_inserter(joined));
      std::erase_if(joined, [&](std::uint32_t w) { return w == u || w == v; });
      near_[u] = std::move(joined);
    }
    if (rule_ != Rule::weight) {  // fill of their neighbours changes too
      for (auto const u : near) touched.insert(touched.end(), near_[u].begin(), near_[u].end());
      std::ranges::sort(touched);
      auto const [first, last] = std::ranges::unique(touched);
      touched.erase(first, last);
    }
    for (auto const u : touched) renew(u);
  }

  std::vector<double> const& sizes_;
  std::vector<Places> near_;
  std::span<std::uint8_t const> stage_;
  std::uint8_t stages_;
  Rule rule_;
  std::vector<double> costs_;
  std::set<std::tuple<std::uint8_t, double, std::uint32_t>> queue_;
  Places order_;
  double cells_ = 0;
};

}  // namespace

std::vector<std::uint32_t> elimination_order(EliminationGraph const& graph,
                                             std::span<std::uint8_t const> stage,
                                             std::uint8_t stages) {
  Greedy first(graph, stage, stages, Rule::weight);
  first.run(std::numeric_limits<double>::infinity());
  double best = first.cells();
  Places order = first.take();
  if (best <= tuning::try_other_orders || graph.sizes.size() > tuning::most_for_fill) return order;
  for (Rule const rule : std::array{Rule::fill, Rule::weighted_fill}) {
    Greedy other(graph, stage, stages, rule);
    other.run(best);
    if (!other.done() || other.cells() >= best) continue;
    best = other.cells();
    order = other.take();
  }
  return order;
}

}  // namespace bayesloom
