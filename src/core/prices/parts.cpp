// The strongly connected parts of a node: no cycle leaves one, so each is solved apart.
//
// An arc leads from j to i where j occurs in a candidate of i that is left. Tarjan's algorithm
// [tarjan1972] with its own stack: caches with thousands of variables in one chain must not exhaust
// the machine's.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "prices/node.hpp"

namespace bayesloom::prices {

namespace {

class Tarjan {
 public:
  explicit Tarjan(Node const& node)
      : node_(node), n_(node.universe->n), parents_(n_), number_(n_, 0), low_(n_, 0), open_(n_, 0) {
    std::vector<Word> used(node.universe->words);
    for (Index const i : node.variables) {
      std::fill(used.begin(), used.end(), 0);
      for (std::size_t c = node.begin[i]; c < node.end[i]; ++c)
        for (std::size_t w = 0; w < used.size(); ++w) used[w] |= node.mask(c)[w];
      for (std::size_t w = 0; w < used.size(); ++w)
        for (Word left = used[w]; left != 0; left &= left - 1) {
          std::size_t const k = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
          parents_[i].push_back(node.universe->shared ? static_cast<Index>(k)
                                                      : node.universe->members[i][k]);
        }
    }
  }

  std::vector<Set> run() {
    for (Index const i : node_.variables)
      if (number_[i] == 0) visit(i);
    return std::move(found_);
  }

 private:
  void visit(Index start) {
    std::vector<std::pair<Index, std::size_t>> path;
    auto const enter = [&](Index v) {
      number_[v] = low_[v] = ++counter_;
      stack_.push_back(v);
      open_[v] = 1;
      path.emplace_back(v, 0);
    };
    enter(start);
    while (!path.empty()) {
      auto& [v, next] = path.back();
      if (next < parents_[v].size()) {
        Index const p = parents_[v][next++];
        if (number_[p] == 0) {
          enter(p);
        } else if (open_[p] != 0) {
          low_[v] = std::min(low_[v], number_[p]);
        }
        continue;
      }
      Index const done = v;
      path.pop_back();
      if (!path.empty()) low_[path.back().first] = std::min(low_[path.back().first], low_[done]);
      if (low_[done] != number_[done]) continue;
      Set component(n_);
      Index member;
      do {
        member = stack_.back();
        stack_.pop_back();
        open_[member] = 0;
        component.insert(member);
      } while (member != done);
      found_.push_back(std::move(component));
    }
  }

  Node const& node_;
  std::size_t const n_;
  std::vector<std::vector<Index>> parents_;
  std::vector<std::size_t> number_, low_;
  std::vector<char> open_;
  std::vector<Index> stack_;
  std::size_t counter_ = 0;
  std::vector<Set> found_;
};

}  // namespace

std::vector<Set> components(Node const& node) { return Tarjan(node).run(); }

}  // namespace bayesloom::prices
