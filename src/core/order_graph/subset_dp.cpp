// Dense dynamic programming over subsets [silander2006], by blocks and block layers.
//
// The members of a component are split into low ones and high ones. A block is one choice H of high
// members with all choices of low ones; block_kernel.hpp says how a block is made, at a cost that
// does not depend on the length of the candidate lists. A block needs itself and the blocks with one
// high member less, so blocks with equally many high members, a layer, are independent: threads
// share them, and a block can go as soon as all its successors are made.
//
// Two layers of blocks are far less than all: memory falls from 2^n losses to about a quarter for
// n = 31. Blocks of the last layers, from `keep_from` on, are few and are kept. The network is read off
// backwards through the kept blocks until it reaches a set U in the first kept
// layer; the rest is the same problem over U alone, at least one member smaller and mostly many.
//
// Losses are exact 64-bit integers throughout. A block all of whose losses exceed that of a known
// network is dropped. Time O(n 2^n).
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "order_graph/block_kernel.hpp"
#include "order_graph/block_pool.hpp"
#include "order_graph/by_component.hpp"
#include "order_graph/order_graph.hpp"

namespace bayesloom {

namespace {

constexpr std::uint32_t no_block = 0xffffffff;

/// How a component of n members is cut into blocks. Large blocks are read less often from memory;
/// small ones let threads share a small component.
struct Shape {
  std::size_t low, high;
  explicit Shape(std::size_t n)
      : low(n <= 12 ? n : std::clamp<std::size_t>(n - 8, 12, 16)), high(n - low) {}

  std::size_t bits() const { return std::max<std::size_t>(low, 3); }  // 8 losses at least
  std::size_t entries() const { return std::size_t{1} << bits(); }
  std::size_t blocks() const { return std::size_t{1} << high; }
  double block_bytes() const { return static_cast<double>(entries() * sizeof(Fixed)); }
  /// One full table and a half-size one per low member; those of the three lowest are full.
  double table_bytes() const { return block_bytes() * (static_cast<double>(bits() - 3) / 2 + 4); }
};

/// The most blocks that exist at once if layers below `keep_from` are given back.
std::size_t peak_blocks(Shape const& shape, std::size_t keep_from) {
  if (keep_from == 0) return shape.blocks();
  std::vector<std::uint8_t> waiting(shape.blocks());
  std::size_t live = 0, peak = 0;
  for (std::size_t layer = 0; layer <= shape.high; ++layer)
    for (std::size_t h = 0; h < shape.blocks(); ++h) {
      if (static_cast<std::size_t>(std::popcount(h)) != layer) continue;
      waiting[h] = static_cast<std::uint8_t>(shape.high - layer);
      peak = std::max(peak, ++live);
      for (std::size_t left = h; left != 0; left &= left - 1)
        if (--waiting[h & ~(left & -left)] == 0 && layer - 1 < keep_from) --live;
    }
  return peak;
}

struct Plan {
  std::size_t keep_from = 0;
  std::size_t blocks = 0;
  double bytes = 0;
};

/// Tasks start in order, so at most `threads` of them are ahead of their time, and each delays the
/// end of at most `high` blocks.
Plan plan_with(Shape const& shape, std::size_t keep_from, std::size_t threads) {
  std::size_t const slack = keep_from == 0 ? 0 : threads * (shape.high + 1);
  std::size_t const blocks = std::min(peak_blocks(shape, keep_from) + slack, shape.blocks());
  return {keep_from, blocks,
          static_cast<double>(blocks) * shape.block_bytes() +
              static_cast<double>(threads) * shape.table_bytes()};
}

/// Keeps all layers that do not raise the peak: less memory is also faster, since blocks that are
/// reused are still near.
Plan make_plan(Shape const& shape, std::size_t threads) {
  if (shape.high < 2) return plan_with(shape, 0, threads);
  Plan best = plan_with(shape, shape.high - 1, threads);
  std::size_t const least = best.blocks;
  for (std::size_t k = shape.high - 1; k-- > 1;) {
    Plan const plan = plan_with(shape, k, threads);
    if (plan.blocks > least + least / 50) break;
    best = plan;
  }
  return best;
}

/// Candidates with the same high part, for one member.
struct Group {
  std::uint64_t high;
  std::size_t begin, end;
};

class SubsetDp {
 public:
  SubsetDp(Component const& component, Fixed most, SubsetDpOptions const& options, Control& control)
      : component_(component),
        most_(most),
        options_(options),
        control_(control),
        kernel_(*block_kernel()),
        shape_(component.size()),
        plan_(make_plan(shape_, options.threads)),
        pool_(plan_.blocks, shape_.entries()),
        block_(shape_.blocks(), no_block),
        waiting_(shape_.blocks()),
        groups_(component.size()),
        candidates_(component.size()) {
    for (std::size_t x = 0; x < component.size(); ++x) group_candidates(x);
  }

