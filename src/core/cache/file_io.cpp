#include "cache/file_io.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/errors.hpp"
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

AtomicFile::AtomicFile(std::string const& path) : shown_(printable(path)), target_(path) {
  static std::atomic<unsigned> serial{0};
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode))
      throw InputError(shown_ + ": cannot write this file: it exists and is not a regular file.");
    if (char* const real = ::realpath(path.c_str(), nullptr)) {
      target_ = real;
      std::free(real);
    }
  }
  do {
    temporary_ =
        target_ + "." + std::to_string(::getpid()) + "-" + std::to_string(serial++) + ".tmp";
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) fail(errno);
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(void const* data, std::size_t size) {
  auto const* bytes = static_cast<char const*>(data);
  while (size > 0) {
    ::ssize_t const written = ::write(file_, bytes, size);
    if (written < 0 && errno != EINTR) fail(errno);
    if (written > 0) {
      bytes += written;
      size -= static_cast<std::size_t>(written);
    }
  }
}

void AtomicFile::commit() {
  if (::fsync(file_) != 0) fail(errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  ::close(file_);
  file_ = -1;
  // The new name is safe only once the folder is on the disk too; where a folder cannot be flushed
  // the system does it in its time.
  std::size_t const slash = target_.rfind('/');
  std::string const folder = slash == std::string::npos ? "." : target_.substr(0, slash + 1);
  int const opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  (void)::fsync(opened);
  ::close(opened);
}

void AtomicFile::fail(int error) const {
  std::string const message = shown_ + ": cannot write this file: " + reason(error) + ".";
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) throw ResourceError(message);
  throw InputError(message);
}

}  // namespace bayesloom
