#include "order_graph/node_layer.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <queue>
#include <span>
#include <utility>

#include "base/checksum.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "order_graph/tuning.hpp"

namespace bayesloom::order_graph {

namespace {

constexpr std::uint64_t node_bytes = sizeof(Node);
constexpr VarSet no_set = VarSet::full();  // never a node: all of 64 is the end

/// Of a file's buffer, where there is room for so many.
std::size_t buffer_nodes(double room) {
  return static_cast<std::size_t>(std::clamp(room, tuning::least_buffer, tuning::most_buffer));
}

/// Goes through sorted nodes: those in memory, or from..to-1 of a file, a buffer at a time.
class NodeReader {
 public:
  explicit NodeReader(std::span<Node const> nodes) : view_(nodes) {}
  NodeReader(std::string const& path, std::uint64_t from, std::uint64_t to, std::size_t buffer)
      : file_(std::in_place, path, ScratchFile::Mode::read),
        next_(from),
        end_(to),
        buffer_(buffer) {
    refill();
  }
  bool done() const { return at_ == view_.size(); }
  Node const& current() const { return view_[at_]; }
  void advance() {
    if (++at_ == view_.size() && file_) refill();
  }

 private:
  void refill() {
    at_ = 0;
    auto const filled =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), end_ - next_));
    if (filled > 0) file_->read(buffer_.data(), filled * node_bytes, next_ * node_bytes);
    view_ = std::span<Node const>(buffer_).first(filled);
    next_ += filled;
  }
  std::optional<ScratchFile> file_;
  std::uint64_t next_ = 0, end_ = 0;
  std::vector<Node> buffer_;
  std::span<Node const> view_;
  std::size_t at_ = 0;
};

class NodeWriter {
 public:
  NodeWriter(std::string const& path, std::size_t buffer)
      : file_(path, ScratchFile::Mode::write), most_(buffer) {
    buffer_.reserve(buffer);
  }
  void put(Node const& node) {
    buffer_.push_back(node);
    if (buffer_.size() == most_) flush();
  }
  void finish() {
    flush();
    file_.sync();
  }
  std::uint64_t count() const { return count_; }
  std::uint64_t checksum() const { return sum_.digest(); }

 private:
  void flush() {
    file_.write(buffer_.data(), buffer_.size() * node_bytes, count_ * node_bytes);
    sum_.update(buffer_.data(), buffer_.size() * node_bytes);
    count_ += buffer_.size();
    buffer_.clear();
  }
  ScratchFile file_;
  std::size_t const most_;
  std::vector<Node> buffer_;
  std::uint64_t count_ = 0;
  Xxh64 sum_;
};

