// One layer of the order graph on disk: sorted nodes in files, and how a new layer is made.
//
// A node is a set of placed members and the least loss of placing them. Nodes of a new layer are generated in any
// order and many times. Each thread collects them in its own table, which keeps the least loss per set. A full table
// is written as a sorted run; if none was full, the sorted tables are the runs. When all nodes are generated, the
// runs are merged and equal sets are joined: delayed duplicate detection [korf2008]. Threads share the sorting by
// tables and the merge by ranges of sets; each range becomes one file. A layer need not fit in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/control.hpp"
#include "order_graph/scratch.hpp"
#include "subsets/components.hpp"

namespace bayesloom::order_graph {

using namespace subsets;

struct Node {
  VarSet set;
  Fixed loss;
};

/// A finished layer. Ranges are ascending and do not overlap.
struct NodeLayer {
  struct Range {
    std::string path;
    std::uint64_t count, first_set, checksum;
  };
  std::vector<Range> ranges;
  Fixed bound = 0;  ///< no path through this layer loses less

  std::uint64_t count() const;
  double bytes() const { return static_cast<double>(count()) * sizeof(Node); }

  /// The loss of a set, if the layer has it. Reads O(log count) nodes.
  std::optional<Fixed> find(VarSet set) const;

  /// Writes the list of files last, so that a layer is there as a whole or not at all.
  void save(Scratch const& scratch, std::string const& path) const;
  /// Reads the list and checks every file against its checksum; nothing if stopped.
  static std::optional<NodeLayer> load(Scratch const& scratch, std::string const& path,
                                       Control& control);
};

/// A table from sets to losses that grows up to a limit.
class NodeTable {
 public:
  /// Takes memory for at most `capacity` nodes, also while it grows.
  explicit NodeTable(std::size_t capacity);
  /// False if it is full.
  bool put(Node const& node);
  /// The nodes sorted by set; the table must be cleared before it is used again. Polls `control`,
  /// and sorts to the end even if it says stop.
  std::span<Node const> sorted(Control& control);
  void clear();
  bool empty() const { return count_ == 0; }

 private:
  bool grow();
  std::vector<Node> slots_;
  std::size_t const capacity_;
  std::size_t count_ = 0;
};

class LayerBuilder {
 public:
  /// Files are named after `prefix`, which ends in the layer's number.
  LayerBuilder(std::string directory, std::string prefix, std::size_t threads, double memory_bytes,
               Scratch& scratch);

  /// Adds a node from a worker. Writes a run when the worker's table is full.
  void add(std::size_t worker, Node const& node, Control& control);

  /// Merges all runs; nothing if stopped.
  std::optional<NodeLayer> finish(Control& control);

 private:
  struct Run {
    std::string path;
    std::uint64_t count;
    std::span<Node const> nodes;  ///< in memory, if there is no file
    Node at(std::uint64_t i) const;
    /// The place of the first node whose set is at least this.
    std::uint64_t lower_bound(VarSet set) const;
  };
  void write_run(std::size_t worker, Control& control);
  void sort_tables(Control& control);
  Run merge_runs(std::vector<Run> const& runs, Control& control);
  std::vector<VarSet> range_starts() const;

  std::string const directory_, prefix_;
  std::size_t const threads_;
  double const memory_bytes_;
  Scratch& scratch_;
  std::vector<NodeTable> tables_;
  std::mutex mutex_;
  std::vector<Run> runs_;
  std::size_t next_run_ = 0;
};

}  // namespace bayesloom::order_graph
