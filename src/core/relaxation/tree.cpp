#include "relaxation/tree.hpp"

#include <algorithm>
#include <optional>

#include "base/errors.hpp"
#include "dual/reduction.hpp"

namespace bayesloom::relaxation {

NodeResult decode(Problem const& node, Control& control) {
  std::size_t const words = node.universe->words;
  NodeResult result;
  result.choice = node.placed;
  result.value = node.base;
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
  WideVarSet open(node.universe->n);
  for (Index const i : left) open.insert(i);
  while (!left.empty()) {
    if (control.should_stop(0)) return {};
    auto const at = std::min_element(left.begin(), left.end(),
                                     [&](Index a, Index b) { return regret[a] < regret[b]; });
    Index const v = *at;
    if (chosen[v] == node.end[v]) return {};
    left.erase(at);
    open.erase(v);
    // Of what is available now the best by its own score, not by price.
    std::size_t c = node.begin[v];
    while (!node.within(c, local.data() + v * words)) ++c;
    result.value += node.value[c];
    result.choice.emplace_back(v, node.origin[c]);
    for (auto const [child, bit] : node.universe->children[v])
      if (open.contains(child)) {
        local[child * words + bit / 64] |= Word{1} << bit % 64;
        if (regret[child] > 0) look(child);
      }
  }
  result.found = true;
  return result;
}

NodeResult Tree::solve(Problem node, Fixed floor, std::size_t depth, WideVarSet const* around) {
  ++nodes_;
  NodeResult result;
  for (;;) {
    if (node.infeasible()) return result;
    if (depth > 0) {
      AscentOptions ascent = limits(node, floor, false);
      ascent.around = around;
      if (around) ascent.first_temperature = ascent.last_temperature;
      ascent_.run(node, ascent);
    }
    around = nullptr;
    result.bound = std::max(result.value, node.bound());
    tell(std::max(result.bound, floor));
    if (result.bound <= floor) return result;
    if (control_.stopped()) return result;
    std::size_t const before = node.candidate_count();
    std::size_t const changed = reduce(node, floor);
    if (node.infeasible()) {
      result.bound = std::max(result.value, std::min(result.bound, floor));
      return result;
    }
    if (auto network = decode(node, control_); network.found && network.value > floor) {
      result.found = true;
      floor = result.value = network.value;
      result.choice = std::move(network.choice);
      if (events_.network) events_.network(result.choice);
      continue;
    }
    if (changed * options_.reduced_part < before) break;
  }
  result.bound = std::max(result.value, node.bound());
  if (result.bound <= floor || node.variables.empty()) return result;
  auto const parts = components(node);
  NodeResult deeper =
      parts.size() > 1 ? solve_parts(node, parts, floor, depth) : branch(node, floor, depth);
  if (deeper.found) {
    result.found = true;
    result.value = deeper.value;
    result.choice = std::move(deeper.choice);
  }
  result.bound = std::max(result.value, std::min(result.bound, deeper.bound));
  return result;
}

void Tree::tell(Fixed bound) {
  Fixed total = bound + offset_;
  for (Fixed const other : pending_) total = std::max(total, other);
  if (total >= told_) return;
  told_ = total;
  if (events_.bound) events_.bound(total);
}

NodeResult Tree::solve_parts(Problem const& node, std::vector<WideVarSet> const& parts, Fixed floor,
                             std::size_t depth) {
  std::vector<Problem> nodes;
  Fixed total = node.base;
  WideVarSet before(node.universe->n);
  for (auto const& part : parts) {
    nodes.push_back(node.restricted_to(part, before));
    total += nodes.back().bound();
    before |= part;
  }
  // Small parts first: what they lose helps to cut in the large ones.
  std::sort(nodes.begin(), nodes.end(), [](Problem const& a, Problem const& b) {
    return a.variables.size() < b.variables.size();
  });
  NodeResult result;
  result.choice = node.placed;
  for (auto& part : nodes) {
    Fixed const own = part.bound();
    if (total <= floor) break;
    Fixed const others = total - own;
    offset_ += others;
    auto solved = solve(std::move(part), floor - others, depth + 1, nullptr);
    offset_ -= others;
    total = others + std::min(own, solved.bound);
    if (!solved.found) {
      result.bound = std::min(total, control_.stopped() ? total : floor);
      return result;
    }
    result.choice.insert(result.choice.end(), solved.choice.begin(), solved.choice.end());
    if (solved.value != solved.bound) {
      // Stopped: the bound holds, the network may not be complete.
      result.bound = total;
      return result;
    }
  }
  result.bound = total;
  result.found = total > floor;
  result.value = result.found ? total : nothing;
  return result;
}

namespace {

/// The node with the candidates of split.variable on one side only.
Problem side_of(Problem const& node, Split const& split, bool outside) {
  std::vector<Word> local(node.universe->words);
  node.localise(split.cluster, split.variable, local.data());
  Problem side = node.compact();
  side.remove(split.variable,
              [&](std::size_t c) { return side.blocked(c, local.data(), split.need) == outside; });
  return side;
}

}  // namespace

AscentOptions Tree::limits(Problem const& node, Fixed floor, bool quick) const {
  // Smoothing costs a node about n T / 2, so a temperature of a few hundredths of gap / n is fine
  // enough to tell whether the node can be closed, and twice as hot is enough to rank splits.
  double const scale =
      static_cast<double>(node.bound() - floor) / static_cast<double>(node.variables.size());
  AscentOptions out;
  out.floor = floor;
  out.first_temperature =
      std::max(1.0, scale / (quick ? options_.trial_temperature : options_.first_temperature));
  out.last_temperature =
      std::max(1.0, scale / (quick ? options_.trial_temperature : options_.last_temperature));
  out.rounds = quick ? options_.trial_rounds : options_.rounds;
  out.passes = quick ? options_.trial_passes : options_.passes;
  if (!quick && node.variables.size() > options_.large)
    out.worthwhile = std::max<Fixed>(1, (node.bound() - floor) / options_.least_round);
  out.additions = options_.additions;
  out.least_gain =
      std::max<Fixed>(1, static_cast<Fixed>(out.last_temperature / options_.least_gain));
  return out;
}

Split Tree::first_split(Problem const& node) const {
  // Does the variable that loses least by it come first? Some variable can, or there is no network;
  // and it has other candidates, or it would have been placed.
  WideVarSet all(node.universe->n);
  for (Index const i : node.variables) all.insert(i);
  Split split{node.variables.front(), all};
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
  return split;
}

std::size_t Tree::SplitHash::operator()(Split const& split) const {
  std::uint64_t hash = split.variable * 0x9e3779b97f4a7c15ULL + split.need;
  for (Word const w : split.cluster.words()) hash = (hash ^ w) * 0xff51afd7ed558ccdULL ^ hash >> 29;
  return static_cast<std::size_t>(hash);
}

std::vector<Split> Tree::ranked_splits(Problem const& node, Fixed floor) {
  double const temperature = limits(node, floor, false).last_temperature;
  std::vector<Split> splits =
      SmoothedBound(node, temperature).fractional_network(node).divided(options_.most_divided);
  // Splits tried before are expected to do as well again, new ones as well as most.
  double sum = 0, count = 1e-9;
  for (auto const& [split, record] : records_) {
    sum += record.sum;
    count += record.count;
  }
  double const typical = sum / count;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t k = 0; k < splits.size(); ++k) {
    auto const known = records_.find(splits[k]);
    double const expected =
        known == records_.end() ? typical : known->second.sum / known->second.count;
    order.emplace_back(-expected, k);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](auto const& a, auto const& b) { return a.first < b.first; });
  std::vector<Split> ranked;
  for (auto const& entry : order) ranked.push_back(std::move(splits[entry.second]));
  return ranked;
}

