#include "relaxation/order_proof.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/parallel.hpp"

namespace bayesloom::relaxation {

OrderProof::OrderProof(Problem const& node, Fixed floor, double memory_bytes,
                       std::size_t most_threads, SetsOptions const& options)
    : floor_(floor),
      memory_(memory_bytes),
      base_(node.base),
      placed_(node.placed),
      options_(options),
      shards_(most_threads > 1 ? std::bit_ceil(options.shards * most_threads) : 1) {
  number_variables(node);
  list_candidates(node);
  first_lists_ = lists_;
  if (node.infeasible()) return;  // nothing to look at: proved at once
  std::size_t const n = lists_.size();
  workers_.push_back({bound_of(node), std::vector<VarSet>(n)});
  all_ = VarSet::first(n);
  Shard& shard = shard_of({});
  keep({{}, base_, -nothing, workers_.front().remaining.of({}), 0}, shard.reached[{}], shard);
}

void OrderProof::narrow(Problem const& node, Fixed floor) {
  floor_ = std::max(floor_, floor);
  if (node.infeasible())
    for (Shard& shard : shards_) shard.open.clear();
  if (workers_.empty() || node.infeasible()) return;
  list_candidates(node);
  workers_.assign(1, {bound_of(node), std::vector<VarSet>(lists_.size())});
}

void OrderProof::number_variables(Problem const& node) {
  variables_ = node.variables;
  number_.resize(node.universe->n);
  for (std::size_t x = 0; x < variables_.size(); ++x) number_[variables_[x]] = x;
}

void OrderProof::list_candidates(Problem const& node) {
  Universe const& universe = *node.universe;
  lists_.assign(variables_.size(), {});
  for (std::size_t x = 0; x < variables_.size(); ++x) {
    Index const i = variables_[x];
    for (std::size_t c = node.begin[i]; c < node.end[i]; ++c) {
      VarSet parents;
      node.for_each_bit(
          c, [&](std::size_t bit) { parents.insert(number_[universe.variable(i, bit)]); });
      lists_[x].push_back({parents, node.value[c], node.origin[c]});
    }
  }
  std::size_t const n = lists_.size();
  holders_.resize(n);
  for (std::size_t x = 0; x < n; ++x) {
    holders_[x].assign((lists_[x].size() + 63) / 64 * n, 0);
    for (std::size_t c = 0; c < lists_[x].size(); ++c)
      for (std::size_t const y : lists_[x][c].parents)
        holders_[x][c / 64 * n + y] |= VarSet::Word{1} << c % 64;
  }
}

RemainingBound OrderProof::bound_of(Problem const& node) const {
  std::vector<std::vector<RemainingBound::Candidate>> lists(lists_.size());
  for (std::size_t x = 0; x < lists_.size(); ++x)
    for (auto const& candidate : lists_[x])
      lists[x].push_back({candidate.parents, candidate.value});
  std::vector<RemainingBound::Inequality> inequalities;
  for (auto const& cluster : node.clusters) {
    VarSet members;
    for (std::size_t x = 0; x < variables_.size(); ++x)
      if (cluster.members.contains(variables_[x])) members.insert(x);
    inequalities.push_back({members, cluster.need, cluster.price, cluster.blocks});
  }
  return {lists, std::move(inequalities)};
}

OrderProof::Candidate const* OrderProof::available(std::vector<Candidate> const& list,
                                                   VarSet placed) {
  for (auto const& candidate : list)
    if (placed.contains_all(candidate.parents)) return &candidate;
  return nullptr;
}

OrderProof::Candidate const* OrderProof::available(std::size_t x, VarSet placed) const {
  // Of 64 candidates at a time: which hold none of the rest.
  auto const& list = lists_[x];
  VarSet::Word const* holders = holders_[x].data();
  VarSet const rest = all_ - placed;
  for (std::size_t first = 0; first < list.size(); first += 64, holders += lists_.size()) {
    VarSet::Word held = 0;
    for (std::size_t const y : rest) held |= holders[y];
    std::size_t const c = first + static_cast<std::size_t>(std::countr_one(held));
    if (c < std::min(first + 64, list.size())) return &list[c];
  }
  return nullptr;
}

/// Variables of `rest` that no other can have as a child, given how much may still be lost:
/// candidates that lose as much or more against the best are in no network above the floor.
VarSet OrderProof::closed_set(VarSet rest, Fixed margin, Worker& worker) const {
  auto& parents = worker.parents;
  for (std::size_t const x : rest) parents[x] = worker.remaining.parents_within(x, margin) & rest;
  auto const ancestors = [&](std::size_t x) {
    VarSet seen = VarSet::of(x), fresh = seen;
    while (!fresh.empty()) {
      VarSet next;
      for (std::size_t const y : fresh) next |= parents[y];
      fresh = next - seen;
      seen |= next;
    }
    return seen;
  };
  VarSet least = rest;
  for (VarSet left = rest; !left.empty();) {
    VarSet const own = ancestors(left.lowest());
    left.erase_lowest();
    if (own.size() < least.size()) {
      least = own;
      left &= own;  // only inside it can there be a smaller one that matters
    }
  }
  return least;
}

template <typename Place>
void OrderProof::expand(Open const& node, Worker& worker, Place const& place) const {
  VarSet const rest = all_ - node.set;
  Fixed const remaining = worker.remaining.of(node.set);
  if (node.value + remaining <= floor_) return;  // since candidates went
  for (std::size_t const x : rest)
    if (!lists_[x].empty() && node.set.contains_all(lists_[x].front().parents))
      return place(x, lists_[x].front());
  VarSet const first = closed_set(rest, node.value + remaining - floor_, worker);
  for (std::size_t const x : first) {
    VarSet const set = node.set.with(x);
    shard_of(set).reached.prefetch(set);
  }
  for (std::size_t const x : first)
    if (auto const* const candidate = available(x, node.set)) place(x, *candidate);
}

/// h of the rest once x is placed too, by a way of this value. Of sets that do not lead above the floor it is not
/// worked out to the end, so for a better way it is worked out again.
Fixed OrderProof::remaining_of(Reached const& known, std::size_t x, Fixed value,
                               Worker& worker) const {
  bool const exact = known.value != nothing && known.value + known.remaining > floor_;
  return exact ? known.remaining : worker.remaining.after(x, floor_ - value);
}

void OrderProof::expand_alone(std::vector<Open> const& batch) {
  Worker& worker = workers_.front();
  for (auto const& node : batch)
    expand(node, worker, [&](std::size_t x, Candidate const& candidate) {
      VarSet const set = node.set.with(x);
      Fixed const value = node.value + candidate.value;
      Shard& shard = shard_of(set);
      Reached& known = shard.reached[set];
      if (value <= known.value) return;
      Fixed const remaining = remaining_of(known, x, value, worker);
      keep({set, value, node.total, remaining, static_cast<std::uint8_t>(x)}, known, shard);
    });
}

void OrderProof::expand_shared(std::vector<Open> const& batch, std::size_t threads) {
  std::size_t const tasks = (batch.size() + options_.per_task - 1) / options_.per_task;
  while (workers_.size() < threads) workers_.push_back(workers_.front());
  if (outboxes_.size() < tasks) outboxes_.resize(tasks, Outbox(shards_.size()));
  parallel_for(threads, tasks, [&](std::size_t task, std::size_t w) {
    Worker& worker = workers_[w];
    Outbox& out = outboxes_[task];
    std::size_t const end = std::min(batch.size(), (task + 1) * options_.per_task);
    for (std::size_t i = task * options_.per_task; i < end; ++i) {
      Open const& node = batch[i];
      expand(node, worker, [&](std::size_t x, Candidate const& candidate) {
        VarSet const set = node.set.with(x);
        Fixed const value = node.value + candidate.value;
        std::size_t const s = shard_number(set);
        Reached const* const found = std::as_const(shards_[s]).reached.find(set);
        Reached const known = found != nullptr ? *found : unreached;
        if (value <= known.value) return;
        Fixed const remaining = remaining_of(known, x, value, worker);
        out[s].push_back({set, value, node.total, remaining, static_cast<std::uint8_t>(x)});
      });
    }
  });
  parallel_for(threads, shards_.size(), [&](std::size_t s, std::size_t) {
    Shard& shard = shards_[s];
    for (std::size_t task = 0; task < tasks; ++task) {
      auto& arrivals = outboxes_[task][s];
      for (auto const& arrival : arrivals) {
        Reached& known = shard.reached[arrival.set];
        if (arrival.value > known.value) keep(arrival, known, shard);
      }
      arrivals.clear();
    }
  });
}

void OrderProof::keep(Arrival const& arrival, Reached& known, Shard& shard) const {
  known = {arrival.value, arrival.remaining, arrival.last, false};
  Fixed const total = std::min(arrival.most, arrival.value + arrival.remaining);
  if (total <= floor_) return;
  shard.open.push_back({total, arrival.value, arrival.set});
  std::push_heap(shard.open.begin(), shard.open.end(), later);
}

/// Largest f first; among equals the one with most placed, then the lowest set.
bool OrderProof::later(Open const& a, Open const& b) {
  if (a.total != b.total) return a.total < b.total;
  if (a.set.size() != b.set.size()) return a.set.size() < b.set.size();
  return a.set > b.set;
}

bool OrderProof::over_memory() const {
  std::size_t const more = most_variables * (batch_size() / shards_.size() + 1);
  double bytes = 0;
  for (auto const& shard : shards_) {
    double const heap = static_cast<double>(shard.open.capacity() * sizeof(Open));
    bool const heap_grows = shard.open.size() + more > shard.open.capacity();
    bytes += shard.reached.bytes_with(more) + (heap_grows ? 3 : 1) * heap;
  }
  return bytes > memory_;
}

std::size_t OrderProof::batch_size() const {
  return std::min(options_.most_batch, 1 + expanded_ / options_.batch_part);
}

std::vector<OrderProof::Open> OrderProof::next_batch(Control& control) {
  std::size_t const most = batch_size();
  auto const by_best = [](Shard const* a, Shard const* b) {
    return later(a->open.front(), b->open.front());
  };
  std::vector<Shard*> order;  // a heap of the shards by their best set
  for (auto& shard : shards_)
    if (!shard.open.empty()) order.push_back(&shard);
  std::make_heap(order.begin(), order.end(), by_best);
  std::vector<Open> batch;
  while (!order.empty() && batch.size() < most) {
    std::pop_heap(order.begin(), order.end(), by_best);
    Shard& shard = *order.back();
    Open const node = shard.open.front();
    if (node.total <= floor_) {  // which has risen
      shard.open.clear();
      order.pop_back();
      continue;
    }
    bool const complete = node.set == all_;
    if (complete && !batch.empty()) return batch;  // which may reach it by a better way
    if (control.should_stop((all_ - node.set).size() + 1)) return batch;
    std::pop_heap(shard.open.begin(), shard.open.end(), later);
    shard.open.pop_back();
    if (shard.open.empty())
      order.pop_back();
    else
      std::push_heap(order.begin(), order.end(), by_best);
    Reached& here = *shard.reached.find(node.set);
    if (here.expanded || node.value < here.value) continue;
    if (complete) {
      proved_ = true;
      value_ = node.value;
      return {};
    }
    here.expanded = true;
    batch.push_back(node);
  }
  proved_ = batch.empty() && order.empty();
  return batch;
}

void OrderProof::run(Control& control, std::size_t threads) {
  while (!proved_ && !full_ && !control.stopped()) {
    if (over_memory()) {
      full_ = true;
      return;
    }
    auto const batch = next_batch(control);
    if (batch.empty()) continue;  // proved or stopped; without any network there is no worker
    expanded_ += batch.size();
    if (threads == 1 || batch.size() < options_.least_shared) {
      expand_alone(batch);
    } else {
      expand_shared(batch, threads);
    }
  }
}

NodeResult OrderProof::result() const {
  NodeResult out;
  out.bound = floor_;
  for (auto const& shard : shards_)
    if (!shard.open.empty()) out.bound = std::max(out.bound, shard.open.front().total);
  if (value_ == nothing) return out;
  out.bound = out.value = value_;
  out.found = true;
  out.choice = placed_;
  for (VarSet set = all_; !set.empty();) {
    std::size_t const x = shard_of(set).reached.find(set)->last;
    set.erase(x);
    out.choice.emplace_back(variables_[x], available(first_lists_[x], set)->origin);
  }
  return out;
}

}  // namespace bayesloom::relaxation
