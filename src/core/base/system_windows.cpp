#include <windows.h>

#include <algorithm>
#include <thread>

#include "base/system.hpp"

namespace bayesloom::system_calls {

std::uint64_t process_id() { return ::GetCurrentProcessId(); }

std::size_t processors() {
  DWORD_PTR allowed = 0, all = 0;
  std::size_t count = 0;
  if (::GetProcessAffinityMask(::GetCurrentProcess(), &allowed, &all) != 0)
    for (; allowed != 0; allowed &= allowed - 1) ++count;
  return count > 0 ? count : std::max(1U, std::thread::hardware_concurrency());
}

double thread_seconds() {
  FILETIME made, ended, system, user;
  if (::GetThreadTimes(::GetCurrentThread(), &made, &ended, &system, &user) == 0) return 0;
  auto const seconds = [](FILETIME const& time) {
    return 1e-7 * (4294967296.0 * time.dwHighDateTime + time.dwLowDateTime);
  };
  return seconds(system) + seconds(user);
}

void* reserve_memory(std::size_t bytes) {
  return ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void release_memory(void* memory, std::size_t /*bytes*/) noexcept {
  ::VirtualFree(memory, 0, MEM_RELEASE);
}

}  // namespace bayesloom::system_calls
