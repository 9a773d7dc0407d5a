#include "credible/diagram/subproblem.hpp"

#include <algorithm>
#include <bit>

namespace bayesloom::credible {

namespace {

std::size_t lowest(Set set) { return static_cast<std::size_t>(std::countr_zero(set)); }

std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93ULL;
  h ^= h >> 32;
  return h;
}

}  // namespace

FlatChoices::FlatChoices(Component const& component, std::vector<Fixed> const& by_candidate) {
  for (std::uint32_t x = 0; x < component.size(); ++x)
    for (std::uint32_t i = 0; i < component.choices[x].size(); ++i) {
      auto const& choice = component.choices[x][i];
      loss.push_back(choice.loss);
      excess.push_back(by_candidate[choice.candidate]);
      variable.push_back(x);
      place.push_back(i);
    }
}

Subproblem::Subproblem(Component const& component) : variables_(component.all()) {
  std::uint32_t flat = 0;
  for (auto const& choices : component.choices) {
    std::size_t const from = entries_.size();
    for (auto const& choice : choices) entries_.push_back({choice.set, flat++});
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

std::size_t Subproblem::place(std::size_t x) const {
  return static_cast<std::size_t>(std::popcount(variables_ & ((Set{1} << x) - 1)));
}

std::span<Subproblem::Entry const> Subproblem::entries(std::size_t x) const {
  std::size_t const at = place(x);
  return std::span(entries_).subspan(first_[at], first_[at + 1] - first_[at]);
}

std::optional<Subproblem> Subproblem::settled(std::size_t x, Set mask) const {
  Subproblem out;
  Set const gone = Set{1} << x;
  out.variables_ = variables_ & ~gone;
  out.entries_.reserve(entries_.size());
  std::size_t at = 0;
  for (Set left = variables_; left != 0; left &= left - 1, ++at) {
    Set const y = left & (~left + 1);
    if (y == gone) continue;
    std::size_t const from = out.entries_.size();
    bool changed = false;
    for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e) {
      Entry entry = entries_[e];
      if ((entry.mask & gone) != 0) {
        entry.mask = (entry.mask & ~gone) | mask;
        if ((entry.mask & y) != 0) continue;
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

Subproblem Subproblem::restricted(Set part) const {
  Subproblem out;
  out.variables_ = part;
  std::size_t at = 0;
  for (Set left = variables_; left != 0; left &= left - 1, ++at) {
    if ((left & (~left + 1) & part) == 0) continue;
    std::size_t const from = out.entries_.size();
    for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e)
      out.entries_.push_back({entries_[e].mask & part, entries_[e].choice});
    out.group(from);
    out.first_.push_back(static_cast<std::uint32_t>(out.entries_.size()));
  }
  return out;
}

std::vector<Subproblem> Subproblem::split() const {
  std::array<Set, 64> up{}, down{};
  std::size_t at = 0;
  for (Set left = variables_; left != 0; left &= left - 1, ++at) {
    std::size_t const x = lowest(left);
    for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e) up[x] |= entries_[e].mask;
    for (Set parents = up[x]; parents != 0; parents &= parents - 1)
      down[lowest(parents)] |= Set{1} << x;
  }
  auto const reach = [](Set from, std::array<Set, 64> const& arrows) {
    for (Set fresh = from; fresh != 0;) {
      Set next = 0;
      for (; fresh != 0; fresh &= fresh - 1) next |= arrows[lowest(fresh)];
      fresh = next & ~from;
      from |= next;
    }
    return from;
  };
  std::vector<Subproblem> parts;
  for (Set left = variables_; left != 0;) {
    Set const x = left & (~left + 1);
    Set const part = reach(x, up) & reach(x, down);
    left &= ~part;
    if (part == variables_) return {*this};
    parts.push_back(restricted(part));
  }
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
  auto const settle = [&](std::size_t at) {
    Fixed const found = find_least(at);
    if (found != 0)
      for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e) above[e] -= found;
    total += found;
  };
  // By variable: its place, and the masks of its tight entries, which are few, beginning where its
  // entries do.
  std::array<std::size_t, 64> place_of{};
  std::array<std::uint32_t, 64> tight_end{};
  std::vector<Set> tight(entries_.size());
  auto const find_tight = [&](std::size_t x) {
    std::size_t const at = place_of[x];
    std::uint32_t end = first_[at];
    for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e)
      if (above[e] == 0) tight[end++] = entries_[e].mask;
    tight_end[x] = end;
  };
  std::size_t count = 0;
  for (Set left = variables_; left != 0; left &= left - 1) {
    std::size_t const x = lowest(left);
    place_of[x] = count++;
    settle(place_of[x]);
    find_tight(x);
  }

  // The members of `open` that cannot be placed by tight entries if all others are.
  auto const stuck = [&](Set open) {
    for (bool changed = true; changed && open != 0;) {
      changed = false;
      for (Set left = open; left != 0; left &= left - 1) {
        std::size_t const x = lowest(left);
        auto const from = tight.begin() + first_[place_of[x]], to = tight.begin() + tight_end[x];
        if (std::none_of(from, to, [&](Set mask) { return (mask & open) == 0; })) continue;
        open &= ~(Set{1} << x);
        changed = true;
      }
    }
    return open;
  };
  auto const for_each_outside = [&](Set cluster, auto&& body) {
    for (Set left = cluster; left != 0; left &= left - 1) {
      std::size_t const at = place_of[lowest(left)];
      for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e)
        if ((entries_[e].mask & cluster) == 0) body(e);
    }
  };
  std::size_t const rounds = 4 * size();
  for (std::size_t round = 0; round < rounds && total <= most; ++round) {
    Set cluster = stuck(variables_);
    if (cluster == 0) break;
    for (Set left = cluster; left != 0; left &= left - 1) {
      Set const x = left & (~left + 1);
      if ((cluster & x) == 0) continue;
      if (Set const smaller = stuck(cluster & ~x); smaller != 0) {
        cluster = smaller;
        left &= cluster;
        if (left == 0) break;
      }
    }
    Fixed price = no_loss;
    for_each_outside(cluster, [&](std::size_t e) { price = std::min(price, above[e]); });
    if (price >= no_loss) return no_loss;
    for_each_outside(cluster, [&](std::size_t e) { above[e] -= price; });
    for (Set left = cluster; left != 0; left &= left - 1) find_tight(lowest(left));
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
  std::uint64_t a = mix(variables_ + 0x9e3779b97f4a7c15ULL),
                b = mix(variables_ ^ 0xa0761d6478bd642fULL);
  for (auto const& entry : entries_) {
    a = mix(a ^ entry.mask) + entry.choice * 0x9e3779b97f4a7c15ULL;
    b = mix(b + entry.mask * 0xe7037ed1a0b428dbULL) ^ (entry.choice * 0x8ebc6af09c88c6e3ULL);
  }
  return {a, mix(b)};
}

}  // namespace bayesloom::credible
