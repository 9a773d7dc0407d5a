#include "graph/chain_edges.hpp"

#include <algorithm>

#include "graph/equivalence.hpp"

namespace bayesloom {

ChainEdges::ChainEdges(Network const& network, std::vector<std::size_t> const& most,
                       std::uint64_t& work)
    : picture_(cpdag(network)),
      near_(network.size()),
      parents_(network.size()),
      room_(network.size(), none),
      is_limited_(network.size(), false),
      work_(work) {
  std::size_t largest = 0;
  for (std::size_t v = 0; v < network.size(); ++v) {
    auto const child = static_cast<Variable>(v);
    largest = std::max(largest, network.parents(v).size());
    for (Variable const p : network.parents(v)) {
      if (!std::ranges::binary_search(picture_.neighbours[v], p)) continue;
      near_[p].push_back({child, from_.size()});
      near_[v].push_back({p, from_.size()});
      from_.push_back(p);
      to_.push_back(child);
    }
  }
  way_.assign(from_.size(), open);
  for (auto& list : near_) std::ranges::sort(list, {}, &Near::other);
  for (std::size_t v = 0; v < most.size(); ++v) {
    std::size_t const settled = picture_.parents[v].size();
    // No equivalent network has a variable with more parents than the largest number here.
    if (most[v] >= largest || settled + near_[v].size() <= most[v]) continue;
    room_[v] = most[v] - settled;
    is_limited_[v] = true;
    limited_.push_back(static_cast<Variable>(v));
  }
  work_ += network.edge_count() + network.size();
}

std::size_t ChainEdges::find(Variable a, Variable b) const {
  auto const& list = near_[a].size() <= near_[b].size() ? near_[a] : near_[b];
  Variable const other = near_[a].size() <= near_[b].size() ? b : a;
  ++work_;
  auto const at = std::ranges::lower_bound(list, other, {}, &Near::other);
  return at != list.end() && at->other == other ? at->edge : none;
}

bool ChainEdges::direct(std::size_t e, bool as_in_network) {
  Way const way = as_in_network ? along : turned;
  if (way_[e] != open) return way_[e] == way;
  way_[e] = way;
  parents_[head(e)].push_back(tail(e));
  trail_.push_back(e);
  return true;
}

void ChainEdges::undo(std::size_t mark) {
  while (trail_.size() > mark) {
    std::size_t const e = trail_.back();
    trail_.pop_back();
    parents_[head(e)].pop_back();  // directed in the order of the trail
    way_[e] = open;
  }
  followed_ = std::min(followed_, mark);
}

bool ChainEdges::close() {
  if (!begun_)  // a variable may have no room from the beginning
    for (Variable const v : limited_)
      if (room_[v] == 0)
        for (auto const& [other, e] : near_[v])
          if (!direct_from(e, v)) return false;
  begun_ = true;
  while (followed_ < trail_.size()) {
    std::size_t const e = trail_[followed_++];
    if (!follow(tail(e), head(e))) return false;
  }
  return true;
}

// Rule 1 has excluded v-structures: at a variable with a directed edge into it, edges into it that
// are open come from neighbours of the first; two open ones are as in the network, which has none.
// A cycle of all edges then has a shortest one of three, as components are chordal; rule 2 has
// excluded those with two directed edges, and those without a turned edge are in the network: what
// is left is a -> b turned, with b -> c and c -> a open.
bool ChainEdges::settle_cycles(std::size_t mark) {
  for (std::size_t k = mark; k < trail_.size(); ++k) {
    if (!is_turned(trail_[k])) continue;
    Variable const a = tail(trail_[k]), b = head(trail_[k]);
    work_ += near_[b].size();
    for (auto const& [c, e] : near_[b]) {
      if (!is_open(e) || from_[e] != b) continue;
      std::size_t const back = find(c, a);
      bool const cycle = back != none && is_open(back) && from_[back] == c;
      if (cycle && !(direct(e, true) && close())) return false;
    }
  }
  return true;
}

bool ChainEdges::keeps_limits(std::size_t mark) const {
  for (std::size_t k = mark; k < trail_.size(); ++k) {
    if (!is_turned(trail_[k]) || !is_limited_[head(trail_[k])]) continue;
    Variable const v = head(trail_[k]);
    work_ += near_[v].size();
    auto const leads_in = [&](Near const& near) { return !leads_from(near.edge, v); };
    auto const parents = static_cast<std::size_t>(std::ranges::count_if(near_[v], leads_in));
    if (parents > room_[v]) return false;
  }
  return true;
}

/// What follows from u -> v together with all that is directed.
bool ChainEdges::follow(Variable u, Variable v) {
  work_ += near_[v].size() + parents_[v].size() + parents_[u].size();
  for (Variable const p : parents_[v])
    if (p != u && find(p, u) == none) return false;  // a new v-structure
  if (is_limited_[v]) {
    if (parents_[v].size() > room_[v]) return false;
    if (parents_[v].size() == room_[v])
      for (auto const& [w, e] : near_[v])
        if (is_open(e)) direct_from(e, v);
  }
  for (auto const& [w, e] : near_[v]) {
    if (w == u) continue;
    std::size_t const across = find(u, w);
    if (is_open(e)) {
      if (across == none && !direct_from(e, v)) return false;  // rule 1
    } else if (tail(e) == v) {
      if (across != none && !direct_from(across, u)) return false;  // rule 2: u -> v -> w
      if (across == none && !follow_pair(u, v, w)) return false;
    }
  }
  for (Variable const x : parents_[u]) {  // only v gets more parents in here
    std::size_t const across = find(x, v);
    if (across != none ? !direct_from(across, x) : !follow_pair(x, u, v)) return false;  // rule 2
  }
  return true;
}

/// Rule 4: c -> d -> b, c and b not adjacent.
bool ChainEdges::follow_pair(Variable c, Variable d, Variable b) {
  work_ += near_[b].size();
  for (auto const& [a, e] : near_[b])
    if (is_open(e) && a != d && find(a, d) != none && find(a, c) != none && !direct_from(e, a))
      return false;
  return true;
}

}  // namespace bayesloom
