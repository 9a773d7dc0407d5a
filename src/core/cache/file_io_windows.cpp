#include <windows.h>

#include <algorithm>
#include <cstdint>
#include <system_error>

#include "base/errors.hpp"
#include "base/paths.hpp"
#include "cache/file_io.hpp"
#include "cache/quoted.hpp"

namespace bayesloom {

FileContent::FileContent(std::string const& path, Mode mode) {
  auto const fail = [&](std::string const& why) {
    throw InputError(printable(path) + ": cannot read this file: " + why + ".");
  };
  auto const fail_by_system = [&] {
    fail(std::system_category().message(static_cast<int>(::GetLastError())));
  };
  struct Handle {
    HANDLE handle;
    ~Handle() {
      if (handle != nullptr && handle != INVALID_HANDLE_VALUE) ::CloseHandle(handle);
    }
  };
  Handle const file{::CreateFileW(path_of(path).c_str(), GENERIC_READ,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr)};
  if (file.handle == INVALID_HANDLE_VALUE) fail_by_system();
  if (::GetFileType(file.handle) != FILE_TYPE_DISK) fail("it is not a regular file");
  LARGE_INTEGER length;
  if (::GetFileSizeEx(file.handle, &length) == 0) fail_by_system();
  auto const size = static_cast<std::size_t>(length.QuadPart);
  if (size == 0) return;
  if (mode == Mode::copy) {
    std::shared_ptr<std::uint64_t[]> const words(new std::uint64_t[(size + 7) / 8]);
    auto* const bytes = reinterpret_cast<char*>(words.get());
    std::size_t filled = 0;
    while (filled < size) {
      auto const part = static_cast<DWORD>(std::min<std::size_t>(size - filled, 1U << 30));
      DWORD got = 0;
      if (::ReadFile(file.handle, bytes + filled, part, &got, nullptr) == 0) fail_by_system();
      if (got == 0) fail("it became shorter while it was read");
      filled += got;
    }
    storage = words;
    content = {bytes, size};
    return;
  }
  Handle const map{::CreateFileMappingW(file.handle, nullptr, PAGE_READONLY, 0, 0, nullptr)};
  if (map.handle == nullptr) fail_by_system();
  void const* const start = ::MapViewOfFile(map.handle, FILE_MAP_READ, 0, 0, 0);
  if (start == nullptr) fail_by_system();
  storage =
      std::shared_ptr<void const>(start, [](void const* mapped) { ::UnmapViewOfFile(mapped); });
  content = {static_cast<char const*>(start), size};
}

}  // namespace bayesloom
