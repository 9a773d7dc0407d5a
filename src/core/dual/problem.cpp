#include "dual/problem.hpp"

#include <algorithm>

#include "dual/cut.hpp"

namespace bayesloom::dual {

Universe::Universe(ScoreCache const& cache)
    : n(cache.variable_count()), shared(n <= 64), words(1), members(n), children(n) {
  std::vector<Index> bit(n);
  std::vector<std::size_t> seen(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const v = static_cast<Variable>(i);
    auto& own = members[i];
    for (std::size_t c = cache.begin(v); c < cache.end(v); ++c)
      for (auto const p : cache.parents(c))
        if (seen[p] != i) {
          seen[p] = i;
          own.push_back(p);
        }
    std::sort(own.begin(), own.end());
    for (std::size_t k = 0; k < own.size(); ++k)
      children[own[k]].push_back({static_cast<Index>(i), shared ? own[k] : static_cast<Index>(k)});
    if (shared) {
      own.clear();
    } else {
      words = std::max(words, (own.size() + 63) / 64);
    }
  }
}

Universe::Universe(std::size_t variables)
    : n(variables), shared(true), words(1), members(n), children(n) {
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t i = 0; i < n; ++i)
      if (i != v) children[v].push_back({static_cast<Index>(i), static_cast<Index>(v)});
}

std::size_t InequalityIndex::Hash::operator()(Cluster const* cluster) const {
  std::uint64_t hash = cluster->need;
  for (auto const b : cluster->blocks) hash = hash << 8 ^ b;
  for (Word const w : cluster->members.words())
    hash = (hash ^ w) * 0xff51afd7ed558ccdULL ^ hash >> 29;
  return static_cast<std::size_t>(hash);
}

Fixed Problem::bound() const {
  __extension__ using Wide = __int128;
  Wide sum = static_cast<Wide>(base) - prices;
  for (Index const i : variables) {
    if (best[i] == nothing) return nothing;
    sum += best[i];
  }
  return sum < nothing ? nothing : static_cast<Fixed>(std::min<Wide>(sum, -Wide{nothing}));
}

bool Problem::infeasible() const {
  return std::any_of(variables.begin(), variables.end(),
                     [&](Index i) { return begin[i] == end[i]; });
}

void Problem::close() {
  Index const i = variables.front();
  end[i] = begin[i];
  best[i] = nothing;
}

std::size_t Problem::candidate_count() const {
  std::size_t count = 0;
  for (Index const i : variables) count += end[i] - begin[i];
  return count;
}

void Problem::localise(WideVarSet const& set, Index i, Word* out) const {
  if (universe->shared) {
    out[0] = set.words()[0];
    return;
  }
  std::fill_n(out, universe->words, 0);
  auto const& own = universe->members[i];
  if (set.size() * 8 < own.size()) {
    for (std::size_t const v : set) {
      auto const at = std::lower_bound(own.begin(), own.end(), v);
      if (at == own.end() || *at != v) continue;
      auto const k = static_cast<std::size_t>(at - own.begin());
      out[k / 64] |= Word{1} << k % 64;
    }
    return;
  }
  for (std::size_t k = 0; k < own.size(); ++k)
    if (set.contains(own[k])) out[k / 64] |= Word{1} << k % 64;
}

