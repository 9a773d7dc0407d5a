// Exact sums over all networks of a part: the total weight, and the posterior of every family.
//
// W_i(S) = sum of the weights of i's families with parents inside S. For a set U of variables,
//
//   g(U) = weight of all networks on U            (parents inside U)
//   h(U) = weight of all acyclic ways to choose parents for the variables outside U
//
// Inclusion and exclusion over sets of sinks T of a network on U [tian2009] gives
//
//   g(U) = sum over T in U, not empty, of  (-1)^(|T|+1) g(U - T) prod over i in T of W_i(U - T)
//
// and Z = g(V): 3^n terms. Run backwards, dZ/dg(R) = h(R), by the same terms,
//
//   h(R) = sum over T in V - R, not empty, of (-1)^(|T|+1) h(R + T) prod over i in T of W_i(R)
//   W_i(R) dZ/dW_i(R) = g(R) times those of these terms with i in T
//   P(i has parents P) = exp(-loss(i, P)) / Z  times  the sum over S containing P of dZ/dW_i(S)
//
// The last sum is one superset transform for all P together. The absolute value of each term is the weight of a
// subset of the networks that the sum counts (those in which T are sinks, or come right after R), so no term
// exceeds the sum, and cancellation costs about n of the 53 bits. `deviation` measures the loss: the posteriors
// of the families of a variable should add up to 1.
//
// g(U) is stored in units of 2^E(U), with E(U) = max over x in U of E(U - x) + exponent of W_x(U - x), and h(U)
// in units of 2^(E(V) - E(U)); what underflows is less than 2^-1000 of the total.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/control.hpp"
#include "base/scaled.hpp"
#include "posterior/parts.hpp"

namespace bayesloom::posterior {

class ExactSums {
 public:
  /// Bytes of memory that a part of n members takes, and those of each thread beyond the first.
  static double bytes(std::size_t n);
  static double bytes_of_thread(std::size_t n);

  /// Nothing if stopped. Throws InfeasibleError if there is no network.
  static std::optional<ExactSums> make(Part const& part, std::size_t threads, Control& control);

  /// ln Z, where the best family of each variable has weight 1.
  double log_total() const;
  /// The posterior of each family, in the order of part.families, member by member.
  std::vector<double> const& families() const { return families_; }
  /// The largest distance from 1 of the sum of a member's posteriors, before they are normalized.
  double deviation() const { return deviation_; }

  // What exact draws need (exact_draws.hpp).
  Part const& part() const { return *part_; }
  Scaled const& alpha(std::size_t member, std::size_t set) const {
    return alpha_[member][without_bit(set, member)];
  }
  /// h(U) in units of 2^(E(V) - E(U)).
  double completion(std::size_t set) const { return after_[set]; }
  std::int64_t unit(std::size_t set) const { return unit_[set]; }

 private:
  struct Terms;

  explicit ExactSums(Part const& part);
  void sum_families(std::size_t threads, Control& control);
  bool forwards(std::size_t threads, Control& control);
  bool backwards(std::size_t threads, Control& control);
  bool spread(std::size_t threads, Control& control);
  /// Fills in all products of W_i(R) over sets of others.
  void terms(std::size_t placed, Terms& out) const;

  static std::size_t without_bit(std::size_t set, std::size_t bit) {
    std::size_t const low = (std::size_t{1} << bit) - 1;
    return (set & low) | (set >> 1 & ~low);
  }

  Part const* part_;
  std::size_t n_, size_;
  std::vector<std::vector<Scaled>> alpha_;  // W_i by i and set without i
  std::vector<std::vector<double>> slope_;  // W_i(R) dZ/dW_i(R) in units of Z's, likewise
  std::vector<std::int64_t> unit_;          // E(U)
  std::vector<double> before_, after_;      // g and h
  std::vector<double> families_;
  double deviation_ = 0;
};

}  // namespace bayesloom::posterior
