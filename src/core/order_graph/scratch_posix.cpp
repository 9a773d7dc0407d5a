#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.hpp"
#include "order_graph/scratch.hpp"

namespace bayesloom::order_graph {

namespace {

[[noreturn]] void foreign(std::string const& path) {
  throw InputError(
      path +
      " is a link, of another kind or of another user than what a search leaves there, so "
      "it is not used. Remove it, or give another scratch directory.");
}

/// Opens for reading; refuses links and files of other users.
int open_own(std::string const& path) {
  int const descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ELOOP) foreign(path);
  if (descriptor < 0) fail("open", path, errno);
  struct stat status{};
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid())
    return descriptor;
  close(descriptor);
  foreign(path);
}

/// Opens a new file for writing; an existing one is removed first, never written through.
int open_new(std::string const& path) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    int const descriptor =
        open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor >= 0) return descriptor;
    if (errno != EEXIST || unlink(path.c_str()) != 0) break;
  }
  fail("open", path, errno);
}

}  // namespace

ScratchFile::ScratchFile(std::string path, Mode mode)
    : path_(std::move(path)), descriptor_(mode == Mode::read ? open_own(path_) : open_new(path_)) {}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

void ScratchFile::write(void const* data, std::size_t bytes, std::uint64_t at) const {
  auto const* from = static_cast<char const*>(data);
  while (bytes > 0) {
    ssize_t const done = pwrite(descriptor_, from, bytes, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("write", path_, done < 0 ? errno : ENOSPC);
    from += done;
    at += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
}

void ScratchFile::read(void* data, std::size_t bytes, std::uint64_t at) const {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    ssize_t const done = pread(descriptor_, to, bytes, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("read", path_, errno);
    if (done == 0) throw InputError(path_ + " ends too early; remove it and begin anew.");
    to += done;
    at += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
}

void ScratchFile::sync() const {
  if (fdatasync(descriptor_) != 0) fail("write", path_, errno);
}

void ScratchFile::begin_sync(std::size_t bytes, std::uint64_t at) const {
#ifdef SYNC_FILE_RANGE_WRITE
  (void)!sync_file_range(descriptor_, static_cast<off_t>(at), static_cast<off_t>(bytes),
                         SYNC_FILE_RANGE_WRITE);
#else
  static_cast<void>(bytes + at);
#endif
}

std::size_t ScratchFile::size() const {
  struct stat status{};
  if (fstat(descriptor_, &status) != 0) fail("look at", path_, errno);
  return static_cast<std::size_t>(status.st_size);
}

void make_directory(std::string const& path) {
  if (mkdir(path.c_str(), 0700) == 0) return;
  if (errno != EEXIST) fail("make the directory", path, errno);
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) return;  // gone again: whoever opens a file in it will see
  bool const for_others = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || for_others) foreign(path);
}

bool exists(std::string const& path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0;
}

double free_bytes(std::string const& directory) {
  struct statvfs info;
  if (statvfs(directory.c_str(), &info) != 0) fail("look at", directory, errno);
  return static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
}

/// False if the directory was removed meanwhile.
bool Scratch::lock() {
  make_directory(directory_);
  std::string const path = directory_ + "/lock";
  lock_ = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (lock_ < 0 && errno == ENOENT) return false;
  if (lock_ < 0 && errno == ELOOP) foreign(path);
  if (lock_ < 0) fail("open", path, errno);
  struct Closer {
    int& descriptor;
    bool keep = false;
    ~Closer() {
      if (!keep) close(std::exchange(descriptor, -1));
    }
  } closer{lock_};
  struct stat held{}, there{};
  if (fstat(lock_, &held) != 0) fail("look at", path, errno);
  if (!S_ISREG(held.st_mode) || held.st_uid != geteuid()) foreign(path);
  while (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK)
      throw ResourceError("cannot lock " + path + ": " + std::strerror(errno) +
                          ". Give a scratch directory on a file system that has locks.");
    throw ResourceError("another search of this score cache is at work in " + directory_ +
                        ". Wait until it ends, or give another scratch directory.");
  }
  // A lock on a file that was removed locks nobody out.
  closer.keep = lstat(path.c_str(), &there) == 0 && there.st_dev == held.st_dev &&
                there.st_ino == held.st_ino;
  return closer.keep;
}

void Scratch::unlock() { close(std::exchange(lock_, -1)); }

void Scratch::finish() {
  clear();
  remove_file(directory_ + "/lock");
  rmdir(directory_.c_str());  // unless another search has begun in it, which is fine
  unlock();
}

}  // namespace bayesloom::order_graph
