#include "posterior/partition_chain.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "posterior/tuning.hpp"

namespace bayesloom::posterior {

namespace {

double log_choose(std::size_t n, std::size_t k) {
  return std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(k) + 1) -
         std::lgamma(static_cast<double>(n - k) + 1);
}

}  // namespace

PartitionChain::PartitionChain(LocalSums const& sums)
    : sums_(sums),
      layer_(sums.size(), 0),
      local_(sums.size(), 0.0),
      stamp_(sums.size(), 0),
      inside_(sums.most_words(), 0),
      before_(sums.most_words(), 0) {}

/// A member's layer is the length of the longest path to it.
bool PartitionChain::begin(PartNetwork const& network) {
  auto const& part = sums_.part();
  std::uint32_t top = 0;
  for (std::uint32_t const i : network.order) {
    std::uint32_t own = 0;
    for (std::uint32_t const p : part.of(i, part.families[i][network.family[i]]))
      own = std::max(own, layer_[p] + 1);
    layer_[i] = own;
    top = std::max(top, own);
  }
  layer_sizes_.assign(top + 1, 0);
  for (std::uint32_t const t : layer_) ++layer_sizes_[t];
  log_weight_ = 0;
  for (std::size_t i = 0; i < local_.size(); ++i) log_weight_ += local_[i] = local(i, layer_);
  return log_weight_ != LocalSums::none;
}

bool PartitionChain::look(std::size_t i, std::vector<std::uint32_t> const& layer) {
  std::size_t const words = sums_.words(i);
  std::fill_n(inside_.begin(), words, 0);
  std::fill_n(before_.begin(), words, 0);
  std::uint32_t const own = layer[i];
  auto const up = sums_.candidate_parents(i);
  for (std::size_t k = 0; k < up.size(); ++k) {
    std::uint32_t const t = layer[up[k]];
    if (t >= own) continue;
    Word const bit = Word{1} << k % 64;
    inside_[k / 64] |= bit;
    if (t + 1 == own) before_[k / 64] |= bit;
  }
  return own > 0;
}

double PartitionChain::local(std::size_t i, std::vector<std::uint32_t> const& layer) {
  bool const later = look(i, layer);
  return sums_.log_sum(i, inside_.data(), later ? before_.data() : nullptr);
}

void PartitionChain::draw(PartNetwork& out, Rng& random) {
  starts_.assign(layer_sizes_.size() + 1, 0);
  for (std::size_t t = 0; t < layer_sizes_.size(); ++t)
    starts_[t + 1] = starts_[t] + layer_sizes_[t];
  for (std::size_t i = 0; i < layer_.size(); ++i) {
    bool const later = look(i, layer_);
    out.family[i] = sums_.draw(i, inside_.data(), later ? before_.data() : nullptr, random);
    out.order[starts_[layer_[i]]++] = static_cast<std::uint32_t>(i);
  }
}

void PartitionChain::step(Rng& random, MoveCounts& counts) {
  if (layer_.size() < 2) return;
  random_ = &random;
  auto const kind = static_cast<unsigned>((*random_)() >> 56);
  double log_ratio = 0;
  moved_.clear();
  followers_.clear();
  Move move = Move::split;
  bool proposed = false;
  if (kind < tuning::move_share) {
    move = Move::move;
    proposed = propose_move(false, log_ratio);
  } else if (kind < tuning::near_share) {
    move = Move::near;
    proposed = propose_move(true, log_ratio);
  } else if (kind < tuning::swap_share) {
    move = Move::swap;
    proposed = propose_swap();
  } else if ((*random_)() >> 63) {
    proposed = propose_split(log_ratio);
  } else {
    move = Move::join;
    proposed = propose_join(log_ratio);
  }
  ++counts.tried[static_cast<std::size_t>(move)];
  if (proposed && accept(log_ratio)) ++counts.accepted[static_cast<std::size_t>(move)];
}

/// Writes next_: the member leaves its layer, which disappears if it was alone, and goes to layer `target`, or to
/// a new layer there if `fresh`. Layers are numbered as they are without the member.
void PartitionChain::place(std::size_t i, std::uint32_t target, bool fresh) {
  std::uint32_t const own = layer_[i];
  bool const alone = layer_sizes_[own] == 1;
  next_ = layer_;
  if (alone)
    for (auto& t : next_) t -= t > own ? 1 : 0;
  if (fresh)
    for (auto& t : next_) t += t >= target ? 1 : 0;
  next_[i] = target;
  next_sizes_ = layer_sizes_;
  if (alone)
    next_sizes_.erase(next_sizes_.begin() + own);
  else
    --next_sizes_[own];
  if (fresh)
    next_sizes_.insert(next_sizes_.begin() + target, 1);
  else
    ++next_sizes_[target];
  moved_.push_back(static_cast<std::uint32_t>(i));
  // Layers whose preceding layer changed: the one after a layer that disappeared, and the one after a new layer.
  if (alone) followers_.push_back(own + (fresh && target <= own ? 1 : 0));
  if (fresh) followers_.push_back(target + 1);
}

