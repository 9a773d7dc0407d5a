#include "credible/diagram/subproblem.hpp"

#include <algorithm>

#include "credible/diagram/tuning.hpp"
#include "graph/strong_components.hpp"

namespace bayesloom::credible {

namespace {

std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93ULL;
  h ^= h >> 32;
  return h;
}

}  // namespace

FlatChoices::FlatChoices(Component const& component, std::vector<Fixed> const& by_candidate) {
  for (std::uint32_t x = 0; x < component.size(); ++x)
    for (std::uint32_t i = 0; i < component.lists[x].size(); ++i) {
      auto const& choice = component.lists[x][i];
      loss.push_back(choice.loss);
      reduced_cost.push_back(by_candidate[choice.index]);
      variable.push_back(x);
      place.push_back(i);
    }
}

Subproblem::Subproblem(Component const& component) : variables_(component.all()) {
  std::uint32_t flat = 0;
  for (auto const& choices : component.lists) {
    std::size_t const from = entries_.size();
    for (auto const& choice : choices) entries_.push_back({choice.parents, flat++});
    group(from);
    first_.push_back(static_cast<std::uint32_t>(entries_.size()));
  }
}

void Subproblem::group(std::size_t from) {
  std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(from), entries_.end(),
            [](Entry const& a, Entry const& b) {
              return a.mask != b.mask ? a.mask < b.mask : a.choice < b.choice;
            });
}

std::size_t Subproblem::place(std::size_t x) const { return variables_.rank(x); }

std::span<Subproblem::Entry const> Subproblem::entries(std::size_t x) const {
  std::size_t const at = place(x);
  return std::span(entries_).subspan(first_[at], first_[at + 1] - first_[at]);
}

std::optional<Subproblem> Subproblem::eliminated(std::size_t x, VarSet mask) const {
  Subproblem out;
  out.variables_ = variables_.without(x);
  out.entries_.reserve(entries_.size());
  std::size_t at = 0;
  for (std::size_t const y : variables_) {
    std::size_t const own = at++;
    if (y == x) continue;
    std::size_t const from = out.entries_.size();
    bool changed = false;
    for (std::uint32_t e = first_[own]; e < first_[own + 1]; ++e) {
      Entry entry = entries_[e];
      if (entry.mask.contains(x)) {
        entry.mask = entry.mask.without(x) | mask;
        if (entry.mask.contains(y)) continue;
        changed = true;
      }
      out.entries_.push_back(entry);
    }
    if (out.entries_.size() == from) return std::nullopt;
    if (changed) out.group(from);
    out.first_.push_back(static_cast<std::uint32_t>(out.entries_.size()));
  }
  return out;
}

Subproblem Subproblem::restricted(VarSet part) const {
  Subproblem out;
  out.variables_ = part;
  std::size_t at = 0;
  for (std::size_t const y : variables_) {
    std::size_t const own = at++;
    if (!part.contains(y)) continue;
    std::size_t const from = out.entries_.size();
    for (std::uint32_t e = first_[own]; e < first_[own + 1]; ++e)
      out.entries_.push_back({entries_[e].mask & part, entries_[e].choice});
    out.group(from);
    out.first_.push_back(static_cast<std::uint32_t>(out.entries_.size()));
  }
  return out;
}

std::vector<Subproblem> Subproblem::split() const {
  std::array<VarSet, 64> parents{};
  for (std::size_t at = 0; std::size_t const x : variables_) {
    for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e) parents[x] |= entries_[e].mask;
    ++at;
  }
  StrongComponents const strong(parents, variables_);
  if (strong.count() == 1) return {*this};
  auto sets = strong.sets();
  std::sort(sets.begin(), sets.end(), [](VarSet a, VarSet b) { return a.lowest() < b.lowest(); });
  std::vector<Subproblem> parts;
  parts.reserve(sets.size());
  for (VarSet const set : sets) parts.push_back(restricted(set));
  return parts;
}

