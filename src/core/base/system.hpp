// What the core asks of the operating system beside files: processes, processors, clocks, memory.
//
// Files are written and read by cache/atomic_file, cache/file_io and order_graph/scratch. Sources whose names end in
// _posix and _windows are compiled on those systems alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom::system_calls {

/// The number of this process; a child of a fork has another one.
std::uint64_t process_id();

/// How many processors this process may use; at least 1.
std::size_t processors();

/// CPU seconds of the calling thread.
double thread_seconds();

/// Memory full of zeros, of which only what is touched is used; nullptr if the system refuses.
void* reserve_memory(std::size_t bytes);
void release_memory(void* memory, std::size_t bytes) noexcept;

}  // namespace bayesloom::system_calls
