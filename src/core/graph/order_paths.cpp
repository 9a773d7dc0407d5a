#include "graph/order_paths.hpp"

#include <algorithm>
#include <numeric>

namespace bayesloom {

OrderPaths::OrderPaths(std::vector<std::pair<Variable, Variable>> const& orders,
                       std::vector<Variable> const& along, ChainEdges const& edges,
                       std::uint64_t& work)
    : group_(edges.variable_count()), place_(along.size()), seen_(along.size(), 0), work_(work) {
  std::size_t const n = edges.variable_count();
  for (std::size_t k = 0; k < n; ++k) place_[along[k]] = k;
  if (!orders.empty()) {
    arcs_.resize(n);
    for (std::size_t v = 0; v < n; ++v)
      for (Variable const p : edges.picture().parents[v])
        arcs_[p].push_back({static_cast<Variable>(v), none, none});
    for (std::size_t e = 0; e < edges.size(); ++e) {
      arcs_[edges.from(e)].push_back({edges.to(e), e, none});
      arcs_[edges.to(e)].push_back({edges.from(e), e, none});
    }
    for (auto const& [a, b] : orders) arcs_[a].push_back({b, none, 0});
    active_.resize(n);
    std::iota(active_.begin(), active_.end(), Variable{0});
    keep_active(strong_components(edges));
  }
  make_groups(edges);
}

bool OrderPaths::there(Variable from, Arc const& arc, ChainEdges const& edges) const {
  return arc.edge == none || edges.is_open(arc.edge) || edges.leads_from(arc.edge, from);
}

/// The components of all active variables; open edges lead both ways.
StrongComponents OrderPaths::strong_components(ChainEdges const& edges) const {
  std::vector<std::vector<Variable>> next(arcs_.size());
  for (Variable const v : active_) {
    work_ += arcs_[v].size();
    for (auto const& arc : arcs_[v])
      if (there(v, arc, edges)) next[v].push_back(arc.to);
  }
  return {next, active_};
}

/// By component: whether an order lies within it.
std::vector<bool> OrderPaths::with_orders(StrongComponents const& part) const {
  std::vector<bool> held(arcs_.size(), false);
  for (Variable const v : active_)
    for (auto const& arc : arcs_[v])
      if (arc.first != none && part[v] == part[arc.to]) held[part[v]] = true;
  return held;
}

/// Leaves out everything that is not within a component that holds an order.
void OrderPaths::keep_active(StrongComponents const& part) {
  auto const held = with_orders(part);
  std::vector<Variable> kept;
  std::size_t firsts = 0;
  for (Variable const v : active_) {
    if (!held[part[v]]) {
      arcs_[v].clear();
      continue;
    }
    kept.push_back(v);
    std::erase_if(arcs_[v], [&](Arc const& arc) { return part[arc.to] != part[v]; });
    bool is_first = false;
    for (auto& arc : arcs_[v]) {
      if (arc.first == none) continue;
      arc.first = firsts;
      is_first = true;
    }
    firsts += is_first;
  }
  active_ = std::move(kept);
  local_.resize(arcs_.size());
  for (std::size_t k = 0; k < active_.size(); ++k) local_[active_[k]] = k;
  words_ = (firsts + 63) / 64;
}

void OrderPaths::make_groups(ChainEdges const& edges) {
  std::vector<Variable> leader(group_.size());
  std::iota(leader.begin(), leader.end(), Variable{0});
  auto const find = [&](Variable v) {
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
  };
  for (std::size_t e = 0; e < edges.size(); ++e) leader[find(edges.from(e))] = find(edges.to(e));
  std::vector<bool> joined(group_.size(), false);
  for (Variable const v : active_) joined[find(v)] = true;
  for (std::size_t v = 0; v < group_.size(); ++v) {
    Variable const first = find(static_cast<Variable>(v));
    group_[v] = joined[first] ? together : first;
  }
}

OrderPaths::Outcome OrderPaths::direct(ChainEdges& edges) {
  if (active_.empty()) return Outcome::same;
  std::size_t const n = active_.size();
  std::vector<std::size_t> waiting(n, 0);
  auto const for_directed = [&](Variable v, auto&& visit) {
    for (auto const& arc : arcs_[v])
      if (arc.edge == none || (!edges.is_open(arc.edge) && there(v, arc, edges))) visit(arc);
    work_ += arcs_[v].size();
  };
  for (Variable const v : active_)
    for_directed(v, [&](Arc const& arc) { ++waiting[local_[arc.to]]; });
  std::vector<Variable> order;
  for (Variable const v : active_)
    if (waiting[local_[v]] == 0) order.push_back(v);

  // By variable: first ends that it leads to; first ends whose order leads to it.
  std::vector<std::uint64_t> up(n * words_, 0), down(n * words_, 0);
  auto const bit = [](std::size_t first) { return std::uint64_t{1} << (first % 64); };
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::size_t const v = local_[order[k]];
    for_directed(order[k], [&](Arc const& arc) {
      std::size_t const to = local_[arc.to];
      for (std::size_t w = 0; w < words_; ++w) down[to * words_ + w] |= down[v * words_ + w];
      if (arc.first != none) {
        down[to * words_ + arc.first / 64] |= bit(arc.first);
        up[v * words_ + arc.first / 64] |= bit(arc.first);
      }
      if (--waiting[to] == 0) order.push_back(arc.to);
    });
    work_ += words_;
  }
  if (order.size() < n) return Outcome::broken;
  for (std::size_t k = n; k-- > 0;) {
    std::size_t const v = local_[order[k]];
    for_directed(order[k], [&](Arc const& arc) {
      std::size_t const to = local_[arc.to];
      for (std::size_t w = 0; w < words_; ++w) up[v * words_ + w] |= up[to * words_ + w];
      work_ += words_;
    });
  }
  bool more = false;
  for (Variable const u : active_)
    for (auto const& arc : arcs_[u]) {
      if (arc.edge == none || !edges.is_open(arc.edge)) continue;
      bool leads = false;
      for (std::size_t w = 0; w < words_; ++w)
        leads = leads || (up[local_[u] * words_ + w] & down[local_[arc.to] * words_ + w]) != 0;
      work_ += words_;
      if (leads) {
        edges.direct(arc.edge, edges.is_along(arc.edge, u));
        more = true;
      }
    }
  return more ? Outcome::more : Outcome::same;
}

