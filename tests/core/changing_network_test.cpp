// Edges come and go at random; every answer beside a plain search. Prints how many paths were asked for and found.
#include "graph/changing_network.hpp"

#include <algorithm>
#include <cstdio>
#include <random>

using bayesloom::ChangingNetwork;
using bayesloom::Variable;
using Lists = std::vector<std::vector<Variable>>;

bool leads(Lists const& children, Variable from, Variable to, bool around) {
  std::vector<Variable> open{from};
  std::vector<bool> seen(children.size(), false);
  while (!open.empty()) {
    Variable const v = open.back();
    open.pop_back();
    for (Variable const w : children[v]) {
      if (around && v == from && w == to) continue;
      if (w == to) return true;
      if (seen[w]) continue;
      seen[w] = true;
      open.push_back(w);
    }
  }
  return false;
}

int main() {
  std::mt19937 draw(1);
  std::size_t asked = 0, found = 0;
  for (std::size_t const n : {2, 5, 12, 40})
    for (int round = 0; round < 20; ++round) {
      Lists children(n);
      ChangingNetwork network(children);
      for (int step = 0; step < 300; ++step) {
        auto const u = static_cast<Variable>(draw() % n), v = static_cast<Variable>(draw() % n);
        if (u == v) continue;
        bool const around = draw() % 2 == 0;
        bool const known = leads(children, u, v, around);
        if (network.leads(u, v, around) != known) return 1;
        ++asked;
        found += known;
        auto& list = children[u];
        if (auto const at = std::ranges::find(list, v); at != list.end()) {
          list.erase(at);
          network.remove(u, v);
        } else if (!leads(children, v, u, false)) {
          list.insert(std::ranges::upper_bound(list, v), v);
          network.add(u, v);
        }
        if (!std::ranges::equal(network.children(u), list)) return 2;
        if (step == 150) network.replace(children);
      }
    }
  std::printf("%zu %zu\n", asked, found);
}
