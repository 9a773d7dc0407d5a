#include "relaxation/tree.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "base/share.hpp"
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

namespace {

/// The node with the candidates of split.variable on one side only.
Problem side_of(Problem const& node, Split const& split, bool outside) {
  std::vector<Word> local(node.universe->words);
  node.localise(split.cluster, split.variable, local.data());
  Problem side = node.compact();
  side.remove(split.variable,
              [&](std::size_t c) { return side.blocked(c, local.data(), split.need) == outside; });
  if (outside || split.cluster.size() > 1) return side;
  // It takes that parent: the parent does not take it.
  WideVarSet child(node.universe->n);
  child.insert(split.variable);
  for (std::size_t const v : split.cluster) {
    auto const parent = static_cast<Index>(v);
    node.localise(child, parent, local.data());
    side.remove(parent, [&](std::size_t c) { return side.touches(c, local.data()); });
  }
  return side;
}

double bytes_of(Problem const& problem) {
  std::size_t const words = problem.universe->words;
  double const candidate = 3 * sizeof(Fixed) + static_cast<double>(words * sizeof(Word));
  std::size_t const set_words = (problem.universe->n + 63) / 64;
  double const cluster = sizeof(Cluster) + static_cast<double>(set_words * sizeof(Word));
  return static_cast<double>(problem.value.size()) * candidate +
         static_cast<double>(problem.clusters.size()) * cluster +
         static_cast<double>(problem.universe->n) * 4 * sizeof(Fixed);
}

}  // namespace

Tree::Tree(Problem root, Fixed floor, std::uint64_t seed, TreeOptions const& options,
           double memory_bytes, TreeEvents events)
    : seed_(seed),
      options_(options),
      memory_bytes_(memory_bytes),
      events_(std::move(events)),
      shared_(std::make_shared<Shared>()),
      floor_(floor) {
  push(make_node(std::move(root), 0, WideVarSet(), -nothing));
  shared_->nodes = 1;
}

Tree::Tree(Problem root, Fixed floor, std::uint64_t seed, Tree const& above)
    : seed_(seed),
      options_(above.options_),
      memory_bytes_(above.memory_bytes_),
      shared_(above.shared_),
      floor_(floor) {
  push(make_node(std::move(root), 1, WideVarSet(), -nothing));
}

void Tree::run(Control& control, std::size_t threads) {
  while (!done() && !control.stopped()) {
    News news;
    advance(control, threads, news);
    announce(news);
  }
}

void Tree::widen(std::size_t nodes, Control& control) {
  while (!done() && open_.size() < nodes && !control.stopped()) {
    News news;
    advance(control, 1, news);
    announce(news);
  }
}

std::size_t Tree::round_size(Control const& control) const {
  if (bytes_ > memory_bytes_ || steps_ == 0) return 1;
  std::uint64_t const enough = options_.reserve * (work_ / steps_ + 1);
  return std::clamp<std::size_t>(
      std::min<std::uint64_t>(open_.size() / options_.spread, control.work_left() / enough), 1,
      options_.most_in_round);
}

void Tree::advance(Control& control, std::size_t threads, News& news) {
  std::vector<NodePointer> nodes;
  std::size_t const most = round_size(control);
  while (nodes.size() < most && !open_.empty())
    if (NodePointer node = next(); node->bound > floor()) nodes.push_back(std::move(node));
  if (nodes.empty()) return;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    steps.push_back({floor(), open_.empty() ? nothing : open_.front()->bound});
  if (nodes.size() == 1) {
    std::uint64_t const before = control.work();
    work_on(std::move(nodes.front()), steps.front(), control, threads);
    steps.front().work = control.work() - before;
  } else {
    std::uint64_t const share = control.work_left() / nodes.size();
    std::size_t const each = std::max<std::size_t>(1, threads / nodes.size());
    parallel_for(threads, nodes.size(), control, [&](std::size_t i, std::size_t) {
      Share own(control, share);
      work_on(std::move(nodes[i]), steps[i], own, each);
      steps[i].work = own.work();
    });
    std::uint64_t work = 0;
    for (auto const& step : steps) work += step.work;
    control.should_stop(work);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i])  // stopped before it began
      push(std::move(nodes[i]));
    else
      take(steps[i], news);
  }
}

void Tree::take(Step& step, News& news) {
  if (step.floor > floor()) {
    value_ = step.floor;
    choice_ = std::move(step.choice);
  }
  for (auto& node : step.open) push(std::move(node));
  ++steps_;
  work_ += step.work;
  std::ranges::move(step.news.networks, std::back_inserter(news.networks));
  std::ranges::move(step.news.trials, std::back_inserter(news.trials));
  news.nodes += step.news.nodes;
}