bool OrderPaths::keeps_orders(ChainEdges const& edges, std::size_t mark) {
  std::size_t last = 0;
  std::vector<std::pair<Variable, std::size_t>> path;  // variable, and its next arc
  for (std::size_t const e : edges.since(mark))
    if (edges.is_turned(e)) last = std::max(last, place_[edges.tail(e)]);
  // Seen at clock_ - 1: on the path; at clock_: done.
  clock_ += 2;
  for (std::size_t const e : edges.since(mark)) {
    if (active_.empty() || !edges.is_turned(e) || seen_[edges.head(e)] >= clock_ - 1) continue;
    path.emplace_back(edges.head(e), 0);
    seen_[edges.head(e)] = clock_ - 1;
    while (!path.empty()) {
      auto& [v, next] = path.back();
      if (next == arcs_[v].size()) {
        seen_[v] = clock_;
        path.pop_back();
        continue;
      }
      auto const& arc = arcs_[v][next++];
      ++work_;
      if (place_[arc.to] > last || (arc.edge != none && !edges.leads_from(arc.edge, v))) continue;
      if (seen_[arc.to] == clock_ - 1) return false;
      if (seen_[arc.to] == clock_) continue;
      seen_[arc.to] = clock_ - 1;
      path.emplace_back(arc.to, 0);
    }
  }
  return true;
}

std::vector<std::size_t> OrderPaths::unsettled(ChainEdges const& edges) const {
  std::vector<std::size_t> found;
  if (active_.empty()) return found;
  auto const part = strong_components(edges);
  auto const held = with_orders(part);
  for (Variable const v : active_)
    for (auto const& arc : arcs_[v])
      if (arc.edge != none && edges.is_open(arc.edge) && edges.is_along(arc.edge, v) &&
          part[v] == part[arc.to] && held[part[v]])
        found.push_back(arc.edge);
  return found;
}

}  // namespace bayesloom
