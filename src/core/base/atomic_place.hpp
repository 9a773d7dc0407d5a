// What std::atomic_ref and std::atomic<double> do, relaxed; the standard library of Apple's systems has them whole only
// from its version 19 on.
#pragma once

#include <atomic>

namespace bayesloom {

/// A place in an array that several threads change at once.
template <typename T>
class AtomicPlace {
 public:
  explicit AtomicPlace(T& place) : place_(place) {}

#ifdef __cpp_lib_atomic_ref
  T load() const { return std::atomic_ref<T>(place_).load(std::memory_order_relaxed); }
  bool replace(T& known, T value) const {
    return std::atomic_ref<T>(place_).compare_exchange_weak(known, value,
                                                            std::memory_order_relaxed);
  }
  void set_bits(T bits) const {
    std::atomic_ref<T>(place_).fetch_or(bits, std::memory_order_relaxed);
  }
#else
  T load() const { return __atomic_load_n(&place_, __ATOMIC_RELAXED); }
  bool replace(T& known, T value) const {
    return __atomic_compare_exchange_n(&place_, &known, value, true, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
  }
  void set_bits(T bits) const { __atomic_fetch_or(&place_, bits, __ATOMIC_RELAXED); }
#endif

 private:
  T& place_;
};

/// Adds to a number that several threads change; returns what it was.
inline double add_to(std::atomic<double>& number, double more) {
  double known = number.load();
  while (!number.compare_exchange_weak(known, known + more)) {
  }
  return known;
}

}  // namespace bayesloom
