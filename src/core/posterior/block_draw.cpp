#include "posterior/block_draw.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/errors.hpp"
#include "posterior/tuning.hpp"

namespace bayesloom::posterior {

namespace {

constexpr std::uint16_t unfit = 0xffff;

}  // namespace

HeatedWeights::HeatedWeights(Part const& part, double heat) : heat_(heat), weights_(part.size()) {
  for (std::size_t i = 0; i < part.size(); ++i)
    for (auto const& family : part.families[i])
      weights_[i].push_back(std::exp(-heat * family.loss));
}

PartNetwork::PartNetwork(Part const& part, std::span<std::uint32_t const> families)
    : family(families.begin(), families.end()) {
  sort(part);
}

bool PartNetwork::acyclic(Part const& part, Room& room) const {
  std::size_t const n = family.size();
  auto& [left, first, at, children, out] = room;
  left.assign(n, 0);
  first.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t const p : part.of(i, part.families[i][family[i]])) {
      ++left[i];
      ++first[p + 1];
    }
  for (std::size_t i = 0; i < n; ++i) first[i + 1] += first[i];
  children.resize(first[n]);
  at.assign(first.begin(), first.end() - 1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t const p : part.of(i, part.families[i][family[i]]))
      children[at[p]++] = static_cast<std::uint32_t>(i);
  out.clear();
  for (std::size_t i = 0; i < n; ++i)
    if (left[i] == 0) out.push_back(static_cast<std::uint32_t>(i));
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::uint32_t c = first[out[k]]; c < first[out[k] + 1]; ++c)
      if (--left[children[c]] == 0) out.push_back(children[c]);
  return out.size() == n;
}

void PartNetwork::sort(Part const& part) {
  Room room;
  if (!acyclic(part, room)) throw InputError("the network to begin with has a cycle.");
  order = std::move(room.order);
}

double PartNetwork::loss(Part const& part) const {
  double sum = 0;
  for (std::size_t i = 0; i < family.size(); ++i) sum += part.families[i][family[i]].loss;
  return sum;
}

BlockDraw::BlockDraw(Part const& part)
    : part_(part), reach_(part.size(), 0), place_(part.size(), 0), rows_(most_block) {}

void BlockDraw::find_reach(PartNetwork const& network, std::span<std::uint32_t const> block) {
  for (std::size_t b = 0; b < k_; ++b) {
    reach_[block[b]] = static_cast<Set>(1U << b);
    place_[block[b]] = static_cast<std::uint32_t>(b);
  }
  first_ = 0;
  while (reach_[network.order[first_]] == 0) ++first_;
  for (std::size_t at = first_; at < network.order.size(); ++at) {
    std::uint32_t const v = network.order[at];
    if (reach_[v] != 0) continue;  // of the block
    Set sum = 0;
    for (std::uint32_t const p : part_.of(v, part_.families[v][network.family[v]]))
      sum |= reach_[p];
    reach_[v] = sum;
  }
}

double BlockDraw::weight(Row const& row, std::size_t family, std::span<double const> weights,
                         double heat) const {
  if (row.scale > 0) return weights[family] * row.scale;
  return std::exp(heat * (row.best - part_.families[row.member][family].loss));
}

bool BlockDraw::sum_families(std::span<std::uint32_t const> block, HeatedWeights const& weights) {
  std::size_t const sets = std::size_t{1} << k_;
  for (std::size_t b = 0; b < k_; ++b) {
    auto& row = rows_[b];
    row.member = block[b];
    auto const& families = part_.families[row.member];
    auto const& flat = part_.parents[row.member];
    auto const own = weights.of(row.member);
    row.after.resize(families.size());
    row.inside.assign(sets, 0.0);
    Set const self = static_cast<Set>(1U << b);
    bool any = false;
    // A family with D(P) empty can replace any other without making a cycle, so families that it outweighs by a
    // factor e^negligible are skipped.
    double enough = std::numeric_limits<double>::infinity();
    std::size_t f = 0;
    for (; f < families.size() && families[f].loss <= enough; ++f) {
      Set sum = 0;
      for (std::uint32_t p = families[f].first; p < families[f].end; ++p) sum |= reach_[flat[p]];
      if ((sum & self) != 0) {
        row.after[f] = unfit;
        continue;
      }
      row.after[f] = sum;
      if (!any) {
        any = true;
        row.best = families[f].loss;
        double const far = weights.heat() * row.best;
        row.scale = far < tuning::most_scaled ? std::exp(far) : 0;
      }
      if (sum == 0)
        enough = std::min(enough, families[f].loss + tuning::negligible / weights.heat());
      row.inside[sum] += weight(row, f, own, weights.heat());
    }
    if (!any) return false;
    row.after.resize(f);
    work_ += f;
    for (std::size_t bit = 1; bit < sets; bit *= 2)
      for (std::size_t base = 0; base < sets; base += 2 * bit)
        for (std::size_t set = base; set < base + bit; ++set)
          row.inside[set + bit] += row.inside[set];
  }
  return true;
}

