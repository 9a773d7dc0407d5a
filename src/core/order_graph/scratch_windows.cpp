#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/errors.hpp"
#include "base/paths.hpp"
#include "order_graph/scratch.hpp"

namespace bayesloom::order_graph {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t at_once = 1U << 30;  // bytes of one call

/// What Windows says went wrong, as a number of errno.
int last_error() {
  return std::system_category().default_error_condition(static_cast<int>(::GetLastError())).value();
}

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor)); }

OVERLAPPED place(std::uint64_t at) {
  OVERLAPPED where{};
  where.Offset = static_cast<DWORD>(at);
  where.OffsetHigh = static_cast<DWORD>(at >> 32);
  return where;
}

int open_file(std::string const& path, int how) {
  int file = -1;
  int const error = ::_wsopen_s(&file, path_of(path).c_str(), how | _O_BINARY | _O_NOINHERIT,
                                _SH_DENYNO, _S_IREAD | _S_IWRITE);
  if (error != 0) fail("open", path, error);
  return file;
}

[[noreturn]] void foreign(std::string const& path) {
  throw InputError(path +
                   " is a link or of another kind than what a search leaves there, so it is not "
                   "used. Remove it, or give another scratch directory.");
}

int open_own(std::string const& path) {
  if (!fs::is_regular_file(fs::symlink_status(path_of(path)))) foreign(path);
  return open_file(path, _O_RDONLY);
}

int open_new(std::string const& path) {
  remove_file(path);
  return open_file(path, _O_RDWR | _O_CREAT | _O_EXCL);
}

}  // namespace

ScratchFile::ScratchFile(std::string path, Mode mode)
    : path_(std::move(path)), descriptor_(mode == Mode::read ? open_own(path_) : open_new(path_)) {}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) ::_close(descriptor_);
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

void ScratchFile::write(void const* data, std::size_t bytes, std::uint64_t at) const {
  auto const* from = static_cast<char const*>(data);
  while (bytes > 0) {
    OVERLAPPED where = place(at);
    DWORD done = 0;
    if (::WriteFile(handle_of(descriptor_), from, static_cast<DWORD>(std::min(bytes, at_once)),
                    &done, &where) == 0)
      fail("write", path_, last_error());
    if (done == 0) fail("write", path_, ENOSPC);
    from += done;
    at += done;
    bytes -= done;
  }
}

void ScratchFile::read(void* data, std::size_t bytes, std::uint64_t at) const {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    OVERLAPPED where = place(at);
    DWORD done = 0;
    if (::ReadFile(handle_of(descriptor_), to, static_cast<DWORD>(std::min(bytes, at_once)), &done,
                   &where) == 0 &&
        ::GetLastError() != ERROR_HANDLE_EOF)
      fail("read", path_, last_error());
    if (done == 0) throw InputError(path_ + " ends too early; remove it and begin anew.");
    to += done;
    at += done;
    bytes -= done;
  }
}

void ScratchFile::sync() const {
  if (::_commit(descriptor_) != 0) fail("write", path_, errno);
}

void ScratchFile::begin_sync(std::size_t /*bytes*/, std::uint64_t /*at*/) const {}

std::size_t ScratchFile::size() const {
  struct _stat64 status{};
  if (::_fstat64(descriptor_, &status) != 0) fail("look at", path_, errno);
  return static_cast<std::size_t>(status.st_size);
}

void make_directory(std::string const& path) {
  std::error_code error;
  if (fs::create_directory(path_of(path), error)) return;
  if (error) fail("make the directory", path, error.default_error_condition().value());
  fs::file_status const status = fs::symlink_status(path_of(path), error);
  if (fs::exists(status) && !fs::is_directory(status)) foreign(path);
}

bool exists(std::string const& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path_of(path), ignored));
}

double free_bytes(std::string const& directory) {
  std::error_code error;
  fs::space_info const space = fs::space(path_of(directory), error);
  if (error) fail("look at", directory, error.default_error_condition().value());
  return static_cast<double>(space.available);
}

/// The file cannot be removed while it is open, so the lock holds for who opens it later too.
bool Scratch::lock() {
  make_directory(directory_);
  std::string const path = directory_ + "/lock";
  lock_ = open_file(path, _O_RDWR | _O_CREAT);
  OVERLAPPED where{};
  if (::LockFileEx(handle_of(lock_), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                   &where) != 0)
    return true;
  bool const taken = ::GetLastError() == ERROR_LOCK_VIOLATION;
  unlock();
  if (!taken)
    throw ResourceError("cannot lock " + path +
                        ". Give a scratch directory on a file system that has locks.");
  throw ResourceError("another search of this score cache is at work in " + directory_ +
                      ". Wait until it ends, or give another scratch directory.");
}

void Scratch::unlock() { ::_close(std::exchange(lock_, -1)); }

void Scratch::finish() {
  clear();
  unlock();  // before the file is removed: Windows asks for that
  remove_file(directory_ + "/lock");
  std::error_code ignored;  // unless another search has begun in it, which is fine
  fs::remove(path_of(directory_), ignored);
}

}  // namespace bayesloom::order_graph