BlockTest Problem::localise(Cluster const& cluster, Index i, Word* out) const {
  if (cluster.plain()) {
    localise(cluster.members, i, out);
    return {cluster.need, 0};
  }
  std::array<std::size_t, 4> ids{};
  std::size_t count = 0, own = 0;
  for (std::size_t const v : cluster.members) {
    if (v == i) own = count;
    ids[count++] = v;
  }
  std::uint8_t const blocks = cluster.blocks[own];
  BlockTest test{0, 0};
  for (unsigned s = 1; s < 8; ++s) {
    if ((blocks >> s & 1) == 0) continue;
    bool minimal = true;
    for (unsigned k = 0; k < 3; ++k)
      minimal = minimal && !((s >> k & 1) != 0 && (blocks >> (s & ~(1U << k)) & 1) != 0);
    if (!minimal) continue;
    WideVarSet parents(universe->n);
    for (unsigned k = 0; k < 3; ++k)
      if ((s >> k & 1) != 0) parents.insert(ids[k < own ? k : k + 1]);
    Word* const mask = out + test.sets * universe->words;
    localise(parents, i, mask);
    std::size_t here = 0;
    for (std::size_t w = 0; w < universe->words; ++w)
      here += static_cast<std::size_t>(std::popcount(mask[w]));
    if (here == parents.size()) ++test.sets;  // else some parent occurs in no candidate of i
  }
  // Nothing blocks it: no candidate has a parent in the empty set.
  if (test.sets == 0) {
    std::fill_n(out, universe->words, 0);
    test.need = 1;
  }
  return test;
}

LocalInequality const& Problem::local(Cluster const& cluster) const {
  if (!cluster.local) {
    auto inequality = std::make_shared<LocalInequality>();
    std::vector<Word> own(most_block_sets * universe->words);
    for (std::size_t const v : cluster.members) {
      auto const i = static_cast<Index>(v);
      BlockTest const test = localise(cluster, i, own.data());
      inequality->members.push_back({i, test, inequality->masks.size()});
      auto const used =
          static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, test.sets) * universe->words);
      inequality->masks.insert(inequality->masks.end(), own.begin(), own.begin() + used);
    }
    cluster.local = std::move(inequality);
  }
  return *cluster.local;
}

void Problem::refresh(Index i) {
  Fixed top = nothing;
  for (std::size_t c = begin[i]; c < end[i]; ++c) top = std::max(top, priced[c]);
  best[i] = top;
}

void Problem::move_candidate(std::size_t from, std::size_t to) {
  value[to] = value[from];
  priced[to] = priced[from];
  origin[to] = origin[from];
  std::copy_n(masks.begin() + static_cast<std::ptrdiff_t>(from * universe->words), universe->words,
              masks.begin() + static_cast<std::ptrdiff_t>(to * universe->words));
}

void Problem::reprice(std::size_t k, Fixed change) {
  if (change == 0) return;
  std::size_t const need = clusters[k].need;
  LocalInequality const& inequality = local(clusters[k]);
  for (auto const& member : inequality.members) {
    with_test(masks.data(), inequality.masks.data() + member.first, universe->words, member.test,
              [&, i = member.variable](auto&& is_blocked) {
                Fixed top = nothing;
                Fixed* const own = priced.data();
                for (std::size_t c = begin[i], stop = end[i]; c < stop; ++c) {
                  Fixed const now = own[c] + (is_blocked(c) ? 0 : change);
                  own[c] = now;
                  top = now > top ? now : top;
                }
                best[i] = top;
              });
    paid[member.variable] += change;
  }
  clusters[k].price += change;
  prices += static_cast<Fixed>(need) * change;
}

void Problem::reprice_cut(std::size_t k, Fixed change) {
  if (change == 0) return;
  CutRule const& rule = *cuts[k].rule;
  for (auto const& member : rule.members) {
    Index const i = member.variable;
    if (begin[i] == end[i]) continue;  // not here, or nothing left of it
    Fixed top = nothing;
    for (std::size_t c = begin[i]; c < end[i]; ++c) {
      priced[c] += rule.weight(member, origin[c]) * change;
      top = std::max(top, priced[c]);
    }
    best[i] = top;
    paid[i] += static_cast<Fixed>(member.most) * change;
  }
  cuts[k].price += change;
  prices += cuts[k].need * change;
}

std::int64_t Problem::need_left(CutRule const& rule) const {
  std::int64_t need = rule.need;
  for (auto const& [variable, candidates] : elsewhere) {
    unsigned most = 0;
    for (std::size_t const c : candidates) most = std::max(most, rule.weight(variable, c));
    need -= most;
  }
  return need;
}

