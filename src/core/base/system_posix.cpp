#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <thread>

#include "base/system.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace bayesloom::system_calls {

std::uint64_t process_id() { return static_cast<std::uint64_t>(::getpid()); }

std::size_t processors() {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&allowed)));
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void* reserve_memory(std::size_t bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
  flags |= MAP_NORESERVE;
#endif
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
  madvise(mapped, bytes, MADV_HUGEPAGE);  // a wish; it may be refused
#endif
  return mapped;
}

void release_memory(void* memory, std::size_t bytes) noexcept { munmap(memory, bytes); }

}  // namespace bayesloom::system_calls