Fixed Subproblem::bound(std::vector<Fixed> const& cost, Fixed most,
                        std::vector<Fixed>& above) const {
  above.resize(entries_.size());
  for (std::size_t e = 0; e < entries_.size(); ++e) above[e] = cost[entries_[e].choice];
  Fixed total = 0;
  auto const find_least = [&](std::size_t at) {
    Fixed found = no_loss;
    for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e) found = std::min(found, above[e]);
    return found;
  };
  // Priced losses are kept relative to the least of each variable.
  auto const make_relative = [&](std::size_t at) {
    Fixed const found = find_least(at);
    if (found != 0)
      for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e) above[e] -= found;
    total += found;
  };
  // By variable: its place, and the masks of its tight entries, which are few, beginning where its
  // entries do.
  std::array<std::size_t, 64> place_of{};
  std::array<std::uint32_t, 64> tight_end{};
  std::vector<VarSet> tight(entries_.size());
  auto const find_tight = [&](std::size_t x) {
    std::size_t const at = place_of[x];
    std::uint32_t end = first_[at];
    for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e)
      if (above[e] == 0) tight[end++] = entries_[e].mask;
    tight_end[x] = end;
  };
  std::size_t count = 0;
  for (std::size_t const x : variables_) {
    place_of[x] = count++;
    make_relative(place_of[x]);
    find_tight(x);
  }

  // The members of `open` that cannot be placed by tight entries if all others are.
  auto const stuck = [&](VarSet open) {
    for (bool changed = true; changed && !open.empty();) {
      changed = false;
      for (std::size_t const x : open) {
        auto const from = tight.begin() + first_[place_of[x]], to = tight.begin() + tight_end[x];
        if (std::none_of(from, to, [&](VarSet mask) { return !mask.meets(open); })) continue;
        open.erase(x);
        changed = true;
      }
    }
    return open;
  };
  auto const for_each_outside = [&](VarSet cluster, auto&& body) {
    for (std::size_t const x : cluster) {
      std::size_t const at = place_of[x];
      for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e)
        if (!entries_[e].mask.meets(cluster)) body(e);
    }
  };
  std::size_t const rounds = tuning::clusters_per_variable * size();
  for (std::size_t round = 0; round < rounds && total <= most; ++round) {
    VarSet cluster = stuck(variables_);
    if (cluster.empty()) break;
    for (VarSet left = cluster; !left.empty(); left.erase_lowest()) {
      std::size_t const x = left.lowest();
      if (!cluster.contains(x)) continue;
      if (VarSet const smaller = stuck(cluster.without(x)); !smaller.empty()) {
        cluster = smaller;
        left &= cluster;
        if (left.empty()) break;
      }
    }
    Fixed price = no_loss;
    for_each_outside(cluster, [&](std::size_t e) { price = std::min(price, above[e]); });
    if (price >= no_loss) return no_loss;
    for_each_outside(cluster, [&](std::size_t e) { above[e] -= price; });
    for (std::size_t const x : cluster) find_tight(x);
    total += price;
    // The least stays 0: no entry outside the cluster was below the price.
  }
  return total;
}

std::size_t Subproblem::drop(std::vector<Fixed> const& above, Fixed most) {
  std::size_t kept = 0, from = 0;
  for (std::size_t at = 0; at + 1 < first_.size(); ++at) {
    std::size_t const end = first_[at + 1];
    for (std::size_t e = from; e < end; ++e)
      if (above[e] <= most) entries_[kept++] = entries_[e];
    from = end;
    first_[at + 1] = static_cast<std::uint32_t>(kept);
  }
  std::size_t const dropped = entries_.size() - kept;
  entries_.resize(kept);
  return dropped;
}

std::array<std::uint64_t, 2> Subproblem::key() const {
  std::uint64_t a = mix(variables_.bits() + 0x9e3779b97f4a7c15ULL),
                b = mix(variables_.bits() ^ 0xa0761d6478bd642fULL);
  for (auto const& entry : entries_) {
    a = mix(a ^ entry.mask.bits()) + entry.choice * 0x9e3779b97f4a7c15ULL;
    b = mix(b + entry.mask.bits() * 0xe7037ed1a0b428dbULL) ^ (entry.choice * 0x8ebc6af09c88c6e3ULL);
  }
  return {a, mix(b)};
}

}  // namespace bayesloom::credible
