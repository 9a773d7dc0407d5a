#include "relaxation/cut_tree.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/errors.hpp"
#include "dual/fractional_network.hpp"
#include "dual/violated.hpp"
#include "dual/zero_half.hpp"

namespace bayesloom::relaxation {

CutTree::CutTree(Problem const& root, Fixed floor, std::uint64_t seed,
                 CutTreeOptions const& options, LinearProgram& program, double memory_bytes,
                 TreeEvents events, std::optional<int> record)
    : options_(options),
      program_(program),
      memory_bytes_(memory_bytes),
      events_(std::move(events)),
      record_(record.has_value()),
      rng_(seed),
      seed_(seed),
      rows_(root.compact(), record.value_or(most_finer)),
      floor_(floor) {
  for (auto const& cluster : root.clusters)
    if (cluster.price > 0) rows_.add(cluster);
  alive_.assign(rows_.columns(), 1);
  allowed_.assign(rows_.columns(), 0);
  place_.assign(rows_.columns(), -1);
  shares_.assign(rows_.columns(), 0);
  for (auto const& cluster : root.clusters)
    if (cluster.price > 0) duals_.push_back(to_nats(cluster.price));
  Node node;
  node.open = alive_;
  node.bound = root.bound();
  proof_.emplace_back();
  push(std::move(node));
}

bool CutTree::below(Node const& a, Node const& b) {
  return a.bound < b.bound || (a.bound == b.bound && a.number < b.number);
}

void CutTree::push(Node node) {
  if (node.bound <= floor()) return;
  open_.push_back(std::move(node));
  std::push_heap(open_.begin(), open_.end(), below);
}

void CutTree::raise_floor(Fixed floor) {
  floor_ = std::max(floor_, floor);
  while (!open_.empty() && open_.front().bound <= this->floor()) {
    std::pop_heap(open_.begin(), open_.end(), below);
    open_.pop_back();
  }
}

NodeResult CutTree::result() const {
  NodeResult out;
  out.found = value_ != nothing;
  out.value = value_;
  out.choice = choice_;
  out.bound = open_.empty() ? floor() : std::max(open_.front().bound, floor());
  return out;
}

void CutTree::adopt(Fixed value, Choice choice) {
  if (value <= floor()) return;
  value_ = value;
  choice_ = std::move(choice);
}

void CutTree::tell() {
  Fixed const bound = result().bound;
  if (bound >= told_) return;
  told_ = bound;
  if (events_.bound) events_.bound(bound);
}

void CutTree::run(Control& control) {
  while (!done() && !failed_ && !control.stopped()) {
    step(control);
    tell();
  }
}

FractionalNetwork CutTree::fractional() const {
  Problem const& problem = rows_.problem();
  FractionalNetwork out(problem);
  for (Index const i : problem.variables)
    out.add(i,
            std::span<double const>(shares_.data() + problem.begin[i],
                                    problem.end[i] - problem.begin[i]),
            problem.mask(problem.begin[i]), fractions.given_share,
            problem.origin.data() + problem.begin[i]);
  return out;
}

std::size_t CutTree::add_violated(double least, bool hard, Control& control) {
  auto const found = violated_inequalities(fractional(), 2, nullptr, control,
                                           {least, hard ? fractions.many_starts : 1});
  std::size_t const from = rows_.rows().size();
  for (auto const& cluster : found) rows_.add(cluster);
  add_rows(from);
  duals_.resize(rows_.rows().size(), 0.0);
  return found.size();
}

std::size_t CutTree::add_cuts(std::size_t starts, Control& control) {
  ZeroHalfOptions options = options_.zero_half;
  options.starts = starts;
  auto const found = zero_half_cuts(fractional(), rows_.problem(), options, rng_, control);
  std::size_t const from = rows_.rows().size();
  for (auto const& cut : found) rows_.add(cut);
  add_rows(from);
  duals_.resize(rows_.rows().size(), 0.0);
  cuts_ += rows_.rows().size() - from;
  control.should_stop(starts * options_.start_work);
  return found.size();
}

void CutTree::look_for_network(Control& control) {
  Problem priced = rows_.priced();
  for (int const by_share : {0, 1}) {
    if (by_share == 1) {
      for (Index const i : priced.variables) {
        for (std::size_t c = priced.begin[i]; c < priced.end[i]; ++c)
          priced.priced[c] = static_cast<Fixed>(shares_[c] * 1e6);
        priced.refresh(i);
      }
    }
    auto network = decode(priced, control);
    if (!network.found) continue;
    if (events_.network) events_.network(network.choice);
    adopt(network.value, std::move(network.choice));
  }
}

CutTree::Outcome CutTree::finish(Node& node, Control& control) {
  Problem left = rows_.problem();
  left.clusters.clear();
  left.cuts.clear();
  left.priced = left.value;
  // Of these prices, not of the node: others before may have given it a lower bound.
  Fixed const margin = rows_.price(duals_, node.open) - floor();
  auto const& values = rows_.values();
  for (Index const i : left.variables) {
    std::vector<std::uint8_t> keep;
    for (std::size_t c = left.begin[i]; c < left.end[i]; ++c)
      keep.push_back(node.open[c] != 0 && rows_.tops()[i] - values[c] < margin ? 1 : 0);
    std::size_t const first = left.begin[i];
    // `remove` goes through the candidates in order.
    left.remove(i, [&](std::size_t c) { return keep[c - first] == 0; });
    left.refresh(i);
  }
  bool const empty = left.infeasible();
  auto const record = [&](ProofNode::End end) {
    if (!record_) return;
    proof_[node.proof].fixes.push_back(rows_.prices());
    proof_[node.proof].last = rows_.prices();
    proof_[node.proof].end = end;
  };
  if (empty) {
    record(ProofNode::End::leaf);
    return Outcome::closed;
  }
  TreeOptions const tree_options;
  Tree tree(left.compact(), floor(), seed_, tree_options, memory_bytes_,
            TreeEvents{{}, events_.network});
  {
    Slice slice(control, options_.finish_work);
    tree.run(slice);
  }
  auto const result = tree.result();
  if (result.found) adopt(result.value, result.choice);
  if (tree.done()) {
    record(ProofNode::End::sets);
    return Outcome::closed;
  }
  node.bound = std::min(node.bound, result.bound);
  return control.stopped() ? Outcome::stopped : Outcome::open;
}

CutTree::Outcome CutTree::lower(Node& node, Control& control) {
  bool const root = node.depth == 0;
  std::size_t in_vain = 0;
  bool finished = false;
  for (std::size_t round = 0;; ++round) {
    Fixed const begin = node.bound;
    for (std::size_t k = 0;; ++k) {
      if (auto const outcome = solve(node, control); outcome != Outcome::open) return outcome;
      if (duals_.size() != rows_.rows().size())
        return Outcome::open;  // no solution: nothing to go by
      if (!finished && to_nats(node.bound - floor()) < options_.near) {
        finished = true;
        if (refine(node, control)) return Outcome::closed;
        if (failed_ || control.stopped()) return Outcome::stopped;
        auto const outcome = finish(node, control);
        if (outcome != Outcome::open) return outcome;
      }
      if (k >= options_.rule_rounds || add_violated(options_.least_violation, false, control) == 0)
        break;
    }
    if (round == 0 || root) look_for_network(control);
    if (node.bound <= floor()) return Outcome::closed;
    if (control.stopped()) return Outcome::stopped;
    drop_idle();
    if (root) drop_columns();
    double const gain = static_cast<double>(begin - node.bound) /
                        static_cast<double>(std::max<Fixed>(1, begin - floor()));
    if (round > 0) {
      in_vain = gain < (root ? options_.root_gain : options_.node_gain) ? in_vain + 1 : 0;
      if (in_vain >= (root ? options_.root_patience : 1)) break;
    }
    if (!root && round >= options_.node_rounds) break;
    if (add_cuts(root ? options_.zero_half.starts : options_.node_starts, control) == 0) break;
  }
  return Outcome::open;
}

std::vector<std::pair<CutTree::Arrow, double>> CutTree::arrows() const {
  Problem const& problem = rows_.problem();
  std::vector<std::pair<Arrow, double>> out;
  std::vector<double> share(problem.universe->n);
  for (Index const i : problem.variables) {
    std::fill(share.begin(), share.end(), 0.0);
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c)
      if (shares_[c] > 0)
        problem.for_each_bit(
            c, [&](std::size_t bit) { share[problem.universe->variable(i, bit)] += shares_[c]; });
    for (Index const j : problem.variables)
      if (share[j] > options_.least_even && share[j] < 1 - options_.least_even)
        out.emplace_back(Arrow{i, j}, share[j]);
  }
  return out;
}