/// The place of the first node of a sorted file whose set is at least this.
std::uint64_t lower_bound_in(ScratchFile const& file, std::uint64_t count, VarSet set) {
  std::uint64_t low = 0;
  while (count > 0) {
    std::uint64_t const half = count / 2;
    Node node;
    file.read(&node, node_bytes, (low + half) * node_bytes);
    if (node.set < set) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low;
}

/// Sorts nodes whose sets agree from bit `bits` on: halves by the highest bit until they are small,
/// so that control is polled often enough.
void sort_nodes(std::span<Node> nodes, unsigned bits, Control& control) {
  if (nodes.size() <= tuning::sorted_at_once || bits == 0) {
    std::sort(nodes.begin(), nodes.end(),
              [](Node const& a, Node const& b) { return a.set < b.set; });
    control.should_stop(0);
    return;
  }
  auto const middle = std::partition(
      nodes.begin(), nodes.end(), [&](Node const& node) { return !node.set.contains(bits - 1); });
  auto const low = static_cast<std::size_t>(middle - nodes.begin());
  sort_nodes(nodes.first(low), bits - 1, control);
  sort_nodes(nodes.subspan(low), bits - 1, control);
}

/// Merges the readers into the writer and joins equal sets; false if stopped.
bool merge(std::vector<std::unique_ptr<NodeReader>>& readers, NodeWriter& writer,
           Control& control) {
  auto const later = [&](std::size_t a, std::size_t b) {
    return readers[a]->current().set > readers[b]->current().set;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> heads(later);
  for (std::size_t r = 0; r < readers.size(); ++r)
    if (!readers[r]->done()) heads.push(r);
  std::uint64_t merged = 0;
  while (!heads.empty()) {
    Node node = readers[heads.top()]->current();
    while (!heads.empty() && readers[heads.top()]->current().set == node.set) {
      std::size_t const r = heads.top();
      heads.pop();
      node.loss = std::min(node.loss, readers[r]->current().loss);
      readers[r]->advance();
      if (!readers[r]->done()) heads.push(r);
    }
    writer.put(node);
    if (++merged % tuning::merged_between_looks == 0 && control.should_stop(0)) return false;
  }
  writer.finish();
  return true;
}

}  // namespace

std::uint64_t NodeLayer::count() const {
  return std::accumulate(ranges.begin(), ranges.end(), std::uint64_t{0},
                         [](std::uint64_t sum, Range const& range) { return sum + range.count; });
}

std::optional<Fixed> NodeLayer::find(VarSet set) const {
  auto const after =
      std::upper_bound(ranges.begin(), ranges.end(), set,
                       [](VarSet s, Range const& range) { return s.bits() < range.first_set; });
  if (after == ranges.begin()) return std::nullopt;
  auto const& range = *std::prev(after);
  ScratchFile const file(range.path, ScratchFile::Mode::read);
  std::uint64_t const at = lower_bound_in(file, range.count, set);
  if (at == range.count) return std::nullopt;
  Node node;
  file.read(&node, node_bytes, at * node_bytes);
  if (node.set != set) return std::nullopt;
  return node.loss;
}

void NodeLayer::save(Scratch const& scratch, std::string const& path) const {
  std::vector<std::uint64_t> words{static_cast<std::uint64_t>(bound), ranges.size()};
  for (auto const& range : ranges) {
    words.insert(words.end(), {range.count, range.first_set, range.checksum});
  }
  scratch.write_words(path, std::move(words));
}

std::optional<NodeLayer> NodeLayer::load(Scratch const& scratch, std::string const& path,
                                         Control& control) {
  auto const words = scratch.read_words(path);
  NodeLayer layer;
  layer.bound = static_cast<Fixed>(words[0]);
  for (std::size_t r = 0; r < words[1]; ++r) {
    std::string const file = path + "-" + std::to_string(r);
    std::uint64_t const* const w = words.data() + 2 + 3 * r;
    Xxh64 sum;
    ScratchFile const source(file, ScratchFile::Mode::read);
    std::vector<Node> buffer(static_cast<std::size_t>(tuning::most_buffer));
    for (std::uint64_t at = 0; at < w[0]; at += buffer.size()) {
      auto const count =
          static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), w[0] - at));
      source.read(buffer.data(), count * node_bytes, at * node_bytes);
      sum.update(buffer.data(), count * node_bytes);
      if (control.should_stop(0)) return std::nullopt;
    }
    if (sum.digest() != w[2])
      throw InputError(file + " is damaged; remove its directory and begin anew.");
    layer.ranges.push_back({file, w[0], w[1], w[2]});
  }
  return layer;
}

NodeTable::NodeTable(std::size_t capacity) : capacity_(capacity) { clear(); }

bool NodeTable::put(Node const& node) {
  std::size_t const mask = slots_.size() - 1;
  std::uint64_t const hash = node.set.bits() * 0x9e3779b97f4a7c15ULL;
  for (std::size_t at = (hash ^ hash >> 32) & mask;; at = (at + 1) & mask) {
    Node& slot = slots_[at];
    if (slot.set == node.set) {
      slot.loss = std::min(slot.loss, node.loss);
      return true;
    }
    if (slot.set != no_set) continue;
    if (4 * (count_ + 1) > 3 * slots_.size()) return grow() && put(node);
    slot = node;
    ++count_;
    return true;
  }
}

