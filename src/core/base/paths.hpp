// Paths are UTF-8 in the core, whatever they are in the system.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace bayesloom {

inline std::filesystem::path path_of(std::string_view text) {
#ifdef _WIN32
  return {std::u8string(text.begin(), text.end())};
#else
  return {text};
#endif
}

inline std::string text_of(std::filesystem::path const& path) {
#ifdef _WIN32
  std::u8string const text = path.generic_u8string();
  return {text.begin(), text.end()};
#else
  return path.string();
#endif
}

}  // namespace bayesloom
