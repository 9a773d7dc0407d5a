// The law of every move: what it leads to from the stationary distribution is the stationary distribution.
//
// A part of a few members with random families, some with a parent outside the part. All its networks and
// partitions are enumerated, with their weights by definition. Each move is made many times from each state; the
// distribution after one move is the sum of these shares by the probability of the state. Prints, for each move,
// its name, how many of its runs changed the state, and the largest distance from the stationary distribution in
// standard errors (test_moves.py).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "posterior/exchange.hpp"
#include "posterior/network_moves.hpp"
#include "posterior/partition_chain.hpp"

using namespace bayesloom;
using namespace bayesloom::posterior;

namespace {

using Families = std::vector<std::uint32_t>;
using Layers = std::vector<std::uint32_t>;

/// Up to `each` families of every member: the empty set, and random ones.
Part random_part(std::size_t n, std::size_t each, Rng& random) {
  Part part;
  for (std::uint32_t v = 0; v < n; ++v) {
    part.variables.push_back(static_cast<Variable>(v));
    std::vector<std::pair<double, std::uint32_t>> sets = {{random.uniform() * 3, 0}};
    for (std::uint32_t set = 1; set < (1U << (n + 1)); ++set)  // bit n is a variable outside
      if ((set >> v & 1) == 0) sets.emplace_back(random.uniform() * 3, set);
    for (std::size_t k = 1; k < sets.size(); ++k)
      std::swap(sets[k], sets[k + random.below(sets.size() - k)]);
    sets.resize(std::min(each, sets.size()));
    std::ranges::sort(sets);
    auto& families = part.families.emplace_back();
    auto& flat = part.parents.emplace_back();
    for (auto const& [score, set] : sets) {
      auto const first = static_cast<std::uint32_t>(flat.size());
      std::uint64_t key = 0;
      for (std::uint32_t p = 0; p <= n; ++p)
        if ((set >> p & 1) != 0) {
          key ^= key_of(static_cast<Variable>(p));
          if (p < n) flat.push_back(p);
        }
      families.push_back({families.size(), key, score - sets.front().first, first,
                          static_cast<std::uint32_t>(flat.size())});
    }
  }
  return part;
}

/// The layer of each member: the length of the longest path to it.
Layers layers_of(Part const& part, Families const& families) {
  Layers layers(part.size(), 0);
  for (std::size_t round = 0; round < part.size(); ++round)
    for (std::size_t v = 0; v < part.size(); ++v)
      for (std::uint32_t const p : part.of(v, part.families[v][families[v]]))
        layers[v] = std::max(layers[v], layers[p] + 1);
  return layers;
}

bool has_cycle(Part const& part, Families const& families) {
  for (std::uint32_t const t : layers_of(part, families))
    if (t >= part.size()) return true;
  return false;
}

std::vector<Families> all_networks(Part const& part) {
  std::vector<Families> out;
  Families now(part.size(), 0);
  while (true) {
    if (!has_cycle(part, now)) out.push_back(now);
    std::size_t v = 0;
    while (v < now.size() && ++now[v] == part.families[v].size()) now[v++] = 0;
    if (v == now.size()) return out;
  }
}

double loss_of(Part const& part, Families const& families) {
  double sum = 0;
  for (std::size_t v = 0; v < families.size(); ++v) sum += part.families[v][families[v]].loss;
  return sum;
}

void normalize(std::vector<double>& weights) {
  double sum = 0;
  for (double const w : weights) sum += w;
  for (double& w : weights) w /= sum;
}

/// Shares of states after a move from each state, summed by the probability of that state.
class Law {
 public:
  explicit Law(std::vector<double> stationary)
      : stationary_(std::move(stationary)),
        after_(stationary_.size(), 0.0),
        variance_(stationary_.size(), 0.0),
        arrived_(stationary_.size(), 0) {}

  void add(std::size_t from, std::vector<std::uint64_t> const& counts) {
    double runs = 0;
    for (auto const c : counts) runs += static_cast<double>(c);
    if (runs == 0) std::abort();
    for (std::size_t to = 0; to < counts.size(); ++to) {
      double const share = static_cast<double>(counts[to]) / runs;
      after_[to] += stationary_[from] * share;
      variance_[to] += stationary_[from] * stationary_[from] * share * (1 - share) / (runs - 1);
      if (to == from) continue;
      arrived_[to] += counts[to];
      changed_ += counts[to];
    }
  }

  void print(std::string const& name) const {
    double most = 0;
    for (std::size_t s = 0; s < after_.size(); ++s)
      if (arrived_[s] >= 1000)  // fewer do not tell what the variance is
        most = std::max(most, std::abs(after_[s] - stationary_[s]) / std::sqrt(variance_[s]));
    std::printf("%s %llu %.2f\n", name.c_str(), static_cast<unsigned long long>(changed_), most);
  }