void Tree::announce(News const& news) {
  for (auto const& [split, gain] : news.trials) {
    auto& record = shared_->records[split];
    record.sum += gain;
    record.count += 1;
  }
  shared_->nodes += news.nodes;
  if (events_.network)
    for (auto const& network : news.networks) events_.network(network);
  tell();
}

std::vector<OpenNode> Tree::open_nodes() const {
  std::vector<Node const*> nodes;
  for (auto const& node : open_) nodes.push_back(node.get());
  std::sort(nodes.begin(), nodes.end(), [](Node const* a, Node const* b) {
    return a->bound > b->bound || (a->bound == b->bound && a->number > b->number);
  });
  std::vector<OpenNode> out;
  for (Node const* node : nodes) {
    if (node->bound <= floor()) continue;
    auto& one = out.emplace_back();
    one.bound = node->bound;
    one.decided = node->problem.placed;
    collect(*node, one);
  }
  return out;
}

void Tree::collect(Node const& node, OpenNode& out) {
  Problem const& problem = node.problem;
  for (Index const i : problem.variables)
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c)
      out.candidates.push_back(problem.origin[c]);
  std::copy_if(problem.clusters.begin(), problem.clusters.end(), std::back_inserter(out.clusters),
               [](Cluster const& cluster) { return cluster.price > 0; });
  for (auto const& part : node.parts) {
    if (part->done())
      out.decided.insert(out.decided.end(), part->choice_.begin(), part->choice_.end());
    else
      part->collect(out);
  }
}

void Tree::collect(OpenNode& out) const {
  // The network found may be better than anything that is open.
  for (auto const& [variable, candidate] : choice_) out.candidates.push_back(candidate);
  for (auto const& node : open_) {
    OpenNode one;
    collect(*node, one);
    for (Choice const* const decided : {&node->problem.placed, &one.decided})
      for (auto const& [variable, candidate] : *decided) out.candidates.push_back(candidate);
    out.candidates.insert(out.candidates.end(), one.candidates.begin(), one.candidates.end());
    // Any prices give a bound: those of the best.
    if (&node == &open_.front())
      out.clusters.insert(out.clusters.end(), one.clusters.begin(), one.clusters.end());
  }
}

void Tree::raise_floor(Fixed given) {
  if (given <= floor_) return;
  floor_ = given;
  std::size_t const before = open_.size();
  std::erase_if(open_, [&](NodePointer const& node) {
    if (node->bound > floor()) return false;
    bytes_ -= node->bytes;
    return true;
  });
  if (open_.size() < before) std::make_heap(open_.begin(), open_.end(), below);
}

NodeResult Tree::result() const { return {bound(), value_ > nothing, value_, choice_}; }

Fixed Tree::bound() const {
  return open_.empty() ? floor() : std::max(open_.front()->bound, floor());
}

void Tree::tell() {
  Fixed const now = bound();
  if (now >= told_ || !events_.bound) return;
  told_ = now;
  events_.bound(now);
}

void Tree::adopt(Fixed value, Choice choice, Step& step) {
  if (value <= step.floor) return;
  step.floor = value;
  step.choice = std::move(choice);
  step.news.networks.push_back(step.choice);
}

bool Tree::below(NodePointer const& a, NodePointer const& b) {
  return a->bound < b->bound || (a->bound == b->bound && a->number < b->number);
}

Tree::NodePointer Tree::make_node(Problem problem, std::size_t depth, WideVarSet around,
                                  Fixed most) {
  auto node = std::make_unique<Node>();
  node->bound = std::min(most, problem.bound());
  node->problem = std::move(problem);
  node->depth = depth;
  node->around = std::move(around);
  return node;
}

void Tree::push(NodePointer node) {
  if (node->number == unnumbered) node->number = made_++;
  if (node->bound <= floor()) return;
  node->bytes = bytes_of(node->problem);
  for (auto const& part : node->parts) node->bytes += part->bytes_;
  bytes_ += node->bytes;
  open_.push_back(std::move(node));
  std::push_heap(open_.begin(), open_.end(), below);
}

Tree::NodePointer Tree::next() {
  std::pop_heap(open_.begin(), open_.end(), below);
  if (bytes_ > memory_bytes_) {
    // The one on top is last now; the newest takes its place.
    auto const newest = std::max_element(
        open_.begin(), open_.end(),
        [](NodePointer const& a, NodePointer const& b) { return a->number < b->number; });
    std::iter_swap(newest, open_.end() - 1);
    NodePointer out = std::move(open_.back());
    open_.pop_back();
    std::make_heap(open_.begin(), open_.end(), below);
    bytes_ -= out->bytes;
    return out;
  }
  NodePointer out = std::move(open_.back());
  open_.pop_back();
  bytes_ -= out->bytes;
  return out;
}

