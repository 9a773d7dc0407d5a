#include "credible/classes/class_size.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/errors.hpp"
#include "base/var_set.hpp"
#include "graph/equivalence.hpp"

namespace bayesloom::credible {

namespace {

Count times(Count a, Count b) {
  Count product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw ResourceError("an equivalence class has more than 2^128 networks: too many to count.");
  return product;
}

Count factorial(std::size_t n) {
  Count product = 1;
  for (std::size_t i = 2; i <= n; ++i) product = times(product, static_cast<Count>(i));
  return product;
}

/// phi(size; sizes), the sizes of a chain of sets strictly inside one of `size`.
Count orders_without(std::size_t size, std::vector<std::size_t> const& chain, std::size_t length) {
  Count orders = factorial(size);
  for (std::size_t i = 0; i < length; ++i)
    orders -= times(factorial(size - chain[i]), orders_without(chain[i], chain, i));
  return orders;
}

class ChordalGraph {
 public:
  explicit ChordalGraph(std::vector<VarSet> neighbours) : neighbours_(std::move(neighbours)) {}

  /// #(G) of the connected subgraph on `set`.
  Count directions(VarSet set) {
    if (set.size() == 1) return 1;
    if (auto const known = known_.find(set); known != known_.end()) return known->second;
    Count sum = 0;
    for (auto const& [clique, chain] : cliques(set)) {
      Count product = orders_without(clique.size(), chain, chain.size());
      for (VarSet const part : left_undirected(set, clique))
        product = times(product, directions(part));
      if (__builtin_add_overflow(sum, product, &sum))
        throw ResourceError(
            "an equivalence class has more than 2^128 networks: too many to count.");
    }
    known_.emplace(set, sum);
    return sum;
  }

  /// The connected parts of the subgraph on `set`.
  std::vector<VarSet> connected(VarSet set) const {
    std::vector<VarSet> parts;
    while (!set.empty()) {
      VarSet part = VarSet::of(set.lowest()), edge = part;
      while (!edge.empty()) {
        VarSet near;
        for (std::size_t const x : edge) near |= neighbours_[x];
        edge = (near & set) - part;
        part |= edge;
      }
      parts.push_back(part);
      set -= part;
    }
    return parts;
  }

 private:
  struct Clique {
    VarSet set;
    std::vector<std::size_t> chain;  // sizes of FP, ascending
  };

  /// The maximal cliques, along a clique tree rooted at the first of them: maximum cardinality search
  /// [blair1993]. A variable with fewer visited neighbours than the one before begins a clique, which
  /// hangs on the clique of the last visited among these neighbours.
  std::vector<Clique> cliques(VarSet set) const {
    std::vector<VarSet> members;
    std::vector<std::size_t> parent;
    std::vector<std::size_t> clique_of(64), visited_at(64);
    VarSet visited;
    int before = -1;
    std::size_t clock = 0;
    while (visited != set) {
      std::size_t x = 0;
      int most = -1;
      for (std::size_t const y : set - visited)
        if (auto const k = static_cast<int>((neighbours_[y] & visited).size()); k > most) {
          most = k;
          x = y;
        }
      VarSet const seen = neighbours_[x] & visited;
      if (most <= before || before < 0) {
        std::size_t latest = 0, hangs_on = 0;
        for (std::size_t const y : seen) {
          if (visited_at[y] >= latest) {
            latest = visited_at[y];
            hangs_on = clique_of[y];
          }
        }
        parent.push_back(hangs_on);
        members.push_back(seen);
      }
      members.back().insert(x);
      clique_of[x] = members.size() - 1;
      visited_at[x] = clock++;
      visited.insert(x);
      before = most;
    }
    std::vector<Clique> found;
    for (std::size_t k = 0; k < members.size(); ++k) {
      Clique clique{members[k], {}};
      for (std::size_t at = k; at != 0; at = parent[at]) {
        VarSet const separator = members[at] & members[parent[at]];
        if (clique.set.contains_all(separator)) clique.chain.push_back(separator.size());
      }
      std::sort(clique.chain.begin(), clique.chain.end());
      clique.chain.erase(std::unique(clique.chain.begin(), clique.chain.end()), clique.chain.end());
      found.push_back(std::move(clique));
    }
    return found;
  }

  /// C_G(K): lexicographic search that begins with K. Variables with the same visited neighbours when
  /// their turn comes are directed alike from outside and undirected among themselves.
  std::vector<VarSet> left_undirected(VarSet set, VarSet clique) const {
    std::vector<VarSet> sequence{clique, set - clique}, parts;
    VarSet met = clique;
    for (std::size_t at = 0; at < sequence.size();) {
      if (sequence[at].empty()) {
        ++at;
        continue;
      }
      std::size_t const x = sequence[at].lowest();
      if (!met.contains(x)) {
        met |= sequence[at];
        for (VarSet const part : connected(sequence[at])) parts.push_back(part);
      }
      sequence[at].erase(x);
      std::vector<VarSet> finer;
      for (std::size_t k = at; k < sequence.size(); ++k) {
        if (VarSet const near = sequence[k] & neighbours_[x]; !near.empty()) finer.push_back(near);
        if (VarSet const far = sequence[k] - neighbours_[x]; !far.empty()) finer.push_back(far);
      }
      sequence = std::move(finer);
      at = 0;
    }
    return parts;
  }

  std::vector<VarSet> neighbours_;
  std::unordered_map<VarSet, Count> known_;
};

}  // namespace

Count class_size(Network const& network) {
  MixedGraph const picture = cpdag(network);
  std::size_t const n = picture.size();
  Count product = 1;
  std::vector<bool> seen(n, false);
  for (std::size_t root = 0; root < n; ++root) {
    if (seen[root] || picture.neighbours[root].empty()) continue;
    std::vector<Variable> members{static_cast<Variable>(root)};
    seen[root] = true;
    for (std::size_t i = 0; i < members.size(); ++i)
      for (Variable const y : picture.neighbours[members[i]])
        if (!seen[y]) {
          seen[y] = true;
          members.push_back(y);
        }
    if (members.size() > 64)
      throw ResourceError(
          "the size of an equivalence class is counted where its undirected parts have up "
          "to 64 variables; here one has " +
          std::to_string(members.size()) + ".");
    std::unordered_map<Variable, std::size_t> local;
    for (std::size_t i = 0; i < members.size(); ++i) local[members[i]] = i;
    std::vector<VarSet> neighbours(members.size());
    for (std::size_t i = 0; i < members.size(); ++i)
      for (Variable const y : picture.neighbours[members[i]]) neighbours[i].insert(local[y]);
    ChordalGraph graph(std::move(neighbours));
    product = times(product, graph.directions(VarSet::first(members.size())));
  }
  return product;
}

}  // namespace bayesloom::credible
