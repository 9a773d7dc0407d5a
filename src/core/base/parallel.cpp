#include "base/parallel.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace bayesloom {

namespace {

/// Threads that have helped and wait a moment for the next job: where jobs are short and many, starting
/// a thread for each costs as much as the work. Those that wait in vain end, so that a quiet process has
/// no threads of ours.
class Helpers {
 public:
  /// Of this process: a child of a fork has none of its parent's threads and begins anew.
  static Helpers& of_process() {
    static std::atomic<Helpers*> known{nullptr};
    Helpers* helpers = known.load(std::memory_order_acquire);
    if (helpers != nullptr && helpers->process_ == ::getpid()) return *helpers;
    auto* const fresh = new Helpers;  // never deleted: threads may wait in it when the process ends
    if (known.compare_exchange_strong(helpers, fresh, std::memory_order_acq_rel)) return *fresh;
    delete fresh;
    return *helpers;
  }

  /// Calls `work` and then `ended` on another thread, which is free for the next job before `ended`.
  void start(std::function<void()> work, std::function<void()> ended) {
    Helper* helper = nullptr;
    {
      std::scoped_lock const lock(mutex_);
      if (!idle_.empty()) {
        helper = idle_.back();
        idle_.pop_back();
      }
    }
    if (helper == nullptr) {
      helper = new Helper;
      helper->work = std::move(work);
      helper->ended = std::move(ended);
      try {
        std::thread([this, helper] { serve(helper); }).detach();
      } catch (...) {
        delete helper;
        throw;
      }
      return;
    }
    std::scoped_lock const lock(helper->mutex);
    helper->work = std::move(work);
    helper->ended = std::move(ended);
    helper->wanted.notify_one();
  }

 private:
  static constexpr auto patience = std::chrono::milliseconds(100);

  struct Helper {
    std::mutex mutex;
    std::condition_variable wanted;
    std::function<void()> work, ended;
  };

  void serve(Helper* helper) {
    for (;;) {
      std::function<void()> work, ended;
      {
        std::unique_lock lock(helper->mutex);
        while (!helper->work)
          if (!helper->wanted.wait_for(lock, patience, [&] { return bool(helper->work); }) &&
              dismissed(helper)) {
            lock.unlock();
            delete helper;
            return;
          }
        work = std::exchange(helper->work, nullptr);
        ended = std::exchange(helper->ended, nullptr);
      }
      work();
      {
        std::scoped_lock const lock(mutex_);
        idle_.push_back(helper);
      }
      ended();
    }
  }

  /// False if somebody has just taken it for a job.
  bool dismissed(Helper* helper) {
    std::scoped_lock const lock(mutex_);
    return std::erase(idle_, helper) > 0;
  }

  pid_t const process_ = ::getpid();
  std::mutex mutex_;
  std::vector<Helper*> idle_;
};

std::atomic<bool> use_wanted{false};
std::mutex use_mutex;
ParallelUse use;
thread_local bool inside = false;  // of a call that is measured

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Shares the tasks among threads; `wait` is called by the calling thread while others are at work.
template <typename Stopped, typename Wait>
void share(std::size_t threads, std::size_t tasks,
           std::function<void(std::size_t, std::size_t)> const& body, Stopped const& stopped,
           Wait const& wait) {
  threads = std::max<std::size_t>(1, std::min(threads, tasks));
  bool const measured = use_wanted.load(std::memory_order_relaxed) && !inside;
  auto const begin = std::chrono::steady_clock::now();
  std::vector<double> seconds(measured ? threads : 0);

  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::condition_variable ended;
  std::exception_ptr error;
  std::size_t running = 0;
  auto const work = [&](std::size_t worker) {
    double const before = measured ? thread_seconds() : 0;
    bool const outer = std::exchange(inside, inside || measured);
    try {
      for (std::size_t task; (task = next.fetch_add(1)) < tasks && !stopped();) body(task, worker);
    } catch (...) {
      std::scoped_lock const lock(mutex);
      if (!error) error = std::current_exception();
      next = tasks;
    }
    inside = outer;
    if (measured) seconds[worker] = thread_seconds() - before;
  };

  if (threads > 1) {
    Helpers& helpers = Helpers::of_process();
    for (std::size_t worker = 1; worker < threads; ++worker) {
      {
        std::scoped_lock const lock(mutex);
        ++running;
      }
      try {
        helpers.start([&work, worker] { work(worker); },
                      [&] {
                        std::scoped_lock const lock(mutex);
                        --running;
                        ended.notify_one();
                      });
      } catch (...) {  // no thread to be had: those that are there do it
        std::scoped_lock const lock(mutex);
        --running;
        break;
      }
    }
  }
  work(0);
  if (threads > 1) {
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
      lock.unlock();
      wait();
      lock.lock();
    }
  }
  if (measured) {
    std::scoped_lock const lock(use_mutex);
    ++use.regions;
    use.wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    use.busiest += *std::ranges::max_element(seconds);
    for (double const s : seconds) use.cpu += s;
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace

void parallel_for(std::size_t threads, std::size_t tasks, Control& control,
                  std::function<void(std::size_t, std::size_t)> const& body) {
  share(threads, tasks, body, [&] { return control.stopped(); }, [&] { control.should_stop(0); });
}

void parallel_for(std::size_t threads, std::size_t tasks,
                  std::function<void(std::size_t, std::size_t)> const& body) {
  share(threads, tasks, body, [] { return false; }, [] {});
}

ParallelUse parallel_use(bool wanted) {
  std::scoped_lock const lock(use_mutex);
  use_wanted.store(wanted, std::memory_order_relaxed);
  return std::exchange(use, {});
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