bool CutTree::side(Node const& node, Arrow arrow, bool with, Flags& open) const {
  Problem const& problem = rows_.problem();
  open = node.open;
  auto const [i, j] = arrow;
  std::vector<Word> local(problem.universe->words);
  WideVarSet one(problem.universe->n);
  one.insert(j);
  problem.localise(one, i, local.data());
  bool changed = false;
  auto const close = [&](std::size_t c) {
    changed = changed || open[c] != 0;
    open[c] = 0;
  };
  for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c)
    if (problem.touches(c, local.data()) != with) close(c);
  if (!with) return changed;
  WideVarSet other(problem.universe->n);
  other.insert(i);
  problem.localise(other, j, local.data());
  for (std::size_t c = problem.begin[j]; c < problem.end[j]; ++c)
    if (problem.touches(c, local.data())) close(c);
  return changed;
}

bool CutTree::divides(Node const& node, Arrow arrow) const {
  Flags with, without;
  return side(node, arrow, true, with) && side(node, arrow, false, without);
}

/// Of arrows in order, the first that both sides of lose candidates by: shares are those of an earlier node where
/// the program found no solution of this one.
void CutTree::keep_dividing(Node const& node, std::vector<std::pair<Arrow, double>>& arrows) const {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < arrows.size() && kept < options_.most_tried; ++k)
    if (divides(node, arrows[k].first)) arrows[kept++] = arrows[k];
  arrows.resize(kept);
}

