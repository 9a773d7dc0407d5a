#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <mutex>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include "base/errors.hpp"
#include "base/paths.hpp"
#include "cache/atomic_file.hpp"
#include "cache/quoted.hpp"

// Links are followed by the system when the file is replaced; there are no modes to keep, and no /dev/fd.

namespace bayesloom {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_name = 100;  // of the target within the temporary name
constexpr std::size_t at_once = 1U << 30;  // bytes of one call

std::string reason(int error) {
  if (error == EPIPE) return "whoever read it has closed it";
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

/// Sixteen characters that nobody guesses.
std::wstring random_name() {
  constexpr wchar_t digits[] = L"0123456789abcdef";
  std::random_device draw;
  std::wstring text;
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

int open_for_writing(fs::path const& path, int how) {
  int file = -1;
  int const error = ::_wsopen_s(&file, path.c_str(), how | _O_WRONLY | _O_BINARY | _O_NOINHERIT,
                                _SH_DENYNO, _S_IREAD | _S_IWRITE);
  if (error != 0) errno = error;
  return error == 0 ? file : -1;
}

}  // namespace

AtomicFile::AtomicFile(std::string const& path) : shown_(printable(path)), target_(path) {
  if (path.empty()) refuse("the name is empty");
  if (path.find('\0') != std::string::npos) refuse("the name holds a NUL");
  std::error_code error;
  fs::path place = path_of(path);
  if (fs::path const real = fs::canonical(place, error);
      !error && fs::is_regular_file(real, error)) {
    place = real;
    target_ = text_of(real);
  }
  struct _stat64 status{};
  bool const there = ::_wstat64(place.c_str(), &status) == 0;
  if (!there && errno != ENOENT) fail(errno);
  if (there && (status.st_mode & _S_IFDIR) != 0) refuse("it is a folder");
  if (there && (status.st_mode & _S_IFREG) == 0) {
    if ((file_ = open_for_writing(place, 0)) < 0) fail(errno);
    return;
  }
  if (there && ::_waccess(place.c_str(), 2) != 0) fail(errno);
  std::wstring const stem = L"." + place.filename().wstring().substr(0, longest_name) + L".";
  std::scoped_lock const lock(unfinished().mutex);
  fs::path made;
  do {
    made = place.parent_path() / (stem + random_name() + L".tmp");
    file_ = open_for_writing(made, _O_CREAT | _O_EXCL);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) fail(errno);
  temporary_ = text_of(made);
  unfinished().names.insert(temporary_);
}

AtomicFile::~AtomicFile() { abandon(); }

void AtomicFile::write(void const* data, std::size_t size) {
  auto const* bytes = static_cast<char const*>(data);
  while (size > 0) {
    int const written = ::_write(file_, bytes, static_cast<unsigned>(std::min(size, at_once)));
    if (written < 0) fail(errno);
    bytes += written;
    size -= static_cast<std::size_t>(written);
    written_ += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::commit() {
  if (!temporary_.empty() && ::_commit(file_) != 0) fail(errno);
  int const closed =
      ::_close(std::exchange(file_, -1));  // before it is renamed: Windows asks for that
  if (closed != 0) fail(errno);
  if (temporary_.empty()) return;
  std::scoped_lock const lock(unfinished().mutex);
  if (::MoveFileExW(path_of(temporary_).c_str(), path_of(target_).c_str(),
                    MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) == 0)
    fail(
        std::system_category().default_error_condition(static_cast<int>(::GetLastError())).value());
  unfinished().names.erase(temporary_);
  temporary_.clear();
}

void AtomicFile::abandon() noexcept {
  if (file_ >= 0) ::_close(file_);
  file_ = -1;
  if (temporary_.empty()) return;
  std::scoped_lock const lock(unfinished().mutex);
  ::_wunlink(path_of(temporary_).c_str());
  unfinished().names.erase(temporary_);
  temporary_.clear();
}

void AtomicFile::fail(int error) const {
  if (error == ENOSPC || error == EFBIG)
    throw ResourceError(shown_ + ": cannot be written: " + reason(error) + ".");
  refuse(reason(error));
}

void AtomicFile::refuse(std::string const& why) const {
  throw InputError(shown_ + ": cannot be written: " + why + ".");
}

void remove_unfinished_files() noexcept {
  std::scoped_lock const lock(unfinished().mutex);
  for (std::string const& name : unfinished().names) ::_wunlink(path_of(name).c_str());
  unfinished().names.clear();
}

}  // namespace bayesloom
