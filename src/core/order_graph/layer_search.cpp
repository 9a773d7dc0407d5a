// Breadth-first branch and bound: all sets of k members that may lead to a better network, then those of k + 1.
//
// A set U with loss g is pruned if g plus a bound for the rest reaches the loss of a known network; the bound is that
// of the pattern databases when U is generated, and the dual when it is expanded. The paper prunes only if the sum
// exceeds that loss; here equality suffices, since the known network itself is available, not just its score. Layers
// are on disk (node_layer.hpp) and all of them are kept until the end: the network is reconstructed backwards, by
// finding in each layer the set that explains the loss of the next one.
//
// If layers grow as if nothing were pruned, dense search (dense_disk.hpp) is about fifty times cheaper per set, and
// the search switches to it.
#include "order_graph/layer_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "order_graph/dense_disk.hpp"
#include "order_graph/node_layer.hpp"
#include "order_graph/tuning.hpp"
#include "subsets/pattern_database.hpp"

namespace bayesloom::order_graph {

namespace {

using tuning::chunk_nodes;
using tuning::expanded_between_looks;

double binomial(std::size_t n, std::size_t k) {
  double out = 1;
  for (std::size_t i = 1; i <= k; ++i)
    out *= static_cast<double>(n - k + i) / static_cast<double>(i);
  return out;
}

class LayerSearch {
 public:
  LayerSearch(Component const& component, ComponentResult const& known,
              dual::RemainingBound const& remaining, BfbnbOptions const& options,
              std::string directory, Scratch& scratch, Control& control)
      : component_(component),
        known_(known),
        remaining_(remaining),
        options_(options),
        directory_(std::move(directory)),
        scratch_(scratch),
        control_(control),
        patterns_(component.lists, tied_groups(component.lists, options.preparation.pattern_size),
                  control) {}

  ComponentResult run() {
    make_directory(directory_);
    if (dense_wanted()) return run_dense();
    if (!resume()) return known_;
    while (layers_.size() < component_.size()) {
      if (layers_.back().count() == 0) return proved(known_);
      auto next = expand_layer();
      if (!next) return stopped();
      next->save(scratch_, layer_path(layers_.size()));
      layers_.push_back(std::move(*next));
      if (dense_pays()) {
        scratch_.write_words(dense_path(), {1});
        for (std::size_t k = 0; k < layers_.size(); ++k) remove_layer(k);
        return run_dense();
      }
    }
    return read_off();
  }

 private:
  std::string dense_path() const { return directory_ + "/dense"; }
  std::string layer_path(std::size_t k) const { return directory_ + "/layer-" + std::to_string(k); }

  // Beginning and going on

  /// Loads the finished layers and removes what an unfinished one left; false if stopped.
  bool resume() {
    while (exists(layer_path(layers_.size()))) {
      auto layer = NodeLayer::load(scratch_, layer_path(layers_.size()), control_);
      if (!layer) return false;
      scratch_.add(layer->bytes());
      layers_.push_back(std::move(*layer));
    }
    std::string const unfinished = layer_path(layers_.size()) + "-";
    for (auto const& file : files_in(directory_))
      if (file.starts_with(directory_ + "/run-") || file.starts_with(unfinished)) remove_file(file);
    if (!layers_.empty()) return true;
    LayerBuilder builder(directory_, "layer-0", 1, options_.memory_bytes, scratch_);
    Control unlimited;  // one node: done before a limit could matter
    builder.add(0, {{}, 0}, unlimited);
    auto first = builder.finish(unlimited);
    first->bound = known_.bound;
    first->save(scratch_, layer_path(0));
    layers_.push_back(std::move(*first));
    return true;
  }

  // One layer

  struct Worker {
    explicit Worker(dual::RemainingBound const& bound) : remaining(bound), nodes(chunk_nodes) {}
    dual::RemainingBound remaining;  // it remembers, so each has its own
    std::vector<Node> nodes;
    Fixed least = no_candidate;  // of all f it made for the layer
  };

