#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace bayesloom {

void parallel_for(std::size_t threads, std::size_t tasks, Control& control,
                  std::function<void(std::size_t, std::size_t)> const& body) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::condition_variable ended;
  std::exception_ptr error;
  std::size_t running = 0;

  auto const work = [&](std::size_t worker) {
    try {
      for (std::size_t task; (task = next.fetch_add(1)) < tasks && !control.stopped();)
        body(task, worker);
    } catch (...) {
      std::scoped_lock const lock(mutex);
      if (!error) error = std::current_exception();
      next = tasks;
    }
  };

  threads = std::max<std::size_t>(1, std::min(threads, tasks));
  std::vector<std::jthread> helpers;
  running = threads - 1;
  for (std::size_t worker = 1; worker < threads; ++worker)
    helpers.emplace_back([&, worker] {
      work(worker);
      std::scoped_lock const lock(mutex);
      --running;
      ended.notify_one();
    });
  work(0);
  for (std::unique_lock lock(mutex); running > 0;) {
    ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; });
    lock.unlock();
    control.should_stop(0);
    lock.lock();
  }
  helpers.clear();
  if (error) std::rethrow_exception(error);
}

std::size_t thread_count(std::size_t wanted) {
  if (wanted > 0) return wanted;
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&allowed)));
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace bayesloom
