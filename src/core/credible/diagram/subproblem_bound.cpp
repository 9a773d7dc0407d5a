#include "credible/diagram/subproblem_bound.hpp"

#include <algorithm>
#include <map>

#include "credible/diagram/tuning.hpp"
#include "dual/ascent.hpp"

namespace bayesloom::credible {

namespace {

dual::Universe const& universe() {
  static dual::Universe const all(64);
  return all;
}

WideVarSet members(VarSet set) {
  WideVarSet out(64);
  for (std::size_t const x : set) out.insert(x);
  return out;
}

VarSet word(dual::Cluster const& cluster) { return VarSet(cluster.members.words()[0]); }

dual::Problem node_of(Subproblem const& problem, std::vector<Fixed> const& loss,
                      Prices const& inherited) {
  dual::Problem node;
  node.universe = &universe();
  node.begin.assign(64, 0);
  node.end.assign(64, 0);
  node.best.assign(64, dual::nothing);
  node.paid.assign(64, 0);
  for (std::size_t const v : problem.variables()) {
    auto const x = static_cast<dual::Index>(v);
    node.variables.push_back(x);
    node.begin[x] = node.value.size();
    for (auto const& entry : problem.entries(x)) {
      node.origin.push_back(node.value.size());
      node.value.push_back(-loss[entry.choice]);
      node.masks.push_back(entry.mask.bits());
    }
    node.end[x] = node.value.size();
  }
  node.priced = node.value;
  for (auto const x : node.variables) node.refresh(x);
  if (inherited)
    for (auto const& cluster : *inherited)
      if (problem.variables().contains_all(word(cluster))) node.add_priced(cluster);
  return node;
}

}  // namespace

Prices prices_of(std::vector<dual::Cluster> const& clusters, Component const& component) {
  std::map<std::size_t, std::size_t> local;
  for (std::size_t x = 0; x < component.size(); ++x) local[component.variables[x]] = x;
  auto out = std::make_shared<std::vector<dual::Cluster>>();
  for (auto const& cluster : clusters) {
    VarSet set;
    bool inside = cluster.price > 0;
    for (std::size_t const v : cluster.members) {
      auto const found = local.find(v);
      inside = inside && found != local.end();
      if (inside) set.insert(found->second);
    }
    // Local numbers ascend with the variables, so an inequality of four reads the same.
    if (inside) out->push_back({members(set), cluster.need, cluster.price, cluster.blocks, {}});
  }
  return out;
}

Prices eliminated(Prices const& before, std::size_t x, VarSet mask) {
  if (!before) return before;
  auto out = std::make_shared<std::vector<dual::Cluster>>();
  out->reserve(before->size());
  for (auto const& cluster : *before) {
    VarSet const set = word(cluster);
    if (!set.contains(x)) {
      out->push_back(cluster);
      continue;
    }
    VarSet const rest = set.without(x);
    if (!cluster.plain() || !rest.meets(mask) || rest.size() <= cluster.need) continue;
    out->push_back({members(rest), cluster.need, cluster.price, {}, {}});
  }
  return out;
}

PriceBound price_bound(Subproblem const& problem, std::vector<Fixed> const& loss, Fixed most,
                       Prices const& inherited, Control& control) {
  auto node = node_of(problem, loss, inherited);
  dual::AscentOptions limits;
  limits.floor = -most - 1;
  // As in the tree of a search for the best network: smoothing costs about half the temperature for
  // each variable.
  double const scale =
      static_cast<double>(node.bound() - limits.floor) / static_cast<double>(problem.size());
  limits.first_temperature = std::max(1.0, scale / tuning::first_temperature);
  limits.last_temperature = std::max(1.0, scale / tuning::last_temperature);
  limits.rounds = tuning::rounds;
  limits.passes = tuning::passes_of_prices;
  limits.additions = tuning::additions;
  limits.most_need = 0;  // looking for violated inequalities takes longer than it saves
  limits.least_gain =
      std::max<Fixed>(1, static_cast<Fixed>(limits.last_temperature / tuning::least_gain));
  dual::Ascent ascent(problem.size(), control);
  ascent.run(node, limits);
  PriceBound out{-node.bound(), {}, nullptr};
  if (out.least > most) return out;
  out.above.resize(node.value.size());
  for (auto const x : node.variables)
    for (std::size_t c = node.begin[x]; c < node.end[x]; ++c)
      out.above[c] = node.best[x] - node.priced[c];
  out.prices = std::make_shared<std::vector<dual::Cluster>>(std::move(node.clusters));
  return out;
}

}  // namespace bayesloom::credible