 private:
  std::vector<double> stationary_, after_, variance_;
  std::vector<std::uint64_t> arrived_;
  std::uint64_t changed_ = 0;
};

void networks(Part const& part, Rng& random, std::string const& which) {
  auto const all = all_networks(part);
  std::map<Families, std::size_t> index;
  for (std::size_t s = 0; s < all.size(); ++s) index[all[s]] = s;
  LocalSums const sums(part, 1 << 20);
  Blocks const blocks(part);
  NetworkMoves moves(sums, blocks);
  MoveCounts counts;
  for (double const heat : {1.0, 0.4}) {
    HeatedWeights const weights(part, heat);
    std::vector<double> stationary;
    for (auto const& families : all) stationary.push_back(std::exp(-heat * loss_of(part, families)));
    normalize(stationary);
    auto const test = [&](std::string const& name, auto const& move) {
      Law law(stationary);
      for (std::size_t s = 0; s < all.size(); ++s) {
        std::vector<std::uint64_t> reached(all.size(), 0);
        PartNetwork const begin(part, all[s]);
        for (int run = 0; run < 3000; ++run) {
          PartNetwork network = begin;
          move(network);
          Layers place(part.size());
          for (std::uint32_t k = 0; k < part.size(); ++k) place[network.order[k]] = k;
          for (std::size_t v = 0; v < part.size(); ++v)
            for (std::uint32_t const p : part.of(v, part.families[v][network.family[v]]))
              if (place[p] > place[v]) std::abort();  // the order is not one of the network
          ++reached[index.at(network.family)];
        }
        law.add(s, reached);
      }
      law.print(name + "-" + which + (heat < 1 ? "-hot" : ""));
    };
    for (std::size_t size = 1; size <= part.size(); ++size)
      test("block" + std::to_string(size), [&](PartNetwork& network) {
        moves.draw_block(network, size, weights, random, counts);
      });
    test("walk", [&](PartNetwork& network) { moves.walk(network, heat, random, counts); });
  }
}

/// Moves of partitions by kind, a split and a join being one kind, and draws of networks; with tables of sums and
/// without.
void partitions(Part const& part, Rng& random, std::string const& which, std::size_t table_bytes) {
  auto const all = all_networks(part);
  std::map<Layers, std::vector<std::size_t>> of;
  for (std::size_t s = 0; s < all.size(); ++s) of[layers_of(part, all[s])].push_back(s);
  std::map<Layers, std::size_t> index;
  std::vector<double> stationary;
  for (auto const& [layers, members] : of) {
    index[layers] = stationary.size();
    double sum = 0;
    for (std::size_t const s : members) sum += std::exp(-loss_of(part, all[s]));
    stationary.push_back(sum);
  }
  auto const weights = stationary;
  normalize(stationary);
  LocalSums const sums(part, table_bytes);
  PartitionChain chain(sums);
  char const* const names[] = {"move", "near", "swap", "cut"};
  std::vector<Law> laws(4, Law(stationary));
  std::vector<double> of_networks;
  for (auto const& families : all) of_networks.push_back(std::exp(-loss_of(part, families)));
  normalize(of_networks);
  Law drawn(of_networks);
  for (auto const& [layers, members] : of) {
    std::vector<std::vector<std::uint64_t>> reached(4, std::vector<std::uint64_t>(of.size(), 0));
    PartNetwork const begin(part, all[members.front()]);
    for (int run = 0; run < 10000; ++run) {
      if (!chain.begin(begin)) std::abort();
      MoveCounts counts;
      chain.step(random, counts);
      std::size_t kind = 0;
      while (counts.tried[kind] == 0) ++kind;
      Layers const now(chain.layers().begin(), chain.layers().end());
      std::size_t const at = index.at(now);
      if (std::abs(chain.log_weight() - std::log(weights[at])) > 1e-9) std::abort();
      ++reached[std::min<std::size_t>(kind, 3)][at];
    }
    for (std::size_t k = 0; k < 4; ++k) laws[k].add(index.at(layers), reached[k]);
    for (std::size_t const s : members) {  // from a network to its partition, and a network of it
      std::vector<std::uint64_t> to(all.size(), 0);
      PartNetwork network(part, all[s]);
      for (int run = 0; run < 3000; ++run) {
        chain.begin(PartNetwork(part, all[s]));
        chain.draw(network, random);
        ++to[static_cast<std::size_t>(std::ranges::lower_bound(
                                          all, network.family,
                                          [](auto const& a, auto const& b) {
                                            return std::ranges::lexicographical_compare(
                                                a.rbegin(), a.rend(), b.rbegin(), b.rend());
                                          }) -
                                      all.begin())];
      }
      drawn.add(s, to);
    }
  }
  for (std::size_t k = 0; k < 4; ++k) laws[k].print(std::string(names[k]) + "-" + which);
  drawn.print("draw-" + which);
}

void exchanges(Part const& part, Rng& random) {
  auto const all = all_networks(part);
  std::map<Families, std::size_t> index;
  for (std::size_t s = 0; s < all.size(); ++s) index[all[s]] = s;
  double const first_heat = 1, second_heat = 0.55;
  std::vector<double> stationary;
  for (auto const& first : all)
    for (auto const& second : all)
      stationary.push_back(
          std::exp(-first_heat * loss_of(part, first) - second_heat * loss_of(part, second)));
  normalize(stationary);
  Law law(stationary);
  Exchange exchange(part);
  std::uint64_t tried = 0;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b) {
      std::vector<std::uint64_t> reached(stationary.size(), 0);
      PartNetwork const begin_first(part, all[a]), begin_second(part, all[b]);
      for (int run = 0; run < 1500; ++run) {
        PartNetwork first = begin_first, second = begin_second;
        exchange.run(first, first_heat, second, second_heat, 1, random, tried);
        ++reached[index.at(first.family) * all.size() + index.at(second.family)];
      }
      law.add(a * all.size() + b, reached);
    }
  law.print("exchange");
}

}  // namespace

int main() {
  Rng random(1);
  for (int which = 0; which < 3; ++which) {
    // The last has all families of three members, so that edges are covered.
    auto const part = which < 2 ? random_part(4, 4, random) : random_part(3, 8, random);
    networks(part, random, std::to_string(which));
    partitions(part, random, std::to_string(which), which == 0 ? 0 : 1 << 20);
  }
  exchanges(random_part(3, 4, random), random);
}