void CutTree::branch(Node node, Control& control) {
  // The solution in the program is that of the node.
  auto divided = arrows();
  double sum = 0, count = 1e-9;
  for (auto const& [arrow, record] : records_) {
    sum += record.sum;
    count += record.count;
  }
  double const typical = sum / count;
  for (auto& [arrow, share] : divided) {
    auto const known = records_.find(arrow);
    double const even = 1 - std::abs(1 - 2 * share);
    share = known == records_.end() ? typical * (0.5 + even) + 1e-6 * even
                                    : known->second.sum / known->second.count;
  }
  std::stable_sort(divided.begin(), divided.end(),
                   [](auto const& a, auto const& b) { return a.second > b.second; });
  keep_dividing(node, divided);
  if (divided.empty()) {
    // Undecided between candidates with the same shares of arrows, or no solution: any arrow left.
    Problem const& problem = rows_.problem();
    for (Index const i : problem.variables)
      for (Index const j : problem.variables)
        if (i != j && divided.empty() && divides(node, {i, j})) divided.push_back({{i, j}, 0.0});
    if (divided.empty()) {
      // One candidate for each variable: a network, or a cycle. Tree tells.
      if (finish(node, control) != Outcome::closed) push(std::move(node));
      return;
    }
  }
  Fixed const bound = node.bound;
  double const gap = static_cast<double>(std::max<Fixed>(1, bound - floor()));
  program_.keep_basis();
  double top = -1;
  std::optional<std::pair<Node, Node>> best;
  Arrow best_arrow{};
  PriceList last[2];
  for (auto const& entry : divided) {
    Arrow const arrow = entry.first;
    Node sides[2];
    PriceList closing[2];
    bool closed[2]{};
    for (int k = 0; k < 2; ++k) {
      Node& one = sides[k];
      one.depth = node.depth + 1;
      one.bound = bound;
      side(node, arrow, k == 0, one.open);
      allow(one);
      auto const end = program_.solve(options_.trial_steps, -to_nats(floor()) + options_.near);
      if (end == LinearProgram::End::failed) failed_ = true;
      std::vector<double> shares, duals;
      if (end != LinearProgram::End::failed && end != LinearProgram::End::infeasible &&
          read_solution(shares, duals)) {
        one.bound = std::min(one.bound, rows_.price(duals, one.open));
        if (one.bound <= floor()) {
          closed[k] = true;
          if (record_) closing[k] = rows_.prices();
        }
      }
      control.should_stop(1 + program_.steps() * options_.step_work);
      program_.return_to_basis();
      if (failed_ || control.stopped()) {
        allow(node);
        push(std::move(node));
        return;
      }
    }
    auto const gain = [&](int k) {
      return 1e-3 + static_cast<double>(bound - std::max(sides[k].bound, floor())) / gap;
    };
    double const value = gain(0) * gain(1);
    auto& record = records_[arrow];
    record.sum += value;
    record.count += 1;
    if (value <= top && !closed[0] && !closed[1]) continue;
    top = value;
    best_arrow = arrow;
    for (int k = 0; k < 2; ++k) last[k] = closing[k];
    best.emplace(std::move(sides[0]), std::move(sides[1]));
    if (closed[0] || closed[1]) break;
  }
  if (record_) {
    std::size_t const at = node.proof;
    proof_[at].end = ProofNode::End::split;
    proof_[at].child = best_arrow.child;
    proof_[at].parent = best_arrow.parent;
    proof_[at].with = proof_.size();
    proof_[at].without = proof_.size() + 1;
    best->first.proof = proof_.size();
    best->second.proof = proof_.size() + 1;
    proof_.resize(proof_.size() + 2);
    for (int k = 0; k < 2; ++k) {
      Node const& one = k == 0 ? best->first : best->second;
      if (one.bound > floor()) continue;
      proof_[one.proof].end = ProofNode::End::leaf;
      proof_[one.proof].last = last[k];
    }
  }
  for (Node* one : {&best->first, &best->second}) {
    one->number = ++made_;
    push(std::move(*one));
  }
}

CutTree::Node CutTree::next() {
  std::pop_heap(open_.begin(), open_.end(), below);
  double const bytes = static_cast<double>(open_.size() * (sizeof(Node) + rows_.columns()));
  bool const over = bytes > memory_bytes_;
  if (over) std::iter_swap(std::ranges::max_element(open_, {}, &Node::number), open_.end() - 1);
  Node node = std::move(open_.back());
  open_.pop_back();
  if (over) std::make_heap(open_.begin(), open_.end(), below);
  return node;
}

void CutTree::step(Control& control) {
  if (!begun_) begin_program();
  Node node = next();
  if (node.bound <= floor()) return;
  ++nodes_;
  for (std::size_t c = 0; c < alive_.size(); ++c) node.open[c] &= alive_[c];
  auto const outcome = lower(node, control);
  if (outcome == Outcome::closed) return;
  if (outcome == Outcome::stopped || node.bound <= floor()) {
    push(std::move(node));
    return;
  }
  branch(std::move(node), control);
}

std::vector<std::size_t> CutTree::fixed() const {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < alive_.size(); ++c)
    if (alive_[c] == 0) out.push_back(rows_.problem().origin[c]);
  return out;
}

}  // namespace bayesloom::relaxation
