#include "order_graph/dense_disk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "base/checksum.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "subsets/block_maker.hpp"
#include "subsets/block_plan.hpp"

namespace bayesloom::order_graph {

namespace {

constexpr std::size_t most_members = 44;

/// The fewest top members with which a piece fits in memory; nothing if not even a block does.
std::optional<std::size_t> top_members(BlockShape const& shape, std::size_t threads,
                                       double memory) {
  double const own = static_cast<double>(threads) *
                     (shape.table_bytes() + static_cast<double>(shape.block_bytes()));
  for (std::size_t top = 0; top <= shape.high; ++top)
    if (std::exp2(static_cast<double>(shape.high - top)) *
                static_cast<double>(shape.block_bytes()) +
            own <=
        memory)
      return top;
  return std::nullopt;
}

std::uint64_t checksum_of(void const* data, std::size_t bytes) {
  Xxh64 sum;
  sum.update(data, bytes);
  return sum.digest() | 1;  // 0 stands for a block in which nothing matters
}

/// Holds how many members are on top: it decides what a piece is.
std::string plan_path(std::string const& directory) { return directory + "/top"; }

/// The number of top members to go on with. What was begun with less memory has smaller pieces and
/// goes on as it began; larger pieces would not fit.
std::size_t agreed_top(std::size_t top, std::string const& directory, Scratch const& scratch) {
  if (!exists(plan_path(directory))) return top;
  std::size_t const begun = scratch.read_words(plan_path(directory)).at(0);
  if (begun < top)
    throw InputError("the search in " + directory +
                     " was begun with more memory; resume it with as much, or begin anew.");
  return begun;
}

class DenseDisk {
 public:
  DenseDisk(Component const& component, Fixed most, PatternDatabase const* patterns,
            SubsetDpOptions const& options, std::size_t top, std::string directory,
            Scratch& scratch, Control& control)
      : component_(component),
        most_(most),
        patterns_(patterns),
        options_(options),
        directory_(std::move(directory)),
        scratch_(scratch),
        control_(control),
        maker_(component, BlockShape(component.size())),
        shape_(maker_.shape()),
        top_(top),
        middle_(shape_.high - top),
        plan_(plan_blocks(top, 0)),
        pieces_(std::size_t{1} << top) {}

  /// Makes all pieces; false if stopped.
  bool run() {
    make_directory(directory_);
    scratch_.write_words(plan_path(directory_), {top_});
    for (std::uint64_t p = 0; p < pieces_.size(); ++p) {
      if (exists(sums_path(p))) {
        pieces_[p].sums = scratch_.read_words(sums_path(p));
        if (exists(path(p))) scratch_.add(piece_bytes());
      } else {
        remove_file(path(p));
      }
    }
    check_space();
    BlockPool memory(std::size_t{1} << middle_, shape_.entries());
    memory_ = &memory;
    for (std::size_t b = 0; b < std::size_t{1} << middle_; ++b) memory.take();
    std::vector<std::unique_ptr<Worker>> workers(options_.threads);
    for (auto const& layer : block_layers(top_))
      for (auto const piece : layer) {
        if (pieces_[piece].sums.empty() && !make_piece(piece, workers)) return false;
        remove_finished(piece);
      }
    memory_ = nullptr;
    return true;
  }

  DenseResult answer() {
    DenseResult out;
    out.loss = loss(component_.all());
    out.candidates.resize(component_.size());
    if (out.loss > most_) return out;
    VarSet set = component_.all();
    while (!set.empty()) {
      if (plan_.keep_from > 0 && layer_of(set.bits() >> piece_bits()) <= plan_.keep_from) {
        out.adopt(set, solve_dense_on_disk(subcomponent(component_, set, {}), loss(set), nullptr,
                                           options_, directory_ + "/rest", scratch_, control_));
        return out;
      }
      set = step_back(set, out);
    }
    return out;
  }