  /// Makes all blocks; false if stopped.
  bool run() {
    std::vector<std::vector<std::uint64_t>> layers(shape_.high + 1);
    for (std::uint64_t h = 0; h < shape_.blocks(); ++h)
      layers[static_cast<std::size_t>(std::popcount(h))].push_back(h);
    std::vector<std::unique_ptr<Tables>> tables(options_.threads);
    for (auto const& layer : layers) {
      parallel_for(options_.threads, layer.size(), control_, [&](std::size_t task, std::size_t w) {
        if (!tables[w]) tables[w] = std::make_unique<Tables>(shape_);
        make_block(layer[task], *tables[w]);
        control_.should_stop(std::uint64_t{1} << shape_.low);
      });
      if (control_.stopped()) return false;
    }
    return true;
  }

  ComponentResult result() {
    ComponentResult out;
    out.loss = out.bound = loss(component_.all());
    out.candidates.resize(component_.size());
    Members set = component_.all();
    while (set != 0) {
      if (layer(set) <= plan_.keep_from && plan_.keep_from > 0) {
        if (!solve_rest(set, out)) out.bound = 0;
        return out;
      }
      set = step_back(set, out);
    }
    return out;
  }

 private:
  /// A worker's tables: the spare one, and those of the low members.
  struct Tables {
    explicit Tables(Shape const& shape) : pool(shape.bits() + 1, shape.entries()), of(shape.bits()) {
      for (auto& table : of) table = pool[pool.take()];
      spare = pool[pool.take()];
    }
    BlockPool pool;
    std::vector<Fixed*> of;
    Fixed* spare;
  };

  std::size_t layer(Members set) const {
    return static_cast<std::size_t>(std::popcount(set >> shape_.low));
  }

  /// Low parts of a low member of at least 3 are stored without its own bit.
  void group_candidates(std::size_t x) {
    auto list = component_.lists[x];
    auto const high = [&](MemberCandidate const& c) { return c.parents >> shape_.low; };
    std::stable_sort(list.begin(), list.end(),
                     [&](auto const& a, auto const& b) { return high(a) < high(b); });
    for (auto const& c : list) {
      auto low = static_cast<std::uint32_t>(c.parents & ((Members{1} << shape_.low) - 1));
      if (x >= 3 && x < shape_.low) {
        std::uint32_t const below = (std::uint32_t{1} << x) - 1;
        low = (low >> 1 & ~below) | (low & below);
      }
      if (groups_[x].empty() || groups_[x].back().high != high(c))
        groups_[x].push_back({high(c), candidates_[x].size(), candidates_[x].size()});
      candidates_[x].push_back({c.loss, low});
      ++groups_[x].back().end;
    }
  }

  void put_candidates(std::size_t x, std::uint64_t high, Fixed* table) const {
    std::span<LowCandidate const> const all = candidates_[x];
    for (auto const& group : groups_[x])
      if ((group.high & ~high) == 0)
        kernel_.put(table, all.subspan(group.begin, group.end - group.begin));
  }

  void make_block(std::uint64_t high, Tables& tables) {
    std::size_t const bits = shape_.bits();
    std::uint32_t const block = pool_.take();
    Fixed* const best = pool_[block];
    kernel_.clear(best, bits);
    bool reached = high == 0;
    if (reached) best[0] = 0;
    for (std::uint64_t left = high; left != 0; left &= left - 1) {
      std::uint64_t const rest = high & ~(left & -left);
      if (block_[rest] == no_block) continue;
      std::size_t const x = shape_.low + static_cast<std::size_t>(std::countr_zero(left));
      kernel_.clear(tables.spare, bits);
      put_candidates(x, rest, tables.spare);
      kernel_.close_and_place(tables.spare, best, pool_[block_[rest]], bits);
      reached = true;
    }
    if (reached) {
      for (std::size_t x = 0; x < shape_.low; ++x) {
        std::size_t const table_bits = x < 3 ? bits : bits - 1;
        kernel_.clear(tables.of[x], table_bits);
        put_candidates(x, high, tables.of[x]);
        kernel_.close(tables.of[x], table_bits);
      }
      reached = kernel_.finish(best, tables.of.data(), shape_.low, bits) <= most_;
    }
    if (reached) {
      waiting_[high].store(static_cast<std::uint8_t>(shape_.high - layer_of(high)));
      block_[high] = block;
    } else {
      pool_.give_back(block);
    }
    give_back_finished(high);
  }