/// rest_(U) = sum over nonempty T outside U of (-1)^(|T|+1) rest_(U + T) prod over i in T of inside_i(U).
/// The terms rest_(U + T) are laid out by T and folded member by member, from the last.
void BlockDraw::sum_layers() {
  std::size_t const sets = std::size_t{1} << k_;
  rest_.assign(sets, 0.0);
  folded_.resize(sets);
  rest_[sets - 1] = 1;
  for (std::size_t placed = sets - 1; placed-- > 0;) {
    std::size_t count = 1;
    folded_[0] = 0;
    // T = {} counts 0: it is rest_(U) itself. Sets of others are enumerated in the order of their bits.
    std::uint32_t others[most_block];
    std::size_t many = 0;
    for (std::size_t b = 0; b < k_; ++b)
      if ((placed >> b & 1) == 0) others[many++] = static_cast<std::uint32_t>(b);
    std::size_t const free = ~placed & (sets - 1);
    count = std::size_t{1} << many;
    std::size_t set = 0;
    for (std::size_t t = 1; t < count; ++t) {
      set = (set - free) & free;
      folded_[t] = rest_[placed | set];
    }
    for (std::size_t j = many; j-- > 0;) {
      double const w = rows_[others[j]].inside[placed];
      std::size_t const half = std::size_t{1} << j;
      for (std::size_t t = 0; t < half; ++t) folded_[t] -= w * folded_[half + t];
    }
    rest_[placed] = std::max(0.0, -folded_[0]);
    work_ += count;
  }
}

bool BlockDraw::draw_layers(Rng& random) {
  std::size_t const all = (std::size_t{1} << k_) - 1;
  layer_.assign(k_, 0);
  before_.assign(k_, 0);
  last_.assign(k_, 0);
  mass_.resize(all + 1);
  std::size_t placed = 0, last = 0;
  for (std::uint32_t layer = 0; placed != all; ++layer) {
    std::uint32_t others[most_block];
    double
        factor[most_block];  // the share of a member's weight that has a parent in the last layer
    std::size_t many = 0;
    for (std::size_t b = 0; b < k_; ++b) {
      if ((placed >> b & 1) != 0) continue;
      auto const& inside = rows_[b].inside;
      if (!(inside[placed] > 0)) continue;
      others[many] = static_cast<std::uint32_t>(b);
      factor[many++] =
          layer == 0 ? 1.0 : std::max(0.0, 1.0 - inside[placed & ~last] / inside[placed]);
    }
    std::size_t const count = std::size_t{1} << many;
    // First the weight of networks whose next layer contains T, then, by a Moebius transform, of those whose next
    // layer is exactly T.
    folded_.resize(std::max(folded_.size(), count));
    folded_[0] = 1;
    std::vector<Set>& sets = drawn_sets_;
    sets.resize(count);
    sets[0] = static_cast<Set>(placed);
    for (std::size_t j = 0; j < many; ++j) {
      std::size_t const half = std::size_t{1} << j;
      double const w = rows_[others[j]].inside[placed];
      for (std::size_t t = 0; t < half; ++t) {
        folded_[half + t] = folded_[t] * w;
        sets[half + t] = static_cast<Set>(sets[t] | 1U << others[j]);
      }
    }
    for (std::size_t t = 1; t < count; ++t) mass_[t] = folded_[t] * rest_[sets[t]];
    mass_[0] = 0;
    for (std::size_t bit = 1; bit < count; bit *= 2)
      for (std::size_t base = 0; base < count; base += 2 * bit)
        for (std::size_t t = base; t < base + bit; ++t) mass_[t] -= mass_[t + bit];
    folded_[0] = 1;
    for (std::size_t j = 0; j < many; ++j) {
      std::size_t const half = std::size_t{1} << j;
      for (std::size_t t = 0; t < half; ++t) folded_[half + t] = folded_[t] * factor[j];
    }
    double sum = 0;
    for (std::size_t t = 1; t < count; ++t) sum += mass_[t] = std::max(0.0, mass_[t]) * folded_[t];
    if (!(sum > 0)) return false;
    double wanted = random.uniform() * sum;
    std::size_t chosen = 0;
    for (std::size_t t = 1; t < count; ++t) {
      if (mass_[t] <= 0) continue;
      chosen = t;
      wanted -= mass_[t];
      if (wanted < 0) break;
    }
    std::size_t const now = sets[chosen] & ~placed;
    for (std::size_t b = 0; b < k_; ++b)
      if ((now >> b & 1) != 0) {
        layer_[b] = layer;
        before_[b] = static_cast<Set>(placed);
        last_[b] = static_cast<Set>(last);
      }
    placed |= now;
    last = now;
    work_ += count;
  }
  return true;
}

