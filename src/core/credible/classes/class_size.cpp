#include "credible/classes/class_size.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <vector>

#include "base/errors.hpp"
#include "graph/equivalence.hpp"

namespace bayesloom::credible {

namespace {

Count times(Count a, Count b) {
  Count product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw ResourceError("an equivalence class has more than 2^128 networks: too many to count.");
  return product;
}

Count factorial(int n) {
  Count product = 1;
  for (int i = 2; i <= n; ++i) product = times(product, static_cast<Count>(i));
  return product;
}

/// phi(size; sizes), the sizes of a chain of sets strictly inside one of `size`.
Count orders_without(int size, std::vector<int> const& chain, std::size_t length) {
  Count orders = factorial(size);
  for (std::size_t i = 0; i < length; ++i)
    orders -= times(factorial(size - chain[i]), orders_without(chain[i], chain, i));
  return orders;
}

class ChordalGraph {
 public:
  explicit ChordalGraph(std::vector<Set> neighbours) : neighbours_(std::move(neighbours)) {}

  /// #(G) of the connected subgraph on `set`.
  Count directions(Set set) {
    if (std::popcount(set) == 1) return 1;
    if (auto const known = known_.find(set); known != known_.end()) return known->second;
    Count sum = 0;
    for (auto const& [clique, chain] : cliques(set)) {
      Count product = orders_without(std::popcount(clique), chain, chain.size());
      for (Set const part : left_undirected(set, clique)) product = times(product, directions(part));
      if (__builtin_add_overflow(sum, product, &sum))
        throw ResourceError("an equivalence class has more than 2^128 networks: too many to count.");
    }
    known_.emplace(set, sum);
    return sum;
  }

  /// The connected parts of the subgraph on `set`.
  std::vector<Set> connected(Set set) const {
    std::vector<Set> parts;
    while (set != 0) {
      Set part = set & (~set + 1), edge = part;
      while (edge != 0) {
        Set near = 0;
        for (Set left = edge; left != 0; left &= left - 1) near |= neighbours(left);
        edge = near & set & ~part;
        part |= edge;
      }
      parts.push_back(part);
      set &= ~part;
    }
    return parts;
  }

 private:
  struct Clique {
    Set set;
    std::vector<int> chain;  // sizes of FP, ascending
  };

  Set neighbours(Set lowest) const { return neighbours_[static_cast<std::size_t>(std::countr_zero(lowest))]; }

  /// The maximal cliques, along a clique tree rooted at the first of them: maximum cardinality search
  /// [blair1993]. A variable with fewer visited neighbours than the one before begins a clique, which
  /// hangs on the clique of the last visited among these neighbours.
  std::vector<Clique> cliques(Set set) const {
    std::vector<Set> members;
    std::vector<std::size_t> parent;
    std::vector<std::size_t> clique_of(64), visited_at(64);
    Set visited = 0;
    int before = -1;
    std::size_t clock = 0;
    while (visited != set) {
      Set best = 0;
      int most = -1;
      for (Set left = set & ~visited; left != 0; left &= left - 1)
        if (int const k = std::popcount(neighbours(left) & visited); k > most) {
          most = k;
          best = left & (~left + 1);
        }
      Set const seen = neighbours(best) & visited;
      if (most <= before || before < 0) {
        std::size_t latest = 0, hangs_on = 0;
        for (Set left = seen; left != 0; left &= left - 1) {
          auto const y = static_cast<std::size_t>(std::countr_zero(left));
          if (visited_at[y] >= latest) {
            latest = visited_at[y];
            hangs_on = clique_of[y];
          }
        }
        parent.push_back(hangs_on);
        members.push_back(seen);
      }
      auto const x = static_cast<std::size_t>(std::countr_zero(best));
      members.back() |= best;
      clique_of[x] = members.size() - 1;
      visited_at[x] = clock++;
      visited |= best;
      before = most;
    }
    std::vector<Clique> found;
    for (std::size_t k = 0; k < members.size(); ++k) {
      Clique clique{members[k], {}};
      for (std::size_t at = k; at != 0; at = parent[at]) {
        Set const separator = members[at] & members[parent[at]];
        if ((separator & ~clique.set) == 0) clique.chain.push_back(std::popcount(separator));
      }
      std::sort(clique.chain.begin(), clique.chain.end());
      clique.chain.erase(std::unique(clique.chain.begin(), clique.chain.end()), clique.chain.end());
      found.push_back(std::move(clique));
    }
    return found;
  }

  /// C_G(K): lexicographic search that begins with K. Variables with the same visited neighbours when
  /// their turn comes are directed alike from outside and undirected among themselves.
  std::vector<Set> left_undirected(Set set, Set clique) const {
    std::vector<Set> sequence{clique, set & ~clique}, parts;
    Set met = clique;
    for (std::size_t at = 0; at < sequence.size();) {
      if (sequence[at] == 0) {
        ++at;
        continue;
      }
      Set const x = sequence[at] & (~sequence[at] + 1);
      if ((met & x) == 0) {
        met |= sequence[at];
        for (Set const part : connected(sequence[at])) parts.push_back(part);
      }
      sequence[at] &= ~x;
      std::vector<Set> finer;
      for (std::size_t k = at; k < sequence.size(); ++k) {
        if (Set const near = sequence[k] & neighbours(x); near != 0) finer.push_back(near);
        if (Set const far = sequence[k] & ~neighbours(x); far != 0) finer.push_back(far);
      }
      sequence = std::move(finer);
      at = 0;
    }
    return parts;
  }

  std::vector<Set> neighbours_;
  std::unordered_map<Set, Count> known_;
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
      throw ResourceError("the size of an equivalence class is counted where its undirected parts have up "
                          "to 64 variables; here one has " + std::to_string(members.size()) + ".");
    std::unordered_map<Variable, std::size_t> local;
    for (std::size_t i = 0; i < members.size(); ++i) local[members[i]] = i;
    std::vector<Set> neighbours(members.size(), 0);
    for (std::size_t i = 0; i < members.size(); ++i)
      for (Variable const y : picture.neighbours[members[i]]) neighbours[i] |= Set{1} << local[y];
    ChordalGraph graph(std::move(neighbours));
    Set const all = members.size() == 64 ? ~Set{0} : (Set{1} << members.size()) - 1;
    product = times(product, graph.directions(all));
  }
  return product;
}

}  // namespace bayesloom::credible
