#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/errors.hpp"
#include "cache/file_io.hpp"
#include "cache/quoted.hpp"

namespace bayesloom {

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

FileContent::FileContent(std::string const& path, Mode mode) {
  auto const fail = [&](std::string const& why) {
    throw InputError(printable(path) + ": cannot read this file: " + why + ".");
  };
  // Without waiting: a pipe is refused below, and does not keep us until someone writes to it.
  int const file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) fail(reason(errno));
  struct Closer {
    int file;
    ~Closer() { ::close(file); }
  } const closer{file};
  struct stat status{};
  if (::fstat(file, &status) != 0) fail(reason(errno));
  if (!S_ISREG(status.st_mode)) fail("it is not a regular file");
  auto const size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;
  if (mode == Mode::copy) {
    std::shared_ptr<std::uint64_t[]> const words(new std::uint64_t[(size + 7) / 8]);
    auto* const bytes = reinterpret_cast<char*>(words.get());
    std::size_t filled = 0;
    while (filled < size) {
      ::ssize_t const got = ::read(file, bytes + filled, size - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(reason(errno));
      if (got == 0) fail("it became shorter while it was read");
      filled += static_cast<std::size_t>(got);
    }
    storage = words;
    content = {bytes, size};
    return;
  }
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (start == MAP_FAILED) fail(reason(errno));
  ::madvise(start, size, MADV_WILLNEED);
  storage = std::shared_ptr<void const>(
      start, [size](void const* mapped) { ::munmap(const_cast<void*>(mapped), size); });
  content = {static_cast<char const*>(start), size};
}

}  // namespace bayesloom