 private:
  struct Piece {
    std::vector<std::uint64_t> sums;  // of its blocks; empty until it is finished
  };
  struct Worker {
    explicit Worker(BlockShape const& shape) : tables(shape), pool(1, shape.entries()) {
      before = pool[pool.take()];
    }
    BlockMaker::Tables tables;
    BlockPool pool;
    Fixed* before;
  };

  static std::size_t layer_of(std::uint64_t set) {
    return static_cast<std::size_t>(std::popcount(set));
  }
  std::size_t piece_bits() const { return shape_.low + middle_; }
  double piece_bytes() const {
    return std::exp2(static_cast<double>(middle_)) * static_cast<double>(shape_.block_bytes());
  }
  std::string path(std::uint64_t piece) const {
    return directory_ + "/piece-" + std::to_string(piece);
  }
  std::string sums_path(std::uint64_t piece) const { return path(piece) + ".sums"; }

  void check_space() const {
    double const need = static_cast<double>(plan_.blocks) * piece_bytes() - scratch_.now();
    need_disk(directory_, need,
              "dense search over " + std::to_string(component_.size()) + " variables");
  }

  bool make_piece(std::uint64_t piece, std::vector<std::unique_ptr<Worker>>& workers) {
    std::vector<std::uint64_t> sums(std::size_t{1} << middle_, 0);
    std::vector<std::pair<std::uint64_t, ScratchFile>> sources;
    for (std::uint64_t left = piece; left != 0; left &= left - 1) {
      std::uint64_t const rest = piece & ~(left & -left);
      sources.emplace_back(rest, ScratchFile(path(rest), ScratchFile::Mode::read));
    }
    scratch_.add(piece_bytes());
    {
      ScratchFile const file(path(piece), ScratchFile::Mode::write);
      for (auto const& layer : block_layers(middle_)) {
        parallel_for(options_.threads, layer.size(), control_,
                     [&](std::size_t task, std::size_t w) {
                       if (!workers[w]) workers[w] = std::make_unique<Worker>(shape_);
                       make_block(piece, layer[task], sums, sources, file, *workers[w]);
                       control_.should_stop(std::uint64_t{1} << shape_.low);
                     });
        if (control_.stopped()) return false;
      }
      file.sync();
    }
    scratch_.write_words(sums_path(piece), sums);
    pieces_[piece].sums = std::move(sums);
    return true;
  }

  void make_block(std::uint64_t piece, std::uint64_t block, std::vector<std::uint64_t>& sums,
                  std::vector<std::pair<std::uint64_t, ScratchFile>> const& sources,
                  ScratchFile const& file, Worker& worker) {
    std::uint64_t const high = piece << middle_ | block;
    Fixed* const best = (*memory_)[static_cast<std::uint32_t>(block)];
    std::size_t const bytes = shape_.block_bytes();
    auto const before = [&](std::uint64_t rest) -> Fixed const* {
      std::uint64_t const from = rest >> middle_;
      std::uint64_t const at = rest & ((std::uint64_t{1} << middle_) - 1);
      if (from == piece)
        return sums[at] == 0 ? nullptr : (*memory_)[static_cast<std::uint32_t>(at)];
      if (pieces_[from].sums[at] == 0) return nullptr;
      for (auto const& [number, source] : sources)
        if (number == from) source.read(worker.before, bytes, at * bytes);
      if (checksum_of(worker.before, bytes) != pieces_[from].sums[at])
        throw InputError(path(from) + " is damaged; remove its directory and begin anew.");
      return worker.before;
    };
    Fixed least = maker_.make(high, best, worker.tables, before);
    if (patterns_ != nullptr && least < no_candidate)
      least +=
          (*patterns_)(component_.all() - VarSet(high << shape_.low) - VarSet::first(shape_.low));
    if (least > most_) return;
    sums[block] = checksum_of(best, bytes);
    file.write(best, bytes, block * bytes);
    file.begin_sync(bytes, block * bytes);
  }