void Tree::work_on(NodePointer node, Step& step, Control& control, std::size_t threads) const {
  if (!node->parts.empty()) {
    work_on_part(std::move(node), step, control, threads);
    return;
  }
  if (!node->lowered) {
    bool const open = lower(*node, step, control);
    if (!open) return;
    if (!control.stopped()) node->lowered = true;
    if (control.stopped() || step.waiting > node->bound) {
      step.open.push_back(std::move(node));
      return;
    }
  }
  auto const parts = components(node->problem);
  if (parts.size() > 1) {
    open_parts(*node, parts, step);
    step.open.push_back(std::move(node));
  } else {
    branch(std::move(node), step, control, threads);
  }
}

bool Tree::lower(Node& node, Step& step, Control& control) const {
  Problem& problem = node.problem;
  Ascent ascent(seed_ + 2 * node.number, control);
  for (;;) {
    if (problem.infeasible()) return false;
    if (node.depth > 0) {
      AscentOptions options = limits(problem, step.floor, false);
      if (!node.around.words().empty()) {
        options.around = &node.around;
        options.first_temperature = options.last_temperature;
      }
      ascent.run(problem, options);
      node.around = WideVarSet();
    }
    node.bound = std::min(node.bound, problem.bound());
    if (node.bound <= step.floor) return false;
    if (control.stopped()) return true;
    std::size_t const before = problem.candidate_count();
    std::size_t const changed = reduce(problem, step.floor);
    if (problem.infeasible()) return false;
    if (auto network = decode(problem, control); network.found && network.value > step.floor) {
      adopt(network.value, std::move(network.choice), step);
      continue;
    }
    if (changed * options_.reduced_part < before) break;
  }
  node.bound = std::min(node.bound, problem.bound());
  return node.bound > step.floor;
}

void Tree::open_parts(Node& node, std::vector<WideVarSet> const& parts, Step& step) const {
  std::vector<Problem> problems;
  Fixed total = node.problem.base;
  WideVarSet before(node.problem.universe->n);
  for (auto const& part : parts) {
    problems.push_back(node.problem.restricted_to(part, before));
    total += problems.back().bound();
    before |= part;
  }
  // Small parts first: what they lose helps to cut in the large ones.
  std::stable_sort(problems.begin(), problems.end(), [](Problem const& a, Problem const& b) {
    return a.variables.size() < b.variables.size();
  });
  node.bound = std::min(node.bound, total);
  for (auto& problem : problems) {
    Fixed const others = total - problem.bound();
    std::uint64_t const seed =
        seed_ + (node.number + 1) * 0x9e3779b97f4a7c15ULL + node.parts.size();
    node.parts.push_back(
        std::unique_ptr<Tree>(new Tree(std::move(problem), step.floor - others, seed, *this)));
    ++step.news.nodes;
  }
  Problem rest;
  rest.universe = node.problem.universe;
  rest.base = node.problem.base;
  rest.placed = node.problem.placed;
  node.problem = std::move(rest);
}

void Tree::work_on_part(NodePointer node, Step& step, Control& control, std::size_t threads) const {
  auto const open = std::find_if(node->parts.begin(), node->parts.end(),
                                 [](auto const& part) { return !part->done(); });
  Fixed total = node->problem.base;
  for (auto const& part : node->parts) total += part->bound();
  if (open != node->parts.end()) {
    Tree& part = **open;
    Fixed const others = total - part.bound();
    part.raise_floor(step.floor - others);
    if (!part.done()) part.advance(control, threads, step.news);
    total = others + part.bound();
    // Without a network above its floor, none of the node is above ours.
    if (part.done() && (part.value_ == nothing || others + part.value_ <= step.floor)) return;
  }
  node->bound = std::min(node->bound, total);
  if (std::any_of(node->parts.begin(), node->parts.end(),
                  [](auto const& part) { return !part->done(); })) {
    step.open.push_back(std::move(node));
    return;
  }
  Choice choice = node->problem.placed;
  for (auto const& part : node->parts)
    choice.insert(choice.end(), part->choice_.begin(), part->choice_.end());
  adopt(total, std::move(choice), step);
}

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

