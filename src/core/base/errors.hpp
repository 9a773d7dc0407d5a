// The kinds of error the core throws; src/bindings maps each to the Python class of the same
// name. A limit that was reached is not an error: it is an outcome (see control.hpp).
#pragma once

#include <stdexcept>

namespace bayesloom {

/// What was given cannot be used. The message says what, where, what was expected, what to do.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Candidates or constraints that no network satisfies.
struct InfeasibleError : InputError {
  using InputError::InputError;
};

/// Not enough memory, disk or time. The message says how much is needed.
struct ResourceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The core contradicts itself.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

/// Checks an internal contract in debug and sanitize builds; costs nothing in release.
#ifdef BAYESLOOM_ASSERTS
#define BAYESLOOM_ASSERT(condition) \
  ((condition) ? (void)0 : throw ::bayesloom::InternalError("broken contract: " #condition))
#else
#define BAYESLOOM_ASSERT(condition) ((void)0)
#endif

}  // namespace bayesloom
