#include "relaxation/tree.hpp"

#include <algorithm>
#include <cstdlib>

#include "relaxation/reduce.hpp"

namespace bayesloom::relaxation {

Answer decode(Node const& node) {
  std::size_t const words = node.universe->words;
  Answer answer;
  answer.choice = node.placed;
  answer.value = node.base;
  std::vector<Word> local(node.universe->n * words, 0);
  std::vector<std::size_t> chosen = node.end;
  std::vector<Fixed> regret(node.universe->n);
  std::vector<Index> left = node.variables;
  auto const look = [&](Index i) {
    Fixed top = nothing;
    chosen[i] = node.end[i];
    for (std::size_t c = node.begin[i]; c < node.end[i]; ++c)
      if (node.within(c, local.data() + i * words) && node.priced[c] > top) {
        top = node.priced[c];
        chosen[i] = c;
      }
    regret[i] = top == nothing ? -nothing : node.best[i] - top;
  };
  for (Index const i : left) look(i);
  Set open(node.universe->n);
  for (Index const i : left) open.insert(i);
  while (!left.empty()) {
    auto const at = std::min_element(left.begin(), left.end(), [&](Index a, Index b) { return regret[a] < regret[b]; });
    Index const v = *at;
    if (chosen[v] == node.end[v]) return {};
    left.erase(at);
    open.erase(v);
    // Of what is available now the best by its own score, not by price.
    std::size_t c = node.begin[v];
    while (!node.within(c, local.data() + v * words)) ++c;
    answer.value += node.loss[c];
    answer.choice.emplace_back(v, node.origin[c]);
    for (auto const [child, bit] : node.universe->children[v])
      if (open.contains(child)) {
        local[child * words + bit / 64] |= Word{1} << bit % 64;
        look(child);
      }
  }
  answer.found = true;
  return answer;
}

Answer Tree::solve(Node node, Fixed floor, std::size_t depth) {
  ++nodes_;
  Answer answer;
  Fixed const least_gain = std::max<Fixed>(1, Fixed{1} << 20);
  for (;;) {
    if (node.infeasible()) return answer;
    ascent_.run(node, {floor, least_gain, 2});
    answer.bound = std::max(answer.value, node.bound());
    if (answer.bound <= floor) return answer;
    if (control_.stopped()) return answer;
    std::size_t const before = node.candidate_count();
    std::size_t const changed = reduce(node, floor);
    if (node.infeasible()) {
      answer.bound = std::max(answer.value, std::min(answer.bound, floor));
      return answer;
    }
    if (auto network = decode(node); network.found && network.value > floor) {
      answer.found = true;
      floor = answer.value = network.value;
      answer.choice = std::move(network.choice);
      continue;
    }
    if (changed * 10 < before) break;
  }
  answer.bound = std::max(answer.value, node.bound());
  if (answer.bound <= floor || node.variables.empty()) return answer;
  auto const parts = components(node);
  Answer deeper = parts.size() > 1 ? solve_parts(node, parts, floor, depth) : branch(node, floor, depth);
  if (deeper.found) {
    answer.found = true;
    answer.value = deeper.value;
    answer.choice = std::move(deeper.choice);
  }
  answer.bound = std::max(answer.value, std::min(answer.bound, deeper.bound));
  return answer;
}

Answer Tree::solve_parts(Node const& node, std::vector<Set> const& parts, Fixed floor, std::size_t depth) {
  std::vector<Node> nodes;
  Fixed total = node.base;
  for (auto const& part : parts) {
    nodes.push_back(node.restricted_to(part));
    total += nodes.back().bound();
  }
  // Small parts first: what they lose helps to cut in the large ones.
  std::sort(nodes.begin(), nodes.end(), [](Node const& a, Node const& b) { return a.variables.size() < b.variables.size(); });
  Answer answer;
  answer.choice = node.placed;
  for (auto& part : nodes) {
    Fixed const own = part.bound();
    if (total <= floor) break;
    Fixed const others = total - own;
    auto solved = solve(std::move(part), floor - others, depth + 1);
    total = others + std::min(own, solved.bound);
    if (!solved.found) {
      answer.bound = std::min(total, control_.stopped() ? total : floor);
      return answer;
    }
    answer.choice.insert(answer.choice.end(), solved.choice.begin(), solved.choice.end());
    if (solved.value != solved.bound) {
      // Stopped: the bound holds, the network may not be complete.
      answer.bound = total;
      return answer;
    }
  }
  answer.bound = total;
  answer.found = total > floor;
  answer.value = answer.found ? total : nothing;
  return answer;
}

Split Tree::choose(Node const& node) {
  static int const rule = std::getenv("RULE") ? std::atoi(std::getenv("RULE")) : 0;
  // (i, all): does i come first?
  Set all(node.universe->n);
  for (Index const i : node.variables) all.insert(i);
  Split split{node.variables.front(), all};
  if (rule == 0) {
    Fixed least = -nothing;
    for (Index const i : node.variables) {
      std::size_t const last = node.end[i] - 1;
      if (!node.is_empty(last)) continue;
      Fixed const regret = node.best[i] - node.priced[last];
      if (regret < least) {
        least = regret;
        split.variable = i;
      }
    }
    if (least != -nothing) return split;
  }
  // An arc j -> i that splits the near-tight candidates most evenly.
  Fixed top = nothing;
  std::vector<Fixed> with(64 * node.universe->words);
  for (Index const i : node.variables) {
    std::fill(with.begin(), with.end(), nothing);
    std::vector<Fixed> without(with.size(), nothing);
    Word used = 0;
    if (!node.universe->shared) std::abort();
    for (std::size_t c = node.begin[i]; c < node.end[i]; ++c) used |= node.mask(c)[0];
    for (std::size_t c = node.begin[i]; c < node.end[i]; ++c) {
      for (Word l = used; l; l &= l - 1) {
        auto const j = static_cast<std::size_t>(std::countr_zero(l));
        auto& side = node.mask(c)[0] >> j & 1 ? with : without;
        side[j] = std::max(side[j], node.priced[c]);
      }
    }
    for (Word l = used; l; l &= l - 1) {
      auto const j = static_cast<std::size_t>(std::countr_zero(l));
      if (with[j] == nothing || without[j] == nothing) continue;
      Fixed const a = node.best[i] - with[j], b = node.best[i] - without[j];
      Fixed const value = -std::max(a, b) ;
      if (value > top) {
        top = value;
        split.variable = i;
        split.cluster = Set(node.universe->n);
        split.cluster.insert(j);
      }
    }
  }
  return split;
}

Answer Tree::branch(Node const& node, Fixed floor, std::size_t depth) {
  Split const split = choose(node);
  std::vector<Word> local(node.universe->words);
  node.localise(split.cluster, split.variable, local.data());
  Answer answer;
  Node outside = node.compact();
  Node inside = node.compact();
  outside.remove(split.variable, [&](std::size_t c) { return outside.touches(c, local.data()); });
  inside.remove(split.variable, [&](std::size_t c) { return !inside.touches(c, local.data()); });
  bool const first_outside = outside.bound() >= inside.bound();
  Fixed const second_bound = (first_outside ? inside : outside).bound();
  auto one = solve(std::move(first_outside ? outside : inside), floor, depth + 1);
  if (one.found) floor = one.value;
  if (control_.should_stop()) {
    one.bound = std::max(one.bound, second_bound);
    return one;
  }
  auto two = solve(std::move(first_outside ? inside : outside), floor, depth + 1);
  Answer& better = two.found ? two : one;
  better.bound = std::max(one.bound, two.bound);
  return std::move(better);
}

}  // namespace bayesloom::relaxation
