#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/late_start.hpp"
#include "base/system.hpp"

namespace bayesloom {

namespace {

/// A pool of threads that wait a moment for the next job: with many short jobs, starting a thread for each would
/// cost as much as the work. Threads that get no job end, so that an idle process has none.
class Helpers {
 public:
  /// Of this process: a child of a fork has none of its parent's threads and begins anew.
  static Helpers& of_process() {
    static std::atomic<Helpers*> known{nullptr};
    Helpers* helpers = known.load(std::memory_order_acquire);
    if (helpers != nullptr && helpers->process_ == system_calls::process_id()) return *helpers;
    auto* const fresh = new Helpers;  // never deleted: threads may wait in it when the process ends
    if (known.compare_exchange_strong(helpers, fresh, std::memory_order_acq_rel)) return *fresh;
    delete fresh;
    return *helpers;
  }

  /// Whether some wait for a job at this moment.
  bool some_idle() {
    std::scoped_lock const lock(mutex_);
    return !idle_.empty();
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

  std::uint64_t const process_ = system_calls::process_id();
  std::mutex mutex_;
  std::vector<Helper*> idle_;
};

std::atomic<bool> use_wanted{false};
std::mutex use_mutex;
ParallelUse use;
thread_local bool inside = false;  // of a call that is measured
thread_local double shift =
    0;  // how much longer calls within took than the CPU time of this thread

/// Seconds until the last of the tasks is done if each goes, in order, to the thread that is free first.
double longest(std::span<double const> tasks, std::size_t threads) {
  std::vector<double> until(threads);  // a heap: who is free first is at the front
  for (double const task : tasks) {
    std::ranges::pop_heap(until, std::greater<>());
    until.back() += task;
    std::ranges::push_heap(until, std::greater<>());
  }
  return *std::ranges::max_element(until);
}

/// One call of parallel_for.
class Shared final : public LateStart {
 public:
  using Body = std::function<void(std::size_t, std::size_t)>;

  /// Without `control` others are asked at once, and nothing stops it.
  Shared(std::size_t threads, std::size_t tasks, Control* control, Body const& body)
      : threads_(std::max<std::size_t>(1, std::min(threads, tasks))),
        tasks_(tasks),
        control_(control),
        body_(body),
        measured_(inside || use_wanted.load(std::memory_order_relaxed)),
        seconds_(measured_ ? threads_ : 0),
        task_seconds_(measured_ ? tasks : 0) {}

  void run() {
    auto const begin = std::chrono::steady_clock::now();
    LateStart* const outer = waiting;
    asked_ = threads_ == 1;
    waiting = nullptr;
    if (!asked_) {
      if (control_ == nullptr || Helpers::of_process().some_idle())
        ask_for_help();
      else
        waiting = this;
    }
    work(0);
    waiting = outer;
    wait_for_the_others();
    if (measured_) tell(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin));
    if (error_) std::rethrow_exception(error_);
  }

  void look() override {
    if (thread_seconds() - since < alone) return;
    waiting = nullptr;
    ask_for_help();
  }

 private:
  /// CPU seconds for which a kernel has one thread: to start fifteen takes half a millisecond, and what
  /// is done by then is not worth it.
  static constexpr double alone = 3e-3;

  bool stopped() const { return control_ != nullptr && control_->stopped(); }

  void work(std::size_t worker) {
    double const before = measured_ ? thread_seconds() : 0;
    bool const outer = std::exchange(inside, measured_);
    try {
      for (std::size_t task; (task = next_.fetch_add(1)) < tasks_ && !stopped();) {
        if (measured_) {
          double const begin = thread_seconds() + shift;
          body_(task, worker);
          task_seconds_[task] = thread_seconds() + shift - begin;
        } else {
          body_(task, worker);
        }
        if (waiting == this) look();
      }
    } catch (...) {
      std::scoped_lock const lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_ = tasks_;
    }
    inside = outer;
    if (measured_) seconds_[worker] = thread_seconds() - before;
  }

  void ask_for_help() {
    asked_ = true;
    Helpers& helpers = Helpers::of_process();
    std::size_t const begun = std::min(next_.load(), tasks_);
    std::size_t const wanted = std::min(threads_ - 1, tasks_ - begun);
    for (std::size_t worker = 1; worker <= wanted; ++worker) {
      {
        std::scoped_lock const lock(mutex_);
        ++running_;
      }
      try {
        helpers.start([this, worker] { work(worker); },
                      [this] {
                        std::scoped_lock const lock(mutex_);
                        --running_;
                        ended_.notify_one();
                      });
        ++started_;
      } catch (...) {  // no thread to be had: those that are there do it
        std::scoped_lock const lock(mutex_);
        --running_;
        break;
      }
    }
  }

  /// The calling thread goes on listening meanwhile.
  void wait_for_the_others() {
    if (started_ == 0) return;
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::milliseconds(50), [&] { return running_ == 0; })) {
      lock.unlock();
      if (control_ != nullptr) control_->should_stop(0);
      lock.lock();
    }
  }

  void tell(std::chrono::duration<double> wall) const {
    double const ideal = longest(task_seconds_, threads_);
    double cpu = 0;
    for (double const s : seconds_) cpu += s;
    std::scoped_lock const lock(use_mutex);
    use.started += started_;
    if (inside) {  // what this thread took is counted by the call around this one
      shift += ideal - seconds_[0];
      use.cpu += cpu - seconds_[0];
      return;
    }
    ++use.regions;
    use.tasks += tasks_;
    use.wall += wall.count();
    use.busiest += *std::ranges::max_element(seconds_);
    use.longest += ideal;
    use.cpu += cpu;
  }

  std::size_t const threads_, tasks_;
  Control* const control_;
  Body const& body_;
  bool const measured_;
  bool asked_ = false;
  std::size_t started_ = 0;
  std::vector<double> seconds_;       // by thread
  std::vector<double> task_seconds_;  // by task

  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::exception_ptr error_;
  std::size_t running_ = 0;
};

}  // namespace

void parallel_for(std::size_t threads, std::size_t tasks, Control& control,
                  std::function<void(std::size_t, std::size_t)> const& body) {
  Shared(threads, tasks, &control, body).run();
}

void parallel_for(std::size_t threads, std::size_t tasks,
                  std::function<void(std::size_t, std::size_t)> const& body) {
  Shared(threads, tasks, nullptr, body).run();
}

ParallelUse parallel_use(bool wanted) {
  std::scoped_lock const lock(use_mutex);
  use_wanted.store(wanted, std::memory_order_relaxed);
  return std::exchange(use, {});
}

std::size_t thread_count(std::size_t wanted) {
  return wanted > 0 ? wanted : system_calls::processors();
}

}  // namespace bayesloom