  struct Chunk {
    NodeLayer::Range const* range;
    std::uint64_t from, count;
  };

  std::optional<NodeLayer> expand_layer() {
    auto const& layer = layers_.back();
    std::vector<Chunk> chunks;
    for (auto const& range : layer.ranges)
      for (std::uint64_t at = 0; at < range.count; at += chunk_nodes)
        chunks.push_back({&range, at, std::min(chunk_nodes, range.count - at)});
    LayerBuilder builder(directory_, "layer-" + std::to_string(layers_.size()), options_.threads,
                         options_.memory_bytes, scratch_);
    workers_.resize(options_.threads);
    for (auto& worker : workers_)
      if (worker) worker->least = no_candidate;
    parallel_for(options_.threads, chunks.size(), control_, [&](std::size_t task, std::size_t w) {
      if (!workers_[w]) workers_[w] = std::make_unique<Worker>(remaining_);
      auto const& chunk = chunks[task];
      auto& worker = *workers_[w];
      ScratchFile const file(chunk.range->path, ScratchFile::Mode::read);
      file.read(worker.nodes.data(), chunk.count * sizeof(Node), chunk.from * sizeof(Node));
      for (std::size_t i = 0; i < chunk.count; ++i) {
        if (i % expanded_between_looks == 0 &&
            control_.should_stop(std::min(expanded_between_looks, chunk.count - i)))
          return;
        expand(worker.nodes[i], worker, [&](Node const& node) { builder.add(w, node, control_); });
      }
    });
    if (control_.stopped()) return std::nullopt;
    auto next = builder.finish(control_);
    if (!next) return std::nullopt;
    Fixed least = known_.loss;
    for (auto const& worker : workers_)
      if (worker) least = std::min(least, worker->least);
    next->bound = std::max(layer.bound, least);
    return next;
  }

  template <typename Add>
  void expand(Node const& node, Worker& worker, Add const& add) {
    VarSet const rest = component_.all() - node.set;
    if (node.loss - worker.remaining.of(node.set) >= known_.loss) return;
    auto const place = [&](std::size_t x, MemberCandidate const& candidate) {
      Node const next{node.set.with(x), node.loss + candidate.loss};
      Fixed const f = next.loss + patterns_(component_.all() - next.set);
      if (f >= known_.loss) return;
      worker.least = std::min(worker.least, f);
      add(next);
    };
    // A member that loses nothing goes first, and nothing else is tried.
    for (std::size_t const x : rest) {
      auto const& best = component_.lists[x].front();
      if (node.set.contains_all(best.parents)) return place(x, best);
    }
    for (std::size_t const x : rest) {
      if (auto const* const best = best_within(component_.lists[x], node.set)) place(x, *best);
    }
  }

  // The end

  /// The last layer has one set less one member each; the full set is not stored.
  ComponentResult read_off() {
    std::optional<Node> best;
    Fixed least = known_.loss;
    for (auto const& range : layers_.back().ranges) {
      ScratchFile const file(range.path, ScratchFile::Mode::read);
      for (std::uint64_t at = 0; at < range.count; ++at) {
        Node node;
        file.read(&node, sizeof node, at * sizeof node);
        auto const x = (component_.all() - node.set).lowest();
        auto const* const candidate = best_within(component_.lists[x], node.set);
        if (candidate == nullptr || node.loss + candidate->loss >= least) continue;
        least = node.loss + candidate->loss;
        best = node;
      }
    }
    if (!best) return proved(known_);
    ComponentResult out;
    out.candidates.resize(component_.size());
    out.loss = least;
    auto const last = (component_.all() - best->set).lowest();
    out.candidates[last] = best_within(component_.lists[last], best->set)->index;
    for (std::size_t k = layers_.size() - 1; k > 0; --k)
      best = step_back(*best, layers_[k - 1], out);
    return proved(out);
  }