/// Twice the size, if that and the old table together fit.
bool NodeTable::grow() {
  if (3 * slots_.size() > capacity_) return false;
  std::vector<Node> old(2 * slots_.size(), {no_set, 0});
  old.swap(slots_);
  count_ = 0;
  for (auto const& node : old)
    if (node.set != no_set) put(node);
  return true;
}

std::span<Node const> NodeTable::sorted(Control& control) {
  std::erase_if(slots_, [](Node const& node) { return node.set == no_set; });
  sort_nodes(slots_, 64, control);
  return slots_;
}

void NodeTable::clear() {
  // The memory it has is kept: the table of a full worker will be full again.
  slots_.assign(std::bit_floor(std::max<std::size_t>(16, slots_.capacity())), {no_set, 0});
  count_ = 0;
}

LayerBuilder::LayerBuilder(std::string directory, std::string prefix, std::size_t threads,
                           double memory_bytes, Scratch& scratch)
    : directory_(std::move(directory)),
      prefix_(std::move(prefix)),
      threads_(threads),
      memory_bytes_(memory_bytes),
      scratch_(scratch) {
  double const nodes = memory_bytes / static_cast<double>(threads * node_bytes);
  for (std::size_t t = 0; t < threads; ++t)
    tables_.emplace_back(
        static_cast<std::size_t>(std::clamp(nodes, tuning::least_table, tuning::most_table)));
}

void LayerBuilder::add(std::size_t worker, Node const& node, Control& control) {
  if (tables_[worker].put(node)) return;
  write_run(worker, control);
  tables_[worker].put(node);
}

void LayerBuilder::write_run(std::size_t worker, Control& control) {
  auto const nodes = tables_[worker].sorted(control);
  std::string path;
  {
    std::scoped_lock const lock(mutex_);
    path = directory_ + "/run-" + std::to_string(next_run_++);
    // What the runs hold must be written once more when they are merged.
    double pending = static_cast<double>(nodes.size() * node_bytes);
    for (auto const& run : runs_) pending += static_cast<double>(run.count * node_bytes);
    need_disk(directory_, pending + static_cast<double>(nodes.size() * node_bytes),
              "the next layer");
    scratch_.add(static_cast<double>(nodes.size() * node_bytes));
    runs_.push_back({path, nodes.size(), {}});
  }
  ScratchFile const file(path, ScratchFile::Mode::write);
  file.write(nodes.data(), nodes.size() * node_bytes, 0);
  tables_[worker].clear();
}

/// Merges some runs into one, when there are more than can be open at once.
LayerBuilder::Run LayerBuilder::merge_runs(std::vector<Run> const& runs, Control& control) {
  std::vector<std::unique_ptr<NodeReader>> readers;
  std::size_t const buffer =
      buffer_nodes(memory_bytes_ / static_cast<double>((runs.size() + 1) * node_bytes));
  for (auto const& run : runs)
    readers.push_back(std::make_unique<NodeReader>(run.path, 0, run.count, buffer));
  std::string const path = directory_ + "/run-" + std::to_string(next_run_++);
  NodeWriter writer(path, buffer);
  if (merge(readers, writer, control)) {
    scratch_.add(static_cast<double>(writer.count() * node_bytes));
    for (auto const& run : runs) {
      remove_file(run.path);
      scratch_.remove(static_cast<double>(run.count * node_bytes));
    }
  }
  return {path, writer.count(), {}};
}

Node LayerBuilder::Run::at(std::uint64_t i) const {
  if (!nodes.empty()) return nodes[i];
  Node node;
  ScratchFile(path, ScratchFile::Mode::read).read(&node, node_bytes, i * node_bytes);
  return node;
}

std::uint64_t LayerBuilder::Run::lower_bound(VarSet set) const {
  if (nodes.empty()) return lower_bound_in(ScratchFile(path, ScratchFile::Mode::read), count, set);
  auto const found = std::ranges::lower_bound(nodes, set, {}, &Node::set);
  return static_cast<std::uint64_t>(found - nodes.begin());
}

