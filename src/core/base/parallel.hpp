// Shares numbered tasks among threads. The calling thread works too and keeps polling Control while it
// waits for the others, so Ctrl-C is heard. Which thread takes which task is not determined: for a result that does
// not depend on the number of threads, store each task's result in the task's own place and combine them in task
// order.
//
// A small job stays on one thread: other threads are asked for help only once the kernel has taken some milliseconds,
// which is checked between tasks and at every poll of Control.
#pragma once

#include <cstddef>
#include <functional>

#include "base/control.hpp"

namespace bayesloom {

/// Calls `body(task, worker)` for every task in 0 .. tasks-1, with worker in 0 .. threads-1.
/// Stops handing out tasks once `control` says stop or a body throws; the first exception is
/// rethrown here after all threads have ended.
void parallel_for(std::size_t threads, std::size_t tasks, Control& control,
                  std::function<void(std::size_t task, std::size_t worker)> const& body);

/// The same for a short job, milliseconds, that runs to its end whatever happens. Other threads are asked
/// at once.
void parallel_for(std::size_t threads, std::size_t tasks,
                  std::function<void(std::size_t task, std::size_t worker)> const& body);

/// What calls of parallel_for took. Seconds; those of calls within calls are part of the call around them.
struct ParallelUse {
  std::size_t regions = 0;  ///< calls, not those within calls
  std::size_t tasks = 0;    ///< of these
  std::size_t started = 0;  ///< how often another thread was asked to help
  double wall = 0;          ///< from begin to end of each
  double cpu = 0;           ///< of all threads
  double busiest = 0;       ///< of the busiest thread of each call, as it was
  /// Of the busiest thread of each call if every thread had a processor of its own: tasks, each with the
  /// CPU time it took, go in their order to the thread that is free first.
  double longest = 0;
};

/// What was collected since the last time this was called; collects from now on if `wanted`.
ParallelUse parallel_use(bool wanted);

/// The number of threads to use: `wanted`, or for 0 the processors this process may run on.
std::size_t thread_count(std::size_t wanted);

}  // namespace bayesloom
