// The score cache as this room sees it: independent parts, and within each the weights of families.
//
// A family is a variable with one candidate parent set. Every cycle lies within one strong component of the
// graph of all candidate parents [fan2014], so the posterior over networks is a product over components
// ("parts"), and within a part only parents that are members of it matter. The weight of a family is
// exp(-loss); its loss is how far the candidate's score lies below the best of its variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/variable.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom::posterior {

/// Zobrist key of a variable. The key of a set is the exclusive or of its members' keys, so adding or removing a
/// member is one operation. Two given sets have the same key with probability 2^-64.
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
      parents;  ///< of each member: the parents of all its families, one after the other

  std::size_t size() const { return variables.size(); }
  std::span<std::uint32_t const> of(std::size_t member, Family const& family) const {
    return std::span(parents[member]).subspan(family.first, family.end - family.first);
  }
};

/// The parts, largest first, then by their first variable.
std::vector<Part> parts_of(ScoreCache const& cache);

}  // namespace bayesloom::posterior
