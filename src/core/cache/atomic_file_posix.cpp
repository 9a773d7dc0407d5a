#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <set>
#include <system_error>

#include "base/errors.hpp"
#include "cache/atomic_file.hpp"
#include "cache/quoted.hpp"

namespace bayesloom {

namespace {

constexpr int most_links = 40;
constexpr std::size_t longest_name = 100;  // of the target within the temporary name

std::string reason(int error) {
  if (error == EPIPE) return "whoever read it has closed it";
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string folder_of(std::string const& path) {
  auto const slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(std::string const& path) { return path.substr(path.rfind('/') + 1); }

std::string real(std::string const& path) {
  char* const found = ::realpath(path.c_str(), nullptr);
  if (!found) return path;
  std::string const text = found;
  std::free(found);
  return text;
}

/// Sixteen characters that nobody guesses.
std::string random_name() {
  constexpr char digits[] = "0123456789abcdef";
  std::random_device draw;
  std::string text;
  for (int word = 0; word < 2; ++word) {
    unsigned value = draw();
    for (int digit = 0; digit < 8; ++digit, value >>= 4) text += digits[value & 15];
  }
  return text;
}

/// Temporary files that exist now.
struct Unfinished {
  std::mutex mutex;
  std::set<std::string> names;
};

Unfinished& unfinished() {
  static Unfinished* const all = new Unfinished;  // outlives every thread that may still write
  return *all;
}

}  // namespace

AtomicFile::AtomicFile(std::string const& path) : shown_(printable(path)), target_(path) {
  if (path.empty()) refuse("the name is empty");
  if (path.find('\0') != std::string::npos) refuse("the name holds a NUL");
  for (int links = 0; follow_link(); ++links)
    if (links == most_links) fail(ELOOP);
  if (open_descriptor()) return;
  struct stat status{};
  if (::stat(target_.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(errno);
    open_temporary(nullptr);
  } else if (S_ISREG(status.st_mode)) {
    open_temporary(&status);
  } else {
    open_through(status);
  }
}

AtomicFile::~AtomicFile() { abandon(); }

/// Puts what a link points to in the place of its name; false if it is none.
bool AtomicFile::follow_link() {
  struct stat status{};
  if (::lstat(target_.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return false;
  // Links of /proc/self/fd name no file: the descriptor itself is what is meant.
  if (real(folder_of(target_)).starts_with("/proc/")) return false;
  std::string to(PATH_MAX, '\0');
  ::ssize_t const length = ::readlink(target_.c_str(), to.data(), to.size());
  if (length < 0) fail(errno);
  to.resize(static_cast<std::size_t>(length));
  target_ = to.starts_with('/') ? to : folder_of(target_) + "/" + to;
  return true;
}

/// Takes a copy of descriptor N for /dev/fd/N and its like: opening it anew would begin at its start.
bool AtomicFile::open_descriptor() {
  std::string const folder = real(folder_of(target_)), name = name_of(target_);
  if (folder != "/proc/" + std::to_string(::getpid()) + "/fd" &&
      !(folder.starts_with("/proc/") && folder.ends_with("/fd") &&
        folder.find("/task/") != std::string::npos))
    return false;
  if (name.empty() || name.size() > 9 || name.find_first_not_of("0123456789") != std::string::npos)
    return false;
  file_ = ::fcntl(std::atoi(name.c_str()), F_DUPFD_CLOEXEC, 3);
  if (file_ < 0) fail(errno);
  return true;
}

void AtomicFile::open_through(struct stat const& status) {
  if (S_ISDIR(status.st_mode)) refuse("it is a folder");
  if (S_ISSOCK(status.st_mode)) refuse("it is a socket");
  while ((file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)) < 0)
    if (errno != EINTR) fail(errno);
}

void AtomicFile::open_temporary(struct stat const* replaced) {
  if (replaced && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  std::string const folder = folder_of(target_);
  std::string const stem =
      folder + (folder == "/" ? "." : "/.") + name_of(target_).substr(0, longest_name) + ".";
  // A file that is replaced may be secret: the new one is open to others only once it has its mode.
  ::mode_t const mode = replaced ? 0600 : 0666;
  std::scoped_lock const lock(unfinished().mutex);
  do {
    temporary_ = stem + random_name() + ".tmp";
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) fail(errno);
  unfinished().names.insert(temporary_);
  if (!replaced) return;
  if (::fchown(file_, replaced->st_uid, replaced->st_gid) != 0) {
    // Only root may give files away; the new one is then ours.
  }
  ::fchmod(file_, replaced->st_mode & 07777);
}

void AtomicFile::write(void const* data, std::size_t size) {
  auto const* bytes = static_cast<char const*>(data);
  while (size > 0) {
    ::ssize_t const written = ::write(file_, bytes, size);
    if (written > 0) {
      bytes += written;
      size -= static_cast<std::size_t>(written);
      written_ += static_cast<std::uint64_t>(written);
    } else if (written < 0 && errno == EAGAIN) {
      ::pollfd ready{file_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      fail(errno);
    }
  }
}

void AtomicFile::commit() {
  if (!temporary_.empty()) {
    if (::fsync(file_) != 0) fail(errno);
    std::scoped_lock const lock(unfinished().mutex);
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    unfinished().names.erase(temporary_);
    temporary_.clear();
    // The name too is on disk only once its folder is; not every file system can be asked for that.
    int const folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
      ::fsync(folder);
      ::close(folder);
    }
  }
  int const closed = ::close(file_);
  file_ = -1;
  if (closed != 0 && errno != EINTR) fail(errno);
}

void AtomicFile::abandon() noexcept {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  if (temporary_.empty()) return;
  std::scoped_lock const lock(unfinished().mutex);
  ::unlink(temporary_.c_str());
  unfinished().names.erase(temporary_);
  temporary_.clear();
}

void AtomicFile::fail(int error) const {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    throw ResourceError(shown_ + ": cannot be written: " + reason(error) + ".");
  refuse(reason(error));
}

void AtomicFile::refuse(std::string const& why) const {
  throw InputError(shown_ + ": cannot be written: " + why + ".");
}

void remove_unfinished_files() noexcept {
  std::scoped_lock const lock(unfinished().mutex);
  for (std::string const& name : unfinished().names) ::unlink(name.c_str());
  unfinished().names.clear();
}

}  // namespace bayesloom