Split Tree::first_split(Problem const& node) {
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

std::vector<Split> Tree::ranked_splits(Problem const& node, Fixed floor) const {
  auto const& records = shared_->records;
  double const temperature = limits(node, floor, false).last_temperature;
  std::vector<Split> splits =
      SmoothedBound(node, temperature).fractional_network(node).divided(options_.most_divided);
  // Splits tried before are expected to do as well again, new ones as well as most.
  double sum = 0, count = 1e-9;
  for (auto const& [split, record] : records) {
    sum += record.sum;
    count += record.count;
  }
  double const typical = sum / count;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t k = 0; k < splits.size(); ++k) {
    auto const known = records.find(splits[k]);
    double const expected =
        known == records.end() ? typical : known->second.sum / known->second.count;
    order.emplace_back(-expected, k);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](auto const& a, auto const& b) { return a.first < b.first; });
  std::vector<Split> ranked;
  for (auto const& entry : order) ranked.push_back(std::move(splits[entry.second]));
  return ranked;
}

Tree::Trial Tree::tried(Node const& node, Split const& split, std::size_t number, Fixed least,
                        Control& control) const {
  Problem const& problem = node.problem;
  Trial trial{side_of(problem, split, true), side_of(problem, split, false),
              WideVarSet(problem.universe->n)};
  trial.near.insert(split.variable);
  Share own(control, control.work_left());
  Ascent ascent(seed_ + 2 * node.number + 1 + number * 0x9e3779b97f4a7c15ULL, own);
  for (Problem* side : {&trial.outside, &trial.inside}) {
    if (side->bound() <= least) continue;
    AscentOptions limits_of_trial = limits(*side, least, true);
    if (problem.variables.size() > options_.large) limits_of_trial.around = &trial.near;
    ascent.run(*side, limits_of_trial);
  }
  trial.work = own.work();
  return trial;
}

void Tree::branch(NodePointer node, Step& step, Control& control, std::size_t threads) const {
  Problem const& problem = node->problem;
  auto splits = ranked_splits(problem, step.floor);
  if (splits.size() > options_.most_tried) splits.resize(options_.most_tried);
  splits.push_back(first_split(problem));
  Fixed const bound = problem.bound(), least = step.floor;
  bool const large = problem.variables.size() > options_.large;
  bool const shared = threads > 1 && steps_ > 0 && work_ / steps_ >= options_.least_shared;
  std::size_t const all = problem.candidate_count();
  std::size_t const enough =
      options_.patience * (node->depth < options_.shallow ? options_.shallow_patience : 1);
  auto const add = [&](Problem side, WideVarSet around) {
    step.open.push_back(make_node(std::move(side), node->depth + 1,
                                  large ? std::move(around) : WideVarSet(), node->bound));
    ++step.news.nodes;
  };
  std::optional<Trial> best;
  double top = -1;
  std::size_t tried_in_vain = 0;
  std::vector<Trial> trials;
  for (std::size_t first = 0; first < splits.size() && !(tried_in_vain >= enough && best);
       first += trials.size()) {
    std::size_t const sure = tried_in_vain < enough ? enough - tried_in_vain : 1;
    trials.assign(shared ? std::min({threads, sure, splits.size() - first}) : 1, {});
    parallel_for(threads, trials.size(), control, [&](std::size_t t, std::size_t) {
      trials[t] = tried(*node, splits[first + t], first + t, least, control);
    });
    for (std::size_t t = 0; t < trials.size(); ++t) {
      Trial& trial = trials[t];
      if (control.should_stop(std::min(trial.work, control.work_left()))) {
        step.open.push_back(std::move(node));
        return;
      }
      Fixed const a = trial.outside.bound(), b = trial.inside.bound();
      if (a <= least && b <= least) return;
      // A side without a better network: go on with the other, no need to branch.
      if (a <= least || b <= least) {
        Problem& other = a <= least ? trial.inside : trial.outside;
        if (other.candidate_count() < all) {
          add(std::move(other), trial.near);
          return;
        }
      }
      auto const gain = [&](Fixed side) {
        return 1e-3 + static_cast<double>(bound - std::max(side, least)) /
                          static_cast<double>(bound - least);
      };
      double const value = gain(a) * gain(b);
      step.news.trials.emplace_back(splits[first + t], value);
      ++tried_in_vain;
      if (trial.outside.candidate_count() < all && trial.inside.candidate_count() < all &&
          value > top) {
        top = value;
        best = std::move(trial);
        tried_in_vain = 0;
      }
    }
  }
  if (!best) throw InternalError("a node of the tree has nothing to branch on.");
  add(std::move(best->outside), best->near);
  add(std::move(best->inside), best->near);
}

}  // namespace bayesloom::relaxation
