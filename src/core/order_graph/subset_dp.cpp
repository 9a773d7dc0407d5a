// Dense dynamic programming over subsets [silander2006], by blocks and block layers.
//
// block_maker.hpp says what a block is and block_plan.hpp which blocks are held: at n = 31 about a
// quarter of all. Blocks of a layer are independent: threads share them. Losses are exact 64-bit
// integers throughout. A block all of whose losses exceed that of a known network is dropped.
// Time O(n 2^n).
#include "order_graph/subset_dp.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <string>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "order_graph/scratch.hpp"
#include "subsets/block_maker.hpp"
#include "subsets/block_plan.hpp"
#include "subsets/block_pool.hpp"

namespace bayesloom::order_graph {

namespace {

constexpr std::uint32_t no_block = 0xffffffff;

std::size_t layer_of(std::uint64_t high) { return static_cast<std::size_t>(std::popcount(high)); }

class SubsetDp {
 public:
  SubsetDp(Component const& component, Fixed most, SubsetDpOptions const& options, Control& control)
      : component_(component),
        most_(most),
        options_(options),
        control_(control),
        maker_(component, BlockShape(component)),
        shape_(maker_.shape()),
        plan_(plan_blocks(shape_.high, options.threads)),
        pool_(plan_.blocks, shape_.entries()),
        block_(shape_.blocks(), no_block),
        waiting_(shape_.blocks()) {}

  /// Makes all blocks; false if stopped.
  bool run() {
    std::vector<std::unique_ptr<BlockMaker::Tables>> tables(options_.threads);
    for (auto const& layer : block_layers(shape_.high)) {
      parallel_for(options_.threads, layer.size(), control_, [&](std::size_t task, std::size_t w) {
        if (!tables[w]) tables[w] = std::make_unique<BlockMaker::Tables>(shape_);
        make_block(layer[task], *tables[w]);
        control_.should_stop(std::uint64_t{1} << shape_.low);
      });
      if (control_.stopped()) return false;
    }
    return true;
  }

  DenseResult answer() const {
    DenseResult out;
    out.loss = loss(component_.all());
    out.candidates.resize(component_.size());
    if (out.loss > most_) return out;
    VarSet set = component_.all();
    while (!set.empty()) {
      if (plan_.keep_from > 0 && layer_of(set.bits() >> shape_.low) <= plan_.keep_from) {
        out.adopt(set,
                  solve_dense(subcomponent(component_, set, {}), loss(set), options_, control_));
        return out;
      }
      set = step_back(set, out);
    }
    return out;
  }

 private:
  void make_block(std::uint64_t high, BlockMaker::Tables& tables) {
    std::uint32_t const block = pool_.take();
    Fixed const least =
        maker_.make(high, pool_[block], tables, [&](std::uint64_t rest) -> Fixed const* {
          return block_[rest] == no_block ? nullptr : pool_[block_[rest]];
        });
    if (least <= most_) {
      waiting_[high].store(static_cast<std::uint8_t>(shape_.high - layer_of(high)));
      block_[high] = block;
    } else {
      pool_.give_back(block);
    }
    for (std::uint64_t left = high; left != 0; left &= left - 1) {
      std::uint64_t const rest = high & ~(left & -left);
      if (block_[rest] == no_block || layer_of(rest) >= plan_.keep_from) continue;
      if (waiting_[rest].fetch_sub(1) == 1) pool_.give_back(block_[rest]);
    }
  }

  Fixed loss(VarSet set) const {
    std::uint32_t const block = block_[set.bits() >> shape_.low];
    return block == no_block ? no_candidate
                             : pool_[block][(set & VarSet::first(shape_.low)).bits()];
  }

  /// The first member, in order, whose placing last explains the loss of the set.
  VarSet step_back(VarSet set, DenseResult& out) const {
    for (std::size_t const x : set) {
      VarSet const rest = set.without(x);
      auto const* const candidate = best_within(component_.lists[x], rest);
      if (candidate != nullptr && loss(rest) + candidate->loss == loss(set)) {
        out.candidates[x] = candidate->index;
        return rest;
      }
    }
    throw InternalError("dp cannot explain the loss of a set it reached.");
  }

  Component const& component_;
  Fixed const most_;
  SubsetDpOptions const& options_;
  Control& control_;
  BlockMaker const maker_;
  BlockShape const shape_;
  BlockPlan const plan_;
  BlockPool pool_;
  std::vector<std::uint32_t> block_;                // by high part; no_block if dropped
  std::vector<std::atomic<std::uint8_t>> waiting_;  // successors still to be made
};

void check_memory(std::size_t n, SubsetDpOptions const& options) {
  double const need = subset_dp_bytes(n, options.threads);
  if (n <= 40 && (options.memory_bytes <= 0 || need <= options.memory_bytes)) return;
  throw ResourceError("dp works on all subsets of the " + std::to_string(n) +
                      " variables of a component of this score cache and needs " + size_text(need) +
                      " of memory for them" +
                      (options.memory_bytes > 0 && need > options.memory_bytes
                           ? "; " + size_text(options.memory_bytes) + " are allowed."
                           : ".") +
                      " Use solver 'astar', or 'bfbnb', which works on disk.");
}

}  // namespace

void DenseResult::adopt(VarSet set, std::optional<DenseResult> const& inner) {
  if (!inner || inner->candidates.empty()) return candidates.clear();
  std::size_t i = 0;
  for (std::size_t const x : set) candidates[x] = inner->candidates[i++];
}

std::optional<DenseResult> solve_dense(Component const& component, Fixed most,
                                       SubsetDpOptions const& options, Control& control) {
  SubsetDp dp(component, most, options, control);
  if (!dp.run()) return std::nullopt;
  return dp.answer();
}

}  // namespace bayesloom::order_graph

namespace bayesloom {

using namespace order_graph;

double subset_dp_bytes(std::size_t n, std::size_t threads) {
  BlockShape const shape(n);
  auto const block = static_cast<double>(shape.block_bytes());
  double const tables = static_cast<double>(threads) * shape.table_bytes();
  if (shape.high <= 20)
    return static_cast<double>(plan_blocks(shape.high, threads).blocks) * block + tables;
  double middle = 1;  // the middle layer and some of the next
  for (std::size_t i = 1; i <= shape.high / 2; ++i)
    middle *= static_cast<double>(shape.high - i + 1) / static_cast<double>(i);
  return 1.4 * middle * block + tables;
}

SolveResult subset_dp(ScoreCache const& cache, SubsetDpOptions const& given, Control& control) {
  SubsetDpOptions options = given;
  options.threads = thread_count(given.threads);
  return solve_by_component(cache, options.start, "dp", control,
                            [&](Component const& component, ComponentResult const& known) {
                              check_memory(component.size(), options);
                              ComponentResult result = known;
                              auto const answer =
                                  solve_dense(component, known.loss, options, control);
                              if (!answer) return result;
                              result.bound = answer->loss;
                              if (!answer->candidates.empty()) {
                                result.candidates = answer->candidates;
                                result.loss = answer->loss;
                              }
                              return result;
                            });
}

}  // namespace bayesloom