bool Problem::add_cut(std::shared_ptr<CutRule const> const& rule) {
  std::int64_t const need = need_left(*rule);
  if (need <= 0) return false;
  cuts.push_back({rule, need, 0});
  return true;
}

void Problem::drop_free_clusters() {
  std::erase_if(clusters, [](Cluster const& cluster) { return cluster.price == 0; });
  std::erase_if(cuts, [](Cut const& cut) { return cut.price == 0; });
}

void Problem::replace_prices(std::vector<Cluster> const& given) {
  priced = value;
  prices = 0;
  for (Index const i : variables) {
    paid[i] = 0;
    refresh(i);
  }
  clusters.clear();
  cuts.clear();
  for (auto const& cluster : given) add_priced(cluster);
}

Cluster Problem::left_of(Cluster const& cluster, WideVarSet const& part,
                         WideVarSet const& before) const {
  // The first `need` members in any order count for the inequality. Of a plain inequality those
  // placed before are among them, and the next have fewer parents among the rest than the
  // inequality still needs. A inequality of four becomes a plain inequality of need 1: the first of
  // the rest has no parents there.
  Cluster rest{WideVarSet(universe->n), 0, cluster.price};
  std::size_t earlier = 0;
  for (std::size_t const v : cluster.members) {
    if (part.contains(v)) rest.members.insert(v);
    if (before.contains(v)) ++earlier;
  }
  if (earlier >= cluster.need) return rest;
  std::size_t const here = rest.members.size();
  if (!cluster.plain()) {
    if (here == 4) return cluster;
    rest.need = here > 1 ? 1 : 0;
    return rest;
  }
  std::size_t const need = cluster.need - earlier;
  rest.need = here > need ? need : 0;  // as many members as it needs are never blocked
  return rest;
}

void Problem::place(Index i, std::size_t c) {
  WideVarSet one(universe->n), others(universe->n);
  one.insert(i);
  for (Index const v : variables)
    if (v != i) others.insert(v);
  std::vector<Cluster> later;
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    if (!clusters[k].members.contains(i)) continue;
    if (auto rest = left_of(clusters[k], others, one); rest.need > 0)
      later.push_back(std::move(rest));
    reprice(k, -clusters[k].price);
  }
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    Cut& cut = cuts[k];
    auto const given = static_cast<std::int64_t>(cut.rule->weight(i, origin[c]));
    if (given >= cut.need) {
      reprice_cut(k, -cut.price);
    } else {
      cut.need -= given;
      prices -= given * cut.price;
    }
  }
  drop_free_clusters();
  base += value[c];
  placed.emplace_back(i, origin[c]);
  elsewhere.push_back({i, {origin[c]}});
  variables.erase(std::find(variables.begin(), variables.end(), i));
  end[i] = begin[i];
  std::size_t const words = universe->words;
  for (auto const [child, bit] : universe->children[i]) {
    Word const clear = ~(Word{1} << bit % 64);
    for (std::size_t k = begin[child]; k < end[child]; ++k) masks[k * words + bit / 64] &= clear;
  }
  for (auto& cluster : later) add_priced(std::move(cluster));
}

void Problem::add_priced(Cluster cluster) {
  Fixed const price = cluster.price;
  cluster.price = 0;
  clusters.push_back(std::move(cluster));
  reprice(clusters.size() - 1, price);
}