NodeResult Tree::branch(Problem& node, Fixed floor, std::size_t depth) {
  auto splits = ranked_splits(node, floor);
  if (splits.size() > options_.most_tried) splits.resize(options_.most_tried);
  splits.push_back(first_split(node));
  Fixed const bound = node.bound();
  std::optional<Problem> left, right;
  WideVarSet changed(node.universe->n);
  double top = -1;
  std::size_t tried_in_vain = 0;
  std::size_t const enough =
      options_.patience * (depth < options_.shallow ? options_.shallow_patience : 1);
  for (std::size_t at = 0; at < splits.size(); ++at) {
    if (tried_in_vain >= enough && left) break;
    auto const& split = splits[at];
    Problem outside = side_of(node, split, true), inside = side_of(node, split, false);
    WideVarSet near(node.universe->n);
    near.insert(split.variable);
    WideVarSet const* const around = node.variables.size() > options_.large ? &near : nullptr;
    for (Problem* side : {&outside, &inside}) {
      if (side->bound() <= floor) continue;
      AscentOptions trial = limits(*side, floor, true);
      trial.around = around;
      ascent_.run(*side, trial);
    }
    Fixed const a = outside.bound(), b = inside.bound();
    if (control_.stopped()) {
      NodeResult result;
      result.bound = std::min(bound, std::max(a, b));
      return result;
    }
    if (a <= floor && b <= floor) {
      NodeResult result;
      result.bound = floor;
      return result;
    }
    // A side without a better network: go on with the other, no need to branch.
    if (a <= floor && inside.candidate_count() < node.candidate_count())
      return solve(std::move(inside), floor, depth + 1, around);
    if (b <= floor && outside.candidate_count() < node.candidate_count())
      return solve(std::move(outside), floor, depth + 1, around);
    auto const gain = [&](Fixed side) {
      return 1e-3 + static_cast<double>(bound - std::max(side, floor)) /
                        static_cast<double>(bound - floor);
    };
    double const value = gain(a) * gain(b);
    auto& record = records_[split];
    record.sum += value;
    record.count += 1;
    bool const divides = outside.candidate_count() < node.candidate_count() &&
                         inside.candidate_count() < node.candidate_count();
    ++tried_in_vain;
    if (divides && value > top) {
      top = value;
      changed = near;
      left = std::move(outside);
      right = std::move(inside);
      tried_in_vain = 0;
    }
  }
  if (!left) throw InternalError("a node of the tree has nothing to branch on.");
  if (left->bound() < right->bound()) std::swap(left, right);
  Fixed const second_bound = right->bound();
  WideVarSet const* const around = node.variables.size() > options_.large ? &changed : nullptr;
  pending_.push_back(second_bound + offset_);
  auto one = solve(std::move(*left), floor, depth + 1, around);
  pending_.pop_back();
  if (one.found) floor = one.value;
  if (control_.should_stop()) {
    one.bound = std::max(one.bound, second_bound);
    return one;
  }
  auto two = solve(std::move(*right), floor, depth + 1, around);
  NodeResult& better = two.found ? two : one;
  better.bound = std::max(one.bound, two.bound);
  return std::move(better);
}

}  // namespace bayesloom::relaxation
