// The cache as this room sees it: parts that are independent of each other, with the weights of families.
//
// A family is a variable with one candidate parent set. No cycle leaves a strong component of the graph
// of all candidate parents [fan2014], so the posterior over networks is a product over components
// ("parts"); within one, only parents that are members of it matter. The weight of a family is
// exp(-loss), its loss being how far the candidate's score lies below the variable's best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/variable.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom::posterior {

/// A number that stands for a variable; sets have those of their members joined by exclusive or, so that
/// one member more or less is one operation. Two sets of a cache share one with a chance of 2^-64.
inline std::uint64_t key_of(Variable v) {
  std::uint64_t z = (std::uint64_t{v} + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

struct Family {
  std::size_t candidate;  ///< in the score cache
  std::uint64_t key;      ///< of all parents, also those outside the part
  double loss;            ///< nats, 0 or more
  std::uint32_t first,
      end;  ///< its parents within the part: member numbers, ascending, at these places
};

struct Part {
  std::vector<Variable> variables;            ///< member i is variables[i]; ascending
  std::vector<std::vector<Family>> families;  ///< of each member, least loss first
  std::vector<std::vector<std::uint32_t>>
      parents;  ///< of each member, those of all families in turn

  std::size_t size() const { return variables.size(); }
  std::span<std::uint32_t const> of(std::size_t member, Family const& family) const {
    return std::span(parents[member]).subspan(family.first, family.end - family.first);
  }
};

/// The parts, largest first, then by their first variable.
std::vector<Part> parts_of(ScoreCache const& cache);

}  // namespace bayesloom::posterior