/// The new order: others that no member of the block reaches; then each layer of the block, followed by the others
/// whose last ancestor in the block is in that layer.
void BlockDraw::sort(PartNetwork& network, std::span<std::uint32_t const> block) {
  std::size_t const count = network.order.size() - first_;
  keys_.resize(count);
  starts_.assign(2 * k_ + 3, 0);
  for (std::size_t at = 0; at < count; ++at) {
    std::uint32_t const v = network.order[first_ + at];
    unsigned set = reach_[v];
    std::uint32_t key = 0;
    if (set != 0 && place_[v] < k_ && block[place_[v]] == v) {
      key = 2 * layer_[place_[v]] + 1;
    } else {
      for (; set != 0; set &= set - 1)
        key = std::max(key, 2 * layer_[static_cast<std::size_t>(std::countr_zero(set))] + 2);
    }
    keys_[at] = key;
    ++starts_[key + 1];
  }
  for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
  sorted_.resize(count);
  for (std::size_t at = 0; at < count; ++at)
    sorted_[starts_[keys_[at]]++] = network.order[first_ + at];
  std::ranges::copy(sorted_, network.order.begin() + static_cast<std::ptrdiff_t>(first_));
}

bool BlockDraw::draw(PartNetwork& network, std::span<std::uint32_t const> block,
                     HeatedWeights const& weights, Rng& random) {
  k_ = block.size();
  if (k_ == 0 || k_ > most_block) throw InternalError("a block of a size that it cannot have.");
  find_reach(network, block);
  bool done = sum_families(block, weights);
  if (done) {
    sum_layers();
    done = rest_[0] >= tuning::least_sum && draw_layers(random);
  }
  if (done) {
    for (std::size_t b = 0; b < k_; ++b) {
      auto const& row = rows_[b];
      auto const own = weights.of(row.member);
      auto const fits = [&](std::size_t f) {
        return row.after[f] != unfit && (row.after[f] & ~before_[b]) == 0 &&
               (layer_[b] == 0 || (row.after[f] & last_[b]) != 0);
      };
      double sum = 0;
      for (std::size_t f = 0; f < row.after.size(); ++f)
        if (fits(f)) sum += weight(row, f, own, weights.heat());
      double wanted = random.uniform() * sum;
      for (std::size_t f = 0; f < row.after.size(); ++f)
        if (fits(f)) {
          double const one = weight(row, f, own, weights.heat());
          if (!(one > 0)) continue;
          network.family[row.member] = static_cast<std::uint32_t>(f);
          wanted -= one;
          if (wanted < 0) break;
        }
    }
    sort(network, block);
  }
  for (std::size_t at = first_; at < network.order.size(); ++at) reach_[network.order[at]] = 0;
  return done;
}

Blocks::Blocks(Part const& part) : around_(part.size()) {
  std::vector<std::unordered_map<std::uint32_t, double>> shares(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    double total = 0;
    for (auto const& family : part.families[i]) total += std::exp(-family.loss);
    for (auto const& family : part.families[i]) {
      double const share = std::exp(-family.loss) / total;
      for (std::uint32_t const p : part.of(i, family)) {
        shares[i][p] += share;
        shares[p][static_cast<std::uint32_t>(i)] += share;
      }
    }
  }
  for (std::size_t i = 0; i < part.size(); ++i) {
    auto& around = around_[i];
    for (auto const& [other, share] : shares[i]) around.members.push_back(other);
    std::ranges::sort(around.members);
    double sum = 0;
    for (std::uint32_t const other : around.members)
      around.up_to.push_back(sum += shares[i][other] + tuning::least_share);
  }
}

void Blocks::choose(std::size_t size, Rng& random, std::vector<std::uint32_t>& out) const {
  out.clear();
  out.push_back(static_cast<std::uint32_t>(random.below(around_.size())));
  for (std::size_t tries = tuning::tries_per_member * size; tries > 0 && out.size() < size;
       --tries) {
    auto const& around = around_[out[random.below(out.size())]];
    if (around.members.empty()) continue;
    double const wanted = random.uniform() * around.up_to.back();
    auto const at = std::ranges::upper_bound(around.up_to, wanted) - around.up_to.begin();
    std::uint32_t const other =
        around.members[std::min(static_cast<std::size_t>(at), around.members.size() - 1)];
    if (std::ranges::find(out, other) == out.end()) out.push_back(other);
  }
}

}  // namespace bayesloom::posterior