bool PartitionChain::propose_move(bool near, double& log_ratio) {
  auto const i = static_cast<std::size_t>(random_->below(layer_.size()));
  auto const m = static_cast<std::uint32_t>(layer_sizes_.size());
  std::uint32_t const own = layer_[i];
  bool const alone = layer_sizes_[own] == 1;
  // The places, numbered as if the member were absent: gap 0, layer 0, gap 1, layer 1, .., gap m' are 0 .. 2m'.
  // Its present place is layer `own` (2 own + 1), or gap `own` (2 own) if it was alone.
  std::uint32_t const left = alone ? m - 1 : m;  // layers without it
  std::uint32_t const places = 2 * left + 1;
  std::uint32_t const here = 2 * own + (alone ? 0 : 1);
  if (places < 2) return false;
  std::uint32_t there = 0;
  if (near) {
    // One of the two places on each side; a place beyond the ends is rejected.
    auto const by = static_cast<std::int64_t>(random_->below(4));
    auto const wanted = static_cast<std::int64_t>(here) + (by < 2 ? by - 2 : by - 1);
    if (wanted < 0 || wanted >= static_cast<std::int64_t>(places)) return false;
    there = static_cast<std::uint32_t>(wanted);
  } else {
    there = static_cast<std::uint32_t>(random_->below(places - 1));
    there += there >= here ? 1 : 0;
  }
  // The places without the member are the same before and after, so both kinds of moves are symmetric.
  log_ratio = 0;
  place(i, there / 2, there % 2 == 0);
  return true;
}

bool PartitionChain::propose_swap() {
  std::size_t const m = layer_sizes_.size();
  if (m < 2) return false;
  auto const t = static_cast<std::uint32_t>(random_->below(m - 1));
  auto first = random_->below(layer_sizes_[t]), second = random_->below(layer_sizes_[t + 1]);
  std::size_t a = 0, b = 0;
  for (std::size_t v = 0; v < layer_.size(); ++v) {
    if (layer_[v] == t && first-- == 0) a = v;
    if (layer_[v] == t + 1 && second-- == 0) b = v;
  }
  next_ = layer_;
  std::swap(next_[a], next_[b]);
  next_sizes_ = layer_sizes_;
  moved_ = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
  return true;
}

bool PartitionChain::propose_split(double& log_ratio) {
  std::size_t large = 0;
  for (std::uint32_t const size : layer_sizes_) large += size > 1 ? 1 : 0;
  if (large == 0) return false;
  auto chosen = random_->below(large);
  std::uint32_t t = 0;
  while (layer_sizes_[t] < 2 || chosen-- != 0) ++t;
  std::size_t const size = layer_sizes_[t];
  auto const stay = static_cast<std::size_t>(1 + random_->below(size - 1));
  next_ = layer_;
  std::size_t left = size, wanted = stay;
  for (std::size_t v = 0; v < layer_.size(); ++v) {
    if (layer_[v] > t) ++next_[v];
    if (layer_[v] != t) continue;
    if (random_->below(left--) < wanted) {
      --wanted;
    } else {
      ++next_[v];
    }
  }
  next_sizes_ = layer_sizes_;
  next_sizes_[t] = static_cast<std::uint32_t>(stay);
  next_sizes_.insert(next_sizes_.begin() + t + 1, static_cast<std::uint32_t>(size - stay));
  followers_ = {t + 1, t + 2};
  log_ratio = std::log(static_cast<double>(large)) + std::log(static_cast<double>(size - 1)) +
              log_choose(size, stay) - std::log(static_cast<double>(next_sizes_.size() - 1));
  return true;
}

bool PartitionChain::propose_join(double& log_ratio) {
  std::size_t const m = layer_sizes_.size();
  if (m < 2) return false;
  auto const t = static_cast<std::uint32_t>(random_->below(m - 1));
  next_ = layer_;
  for (auto& own : next_) own -= own > t ? 1 : 0;
  std::size_t const stay = layer_sizes_[t], size = stay + layer_sizes_[t + 1];
  next_sizes_ = layer_sizes_;
  next_sizes_[t] = static_cast<std::uint32_t>(size);
  next_sizes_.erase(next_sizes_.begin() + t + 1);
  followers_ = {t, t + 1};
  std::size_t large = 0;
  for (std::uint32_t const one : next_sizes_) large += one > 1 ? 1 : 0;
  log_ratio = std::log(static_cast<double>(m - 1)) - std::log(static_cast<double>(large)) -
              std::log(static_cast<double>(size - 1)) - log_choose(size, stay);
  return true;
}

void PartitionChain::touch(std::size_t i) {
  if (stamp_[i] == now_) return;
  stamp_[i] = now_;
  touched_.push_back(static_cast<std::uint32_t>(i));
}

bool PartitionChain::accept(double log_ratio) {
  ++now_;
  touched_.clear();
  for (std::uint32_t const i : moved_) {
    touch(i);
    for (std::uint32_t const child : sums_.candidate_children(i)) {
      bool const was = layer_[i] < layer_[child], is = next_[i] < next_[child];
      bool const next_to = layer_[i] + 1 == layer_[child], now = next_[i] + 1 == next_[child];
      if (was != is || next_to != now) touch(child);
    }
  }
  if (!followers_.empty())
    for (std::size_t v = 0; v < next_.size(); ++v)
      if (std::ranges::find(followers_, next_[v]) != followers_.end()) touch(v);
  new_local_.clear();
  double change = 0;
  for (std::uint32_t const i : touched_) {
    double const sum = local(i, next_);
    if (sum == LocalSums::none) return false;
    new_local_.push_back(sum);
    change += sum - local_[i];
  }
  double const log_chance = change + log_ratio;
  if (log_chance < 0 && random_->uniform() >= std::exp(log_chance)) return false;
  for (std::size_t k = 0; k < touched_.size(); ++k) local_[touched_[k]] = new_local_[k];
  log_weight_ += change;
  std::swap(layer_, next_);
  std::swap(layer_sizes_, next_sizes_);
  return true;
}

}  // namespace bayesloom::posterior