  Node step_back(Node const& node, NodeLayer const& layer, ComponentResult& out) const {
    for (std::size_t const x : node.set) {
      VarSet const rest = node.set.without(x);
      auto const* const candidate = best_within(component_.lists[x], rest);
      if (candidate == nullptr) continue;
      auto const loss = layer.find(rest);
      if (!loss || *loss + candidate->loss != node.loss) continue;
      out.candidates[x] = candidate->index;
      return {rest, *loss};
    }
    throw InternalError("bfbnb cannot explain the loss of a set it reached.");
  }

  static ComponentResult proved(ComponentResult result) {
    result.bound = result.loss;
    return result;
  }

  ComponentResult stopped() const {
    ComponentResult out = known_;
    out.bound = std::min(known_.loss, std::max(known_.bound, layers_.back().bound));
    return out;
  }

  // Dense search

  bool dense_wanted() const {
    return options_.dense == BfbnbOptions::Dense::always ||
           (exists(dense_path()) && !scratch_.read_words(dense_path()).empty());
  }

  /// Compares the remaining work, if layers keep thinning out as they did, with dense search. The unit is a step
  /// from a set to a successor. ChangeOver has the numbers.
  bool dense_pays() const {
    std::size_t const n = component_.size(), k = layers_.size() - 1;
    if (options_.dense == BfbnbOptions::Dense::never) return false;
    ChangeOver const& numbers = options_.change_over;
    double const dense =
        std::exp2(static_cast<double>(n)) * static_cast<double>(n) / 2 / numbers.dense_advantage;
    double candidates = 0, done = 0;
    for (auto const& list : component_.lists) candidates += static_cast<double>(list.size());
    double const bounding = candidates / static_cast<double>(n) / numbers.candidates_per_step;
    auto const steps = [&](double nodes, std::size_t layer) {
      return nodes * static_cast<double>(n - layer) * (1 + bounding);
    };
    auto const count = [&](std::size_t layer) {
      return static_cast<double>(layers_[layer].count());
    };
    for (std::size_t j = 0; j <= k; ++j) done += steps(count(j), j);
    if (done < numbers.worth_a_try * dense) return false;
    double const share = count(k) / binomial(n, k);
    double const thinning = std::min(1.0, share / (count(k - 1) / binomial(n, k - 1)));
    double to_come = 0, factor = share;
    for (std::size_t j = k; j < n; ++j, factor *= thinning)
      to_come += steps(factor * binomial(n, j), j);
    if (to_come < dense) return false;
    auto const need = dense_disk_bytes(n, options_.threads, options_.memory_bytes);
    return need && *need < free_bytes(directory_) + scratch_.now();
  }

  void remove_layer(std::size_t k) {
    remove_file(layer_path(k));
    for (auto const& range : layers_[k].ranges) remove_file(range.path);
    scratch_.remove(layers_[k].bytes());
  }

  ComponentResult run_dense() {
    SubsetDpOptions const dense{options_.threads, options_.memory_bytes};
    auto const answer = solve_dense_on_disk(component_, known_.loss - 1, &patterns_, dense,
                                            directory_ + "/pieces", scratch_, control_);
    if (!answer) return known_;
    if (answer->loss >= known_.loss) return proved(known_);
    ComponentResult out = known_;
    out.bound = answer->loss;
    if (!answer->candidates.empty()) {
      out.candidates = answer->candidates;
      out.loss = answer->loss;
    }
    return out;
  }

  Component const& component_;
  ComponentResult const& known_;
  dual::RemainingBound const& remaining_;
  BfbnbOptions const& options_;
  std::string const directory_;
  Scratch& scratch_;
  Control& control_;
  PatternDatabase const patterns_;
  std::vector<NodeLayer> layers_;
  std::vector<std::unique_ptr<Worker>> workers_;  // what they remember of bounds serves all layers
};

}  // namespace

ComponentResult search_layers(Component const& component, ComponentResult const& known,
                              dual::RemainingBound const& remaining, BfbnbOptions const& options,
                              std::string const& directory, Scratch& scratch, Control& control) {
  return LayerSearch(component, known, remaining, options, directory, scratch, control).run();
}

}  // namespace bayesloom::order_graph