  /// Removes the pieces that `piece` was the last to need.
  void remove_finished(std::uint64_t piece) {
    for (std::uint64_t left = piece; left != 0; left &= left - 1) {
      std::uint64_t const rest = piece & ~(left & -left);
      if (layer_of(rest) >= plan_.keep_from) continue;
      bool needed = false;
      for (std::uint64_t other = (pieces_.size() - 1) & ~rest; other != 0; other &= other - 1)
        needed = needed || pieces_[rest | (other & -other)].sums.empty();
      if (needed || !exists(path(rest))) continue;
      remove_file(path(rest));
      scratch_.remove(piece_bytes());
    }
  }

  Fixed loss(VarSet set) const {
    std::uint64_t const piece = set.bits() >> piece_bits();
    std::uint64_t const block = set.bits() >> shape_.low & ((std::uint64_t{1} << middle_) - 1);
    if (pieces_[piece].sums[block] == 0) return no_candidate;
    std::uint64_t const at = set.bits() & ((std::uint64_t{1} << piece_bits()) - 1);
    ScratchFile const file(path(piece), ScratchFile::Mode::read);
    if (verified_.insert({piece, block}).second) {  // a piece may be older than this run
      std::vector<Fixed> content(shape_.entries());
      file.read(content.data(), shape_.block_bytes(), block * shape_.block_bytes());
      if (checksum_of(content.data(), shape_.block_bytes()) != pieces_[piece].sums[block])
        throw InputError(file.path() + " is damaged; remove its directory and begin anew.");
    }
    Fixed value;
    file.read(&value, sizeof value, at * sizeof value);
    return value;
  }

  VarSet step_back(VarSet set, DenseResult& out) const {
    Fixed const here = loss(set);
    for (std::size_t const x : set) {
      VarSet const rest = set.without(x);
      auto const* const candidate = best_within(component_.lists[x], rest);
      if (candidate != nullptr && loss(rest) + candidate->loss == here) {
        out.candidates[x] = candidate->index;
        return rest;
      }
    }
    throw InternalError("dense search on disk cannot explain the loss of a set it reached.");
  }

  Component const& component_;
  Fixed const most_;
  PatternDatabase const* const patterns_;
  SubsetDpOptions const& options_;
  std::string const directory_;
  Scratch& scratch_;
  Control& control_;
  BlockMaker const maker_;
  BlockShape const shape_;
  std::size_t const top_, middle_;
  BlockPlan const plan_;
  BlockPool* memory_ = nullptr;
  std::vector<Piece> pieces_;
  mutable std::set<std::pair<std::uint64_t, std::uint64_t>> verified_;  // blocks, when read off
};

}  // namespace

std::optional<double> dense_disk_bytes(std::size_t n, std::size_t threads, double memory_bytes) {
  if (n > most_members) return std::nullopt;
  if (memory_bytes <= 0 || subset_dp_bytes(n, threads) <= memory_bytes) return 0;
  BlockShape const shape(n);
  auto const top = top_members(shape, threads, memory_bytes);
  if (!top) return std::nullopt;
  return static_cast<double>(plan_blocks(*top, 0).blocks) *
         std::exp2(static_cast<double>(shape.high - *top)) *
         static_cast<double>(shape.block_bytes());
}

std::optional<DenseResult> solve_dense_on_disk(Component const& component, Fixed most,
                                               PatternDatabase const* patterns,
                                               SubsetDpOptions const& options,
                                               std::string const& directory, Scratch& scratch,
                                               Control& control) {
  std::size_t const n = component.size();
  if (options.memory_bytes <= 0 || subset_dp_bytes(n, options.threads) <= options.memory_bytes)
    return solve_dense(component, most, options, control);
  auto const top = top_members(BlockShape(n), options.threads, options.memory_bytes);
  if (!top || n > most_members)
    throw ResourceError("dense search on disk over " + std::to_string(n) +
                        " variables needs more than " + size_text(options.memory_bytes) +
                        " of memory.");
  DenseDisk dense(component, most, patterns, options, agreed_top(*top, directory, scratch),
                  directory, scratch, control);
  if (!dense.run()) return std::nullopt;
  return dense.answer();
}

}  // namespace bayesloom::order_graph