/// Sets that cut the longest run into about equal parts; the first is 0.
std::vector<VarSet> LayerBuilder::range_starts() const {
  std::vector<VarSet> starts{VarSet()};
  auto const longest = std::ranges::max_element(runs_, {}, &Run::count);
  if (longest == runs_.end()) return starts;
  // Small layers are one file.
  double const table = memory_bytes_ / static_cast<double>(threads_ * node_bytes);
  auto const small = static_cast<std::size_t>(
      std::clamp(table / tuning::range_part, tuning::least_range, tuning::most_range));
  std::size_t const parts =
      std::min<std::size_t>(tuning::ranges_per_thread * threads_, 1 + longest->count / small);
  for (std::size_t i = 1; i < parts; ++i)
    if (VarSet const set = longest->at(longest->count * i / parts).set; set > starts.back())
      starts.push_back(set);
  return starts;
}

/// Makes runs of what is left in the tables: on disk if there are runs on disk already.
void LayerBuilder::sort_tables(Control& control) {
  bool const in_memory = runs_.empty();
  if (in_memory) runs_.resize(threads_);
  parallel_for(threads_, threads_, control, [&](std::size_t worker, std::size_t) {
    if (tables_[worker].empty()) return;
    if (!in_memory) return write_run(worker, control);
    auto const nodes = tables_[worker].sorted(control);
    runs_[worker] = {"", nodes.size(), nodes};
  });
  if (!in_memory) return tables_.clear();
  std::erase_if(runs_, [](Run const& run) { return run.count == 0; });
  double bytes = 0;
  for (auto const& run : runs_) bytes += static_cast<double>(run.count * node_bytes);
  need_disk(directory_, bytes, "the next layer");
}

std::optional<NodeLayer> LayerBuilder::finish(Control& control) {
  sort_tables(control);
  if (control.stopped()) return std::nullopt;
  double const each = memory_bytes_ / static_cast<double>(threads_ * node_bytes);
  auto const fan_in = static_cast<std::size_t>(
      std::clamp(each / tuning::nodes_per_run, tuning::least_fan_in, tuning::most_fan_in));
  while (tables_.empty() && runs_.size() > fan_in && !control.stopped()) {
    auto const cut = runs_.begin() + static_cast<std::ptrdiff_t>(fan_in);
    std::vector<Run> const first(runs_.begin(), cut);
    runs_.erase(runs_.begin(), cut);
    runs_.push_back(merge_runs(first, control));
  }
  auto starts = range_starts();
  starts.push_back(no_set);
  std::size_t const parts = starts.size() - 1;
  // With the nodes still in memory there is little room for more.
  double const room = tables_.empty() ? each : each / tuning::spare_part;
  std::size_t const buffer = buffer_nodes(room / static_cast<double>(runs_.size() + 1));
  std::vector<NodeLayer::Range> ranges(parts);
  parallel_for(threads_, parts, control, [&](std::size_t part, std::size_t) {
    std::vector<std::unique_ptr<NodeReader>> readers;
    for (auto const& run : runs_) {
      std::uint64_t const from = run.lower_bound(starts[part]);
      std::uint64_t const to = part + 1 == parts ? run.count : run.lower_bound(starts[part + 1]);
      if (from == to) continue;
      readers.push_back(run.nodes.empty()
                            ? std::make_unique<NodeReader>(run.path, from, to, buffer)
                            : std::make_unique<NodeReader>(run.nodes.subspan(from, to - from)));
    }
    std::string const path = directory_ + "/" + prefix_ + "-" + std::to_string(part);
    NodeWriter writer(path, buffer);
    if (merge(readers, writer, control))
      ranges[part] = {path, writer.count(), starts[part].bits(), writer.checksum()};
  });
  if (control.stopped()) return std::nullopt;
  NodeLayer layer;
  layer.ranges = std::move(ranges);
  scratch_.add(layer.bytes());
  for (auto const& run : runs_) {
    if (!run.nodes.empty()) continue;
    remove_file(run.path);
    scratch_.remove(static_cast<double>(run.count * node_bytes));
  }
  tables_.clear();
  return layer;
}

}  // namespace bayesloom::order_graph