Problem Problem::restricted_to(WideVarSet const& part, WideVarSet const& before) const {
  std::size_t const words = universe->words;
  Problem out;
  out.universe = universe;
  out.begin.assign(universe->n, 0);
  out.end.assign(universe->n, 0);
  out.best.assign(universe->n, nothing);
  out.paid.assign(universe->n, 0);
  std::vector<Word> local(words);
  for (Index const i : variables) {
    if (!part.contains(i)) continue;
    out.variables.push_back(i);
    localise(part, i, local.data());
    out.begin[i] = out.value.size();
    for (std::size_t c = begin[i]; c < end[i]; ++c) {
      out.value.push_back(value[c]);
      out.priced.push_back(value[c]);
      out.origin.push_back(origin[c]);
      for (std::size_t w = 0; w < words; ++w) out.masks.push_back(mask(c)[w] & local[w]);
    }
    out.end[i] = out.value.size();
    out.refresh(i);
  }
  for (auto const& cluster : clusters) {
    if (cluster.price == 0) continue;
    if (auto rest = left_of(cluster, part, before); rest.need > 0) out.add_priced(std::move(rest));
  }
  out.elsewhere = elsewhere;
  for (Index const i : variables) {
    if (part.contains(i)) continue;
    out.elsewhere.push_back({i, {}});
    for (std::size_t c = begin[i]; c < end[i]; ++c)
      out.elsewhere.back().candidates.push_back(origin[c]);
  }
  for (auto const& cut : cuts)
    if (cut.price > 0 && out.add_cut(cut.rule)) out.reprice_cut(out.cuts.size() - 1, cut.price);
  return out;
}

Problem Problem::compact() const {
  std::size_t const words = universe->words;
  std::size_t const count = candidate_count();
  Problem out;
  out.universe = universe;
  out.variables = variables;
  out.begin.assign(universe->n, 0);
  out.end.assign(universe->n, 0);
  out.best = best;
  out.paid = paid;
  out.clusters = clusters;
  out.cuts = cuts;
  out.elsewhere = elsewhere;
  out.prices = prices;
  out.base = base;
  out.placed = placed;
  out.value.reserve(count);
  out.priced.reserve(count);
  out.origin.reserve(count);
  out.masks.reserve(count * words);
  auto const at = [](auto& items, std::size_t k) {
    return items.begin() + static_cast<std::ptrdiff_t>(k);
  };
  for (Index const i : variables) {
    out.begin[i] = out.value.size();
    out.value.insert(out.value.end(), at(value, begin[i]), at(value, end[i]));
    out.priced.insert(out.priced.end(), at(priced, begin[i]), at(priced, end[i]));
    out.origin.insert(out.origin.end(), at(origin, begin[i]), at(origin, end[i]));
    out.masks.insert(out.masks.end(), at(masks, begin[i] * words), at(masks, end[i] * words));
    out.end[i] = out.value.size();
  }
  return out;
}

Problem whole_problem(ScoreCache const& cache, Universe const& universe, Fixed most) {
  std::size_t const n = universe.n;
  Problem problem;
  problem.universe = &universe;
  problem.begin.assign(n, 0);
  problem.end.assign(n, 0);
  problem.best.assign(n, 0);
  problem.paid.assign(n, 0);
  std::vector<Index> bit(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const v = static_cast<Variable>(i);
    problem.variables.push_back(v);
    problem.begin[i] = problem.value.size();
    if (universe.shared) {
      for (std::size_t p = 0; p < n; ++p) bit[p] = static_cast<Index>(p);
    } else {
      for (std::size_t k = 0; k < universe.members[i].size(); ++k)
        bit[universe.members[i][k]] = static_cast<Index>(k);
    }
    Fixed const top = cache.score(cache.begin(v));
    for (std::size_t c = cache.begin(v); c < cache.end(v) && top - cache.score(c) <= most; ++c) {
      problem.value.push_back(cache.score(c) - top);
      problem.origin.push_back(c);
      std::size_t const at = problem.masks.size();
      problem.masks.resize(at + universe.words, 0);
      for (auto const p : cache.parents(c))
        problem.masks[at + bit[p] / 64] |= Word{1} << bit[p] % 64;
    }
    problem.end[i] = problem.value.size();
  }
  problem.priced = problem.value;
  return problem;
}

}  // namespace bayesloom::dual
