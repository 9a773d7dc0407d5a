#include "relaxation/cut_proof.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "dual/given_prices.hpp"
#include "dual/simple_bound.hpp"
#include "relaxation/relaxation.hpp"

namespace bayesloom {

using namespace relaxation;

namespace {

/// Writes rules when they are first used, and the records of a tree.
class Writer {
 public:
  using Prices = std::map<std::size_t, Fixed>;  // by rule

  explicit Writer(int finer) : unit_(Fixed{1} << finer) {}

  void prices_of(std::vector<Cluster> const& clusters, Prices& out) {
    out.clear();
    for (auto const& cluster : clusters)
      if (cluster.price > 0) out[number(cluster)] += cluster.price * unit_;
  }

  /// Writes a record with the prices that differ from `before`.
  void record(char const* kind, Prices const& prices, Prices const& before) {
    std::string line = kind;
    auto const put = [&](std::size_t rule, Fixed price) {
      line += ' ' + std::to_string(rule) + ':' + std::to_string(price);
    };
    for (auto const& [rule, price] : before)
      if (!prices.contains(rule)) put(rule, 0);
    for (auto const& [rule, price] : prices) {
      auto const known = before.find(rule);
      if (known == before.end() || known->second != price) put(rule, price);
    }
    text += line + '\n';
  }

  /// Whether the tree from this node on is whole.
  bool tree(std::vector<ProofNode> const& nodes, std::size_t at, Prices before, bool sets) {
    ProofNode const& node = nodes[at];
    for (auto const& fix : node.fixes) {
      Prices now = of(fix);
      record("fix", now, before);
      before = std::move(now);
    }
    switch (node.end) {
      case ProofNode::End::leaf:
        record("leaf", of(node.last), before);
        return true;
      case ProofNode::End::sets:
        if (!sets) return false;
        record("sets", of(node.last), before);
        return true;
      case ProofNode::End::split:
        text += "in " + std::to_string(node.child) + ' ' + std::to_string(node.parent) + '\n';
        return tree(nodes, node.with, before, sets) && tree(nodes, node.without, before, sets);
      case ProofNode::End::open:
        break;
    }
    return false;
  }

  std::string text;

 private:
  Prices of(PriceList const& list) {
    Prices out;
    for (auto const& [rule, price] : list)
      out[rule.cluster ? number(*rule.cluster) : number(rule.cut)] += price;
    return out;
  }

  std::size_t number(Cluster const& cluster) {
    std::string line = (cluster.plain() ? "cluster " : "four ") + std::to_string(cluster.need);
    for (std::size_t const v : cluster.members) line += ' ' + std::to_string(v);
    if (!cluster.plain()) {
      line += " /";
      for (auto const block : cluster.blocks) line += ' ' + std::to_string(unsigned{block});
    }
    auto const [at, fresh] = clusters_.emplace(line, count_);
    if (fresh) put(line);
    return at->second;
  }

  std::size_t number(std::shared_ptr<CutRule const> const& cut) {
    if (auto const at = cuts_.find(cut.get()); at != cuts_.end()) return at->second;
    std::string line = "cut 2";
    for (auto const& cluster : cut->clusters) line += ' ' + std::to_string(number(cluster));
    for (auto const& part : cut->cuts) line += ' ' + std::to_string(number(part));
    line += " /";
    // The least weight of a variable goes from both sides: twice that from what is halved.
    std::map<Index, std::int64_t> added;
    for (Index const i : cut->halved) added[i] += 1;
    for (auto const& [i, least] : cut->taken) added[i] -= 2 * least;
    for (auto const& [i, by] : added)
      if (by != 0) line += ' ' + std::to_string(i) + ':' + std::to_string(by);
    cuts_.emplace(cut.get(), count_);
    put(line);
    return count_ - 1;
  }

  void put(std::string const& line) {
    text += line + '\n';
    ++count_;
  }

  Fixed const unit_;  // in parts of a unit
  std::size_t count_ = 0;
  std::unordered_map<std::string, std::size_t> clusters_;
  std::unordered_map<CutRule const*, std::size_t> cuts_;
};

/// How many bits beyond units leave room for the checker's sums.
int finer_for(ScoreCache const& cache, std::span<std::vector<Cluster> const> lists) {
  double largest = 1, losses = 0;
  for (Variable v = 0; v < cache.variable_count(); ++v) {
    double loss = 0;
    for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
      auto const score = static_cast<double>(cache.score(c));
      largest = std::max(largest, std::abs(score));
      loss = std::max(loss, static_cast<double>(cache.score(cache.begin(v))) - score);
    }
    losses += loss;
  }
  double priced = 0;
  for (auto const& list : lists) {
    double sum = 0;
    for (auto const& cluster : list) sum += static_cast<double>(cluster.price);
    priced = std::max(priced, sum);
  }
  // CutRows wants no more than this either.
  int const room = 56 - static_cast<int>(std::ceil(std::log2(largest + losses + priced)));
  return std::clamp(room, 0, most_finer);
}

}  // namespace

CutProof cut_proof(ScoreCache const& cache, Fixed known,
                   std::span<std::vector<Cluster> const> lists, std::uint64_t seed,
                   CutTreeOptions const& options, LinearProgram& program, Control& control) {
  Universe const universe(cache);
  Fixed const trivial = simple_bound(cache), floor = known - trivial;
  auto const root = priced_problem(cache, universe, known, lists).problem;
  int const extra_bits = finer_for(cache, lists);
  Writer writer(extra_bits);
  Writer::Prices before, now;
  writer.text = "fix\n";  // by losses alone
  for (auto const& list : lists) {
    writer.prices_of(list, now);
    writer.record("fix", now, before);
    before = now;
  }
  CutProof out;
  out.finer = extra_bits;
  if (root.infeasible() || root.bound() <= floor) {
    out.bound = known;
    out.body = writer.text + "leaf\n";
    return out;
  }
  CutTree tree(root, floor, seed, options, program, BblpOptions{}.memory_bytes, {}, extra_bits);
  tree.run(control);
  auto const result = tree.result();
  out.bound = result.bound + trivial;
  out.found = result.found;
  out.nodes = tree.nodes();
  out.cuts = tree.cuts();
  if (out.found) {
    out.score = result.value + trivial;
    out.candidates.resize(cache.variable_count());
    for (auto const& [variable, candidate] : result.choice) out.candidates[variable] = candidate;
  } else if (tree.done() &&
             writer.tree(tree.proof(), 0, before, cache.variable_count() <= VarSet::capacity)) {
    out.body = std::move(writer.text);
  }
  return out;
}

}  // namespace bayesloom