  static std::size_t layer_of(std::uint64_t high) {
    return static_cast<std::size_t>(std::popcount(high));
  }

  void give_back_finished(std::uint64_t high) {
    for (std::uint64_t left = high; left != 0; left &= left - 1) {
      std::uint64_t const rest = high & ~(left & -left);
      if (block_[rest] == no_block || layer_of(rest) >= plan_.keep_from) continue;
      if (waiting_[rest].fetch_sub(1) == 1) pool_.give_back(block_[rest]);
    }
  }

  Fixed loss(Members set) const {
    std::uint32_t const block = block_[set >> shape_.low];
    return block == no_block ? no_candidate
                             : pool_[block][set & ((Members{1} << shape_.low) - 1)];
  }

  /// The first member, in order, whose placing last explains the loss of the set.
  Members step_back(Members set, ComponentResult& out) const {
    for (Members left = set; left != 0; left &= left - 1) {
      auto const x = static_cast<std::size_t>(std::countr_zero(left));
      Members const rest = set & ~(Members{1} << x);
      auto const* const candidate = best_within(component_.lists[x], rest);
      if (candidate != nullptr && loss(rest) + candidate->loss == loss(set)) {
        out.candidates[x] = candidate->index;
        return rest;
      }
    }
    throw InternalError("dp cannot explain the loss of a set it reached.");
  }

  /// The members in `set` come first in the network: they are solved as a problem of their own.
  bool solve_rest(Members set, ComponentResult& out) const {
    Component const part = subcomponent(component_, set, 0);
    SubsetDp dp(part, most_, options_, control_);
    if (!dp.run()) return false;
    auto const inner = dp.result();
    std::size_t i = 0;
    for (Members left = set; left != 0; left &= left - 1, ++i)
      out.candidates[static_cast<std::size_t>(std::countr_zero(left))] = inner.candidates[i];
    return true;
  }

  Component const& component_;
  Fixed const most_;
  SubsetDpOptions const& options_;
  Control& control_;
  BlockKernel const& kernel_;
  Shape const shape_;
  Plan const plan_;
  BlockPool pool_;
  std::vector<std::uint32_t> block_;                 // by high part; no_block if dropped
  std::vector<std::atomic<std::uint8_t>> waiting_;  // successors still to be made
  std::vector<std::vector<Group>> groups_;
  std::vector<std::vector<LowCandidate>> candidates_;
};

std::string gigabytes(double bytes) {
  auto const tenths = static_cast<long long>(std::ceil(bytes / 1e8));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

void check_memory(std::size_t n, SubsetDpOptions const& options) {
  double const need = subset_dp_bytes(n, options.threads);
  if (n <= 40 && (options.memory_bytes <= 0 || need <= options.memory_bytes)) return;
  throw ResourceError("dp works on all subsets of the " + std::to_string(n) +
                      " variables that hang together in this score cache and needs " +
                      gigabytes(need) + " of memory for them" +
                      (options.memory_bytes > 0 && need > options.memory_bytes
                           ? "; " + gigabytes(options.memory_bytes) + " are allowed."
                           : ".") +
                      " Use solver 'astar', or 'bfbnb', which works on disk.");
}

}  // namespace

double subset_dp_bytes(std::size_t n, std::size_t threads) {
  Shape const shape(n);
  if (shape.high <= 20) return make_plan(shape, threads).bytes;
  double middle = 1;  // the middle layer and some of the next
  for (std::size_t i = 1; i <= shape.high / 2; ++i)
    middle *= static_cast<double>(shape.high - i + 1) / static_cast<double>(i);
  return 1.4 * middle * shape.block_bytes();
}

SolveResult subset_dp(ScoreCache const& cache, SubsetDpOptions const& given, Control& control) {
  SubsetDpOptions options = given;
  options.threads = thread_count(given.threads);
  return solve_by_component(
      cache, {}, "dp", control, [&](Component const& component, ComponentResult const& known) {
        check_memory(component.size(), options);
        SubsetDp dp(component, known.loss, options, control);
        if (!dp.run()) return known;
        ComponentResult answer = dp.result();
        if (!control.stopped()) return answer;
        ComponentResult stopped = known;
        stopped.bound = answer.loss;  // the value is proved even if its network was not read off
        return stopped;
      });
}

}  // namespace bayesloom
