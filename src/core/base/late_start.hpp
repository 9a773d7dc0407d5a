// Connects parallel_for and Control, so that work runs on one thread until it has taken a while. The thread that
// could share its work registers here, and Control, which every kernel polls at least once a millisecond, asks for
// help once it is time.
#pragma once

#include "base/system.hpp"

namespace bayesloom {

class LateStart {
 public:
  virtual ~LateStart() = default;
  /// Asks other threads for help once it is time to; called by the thread that set it.
  virtual void look() = 0;

  /// Of this thread; none if nothing waits for help.
  static inline constinit thread_local LateStart* waiting = nullptr;
  /// CPU seconds of this thread when it made its last Control, which is when its kernel began. Not the time:
  /// a small job on a busy machine is a small job.
  static inline constinit thread_local double since = 0;

  /// CPU seconds of this thread.
  static double thread_seconds() { return system_calls::thread_seconds(); }
};

}  // namespace bayesloom
