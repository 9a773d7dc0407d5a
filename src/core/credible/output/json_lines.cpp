#include "credible/output/json_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "credible/output/network_text.hpp"

namespace bayesloom::credible {

JsonLines::JsonLines(CredibleSet const& set) : set_(set), places_(set.cache().variable_count()) {
  auto const& cache = set.cache();
  longest_ = 128;  // the frame and the number
  for (auto const& part : set.parts())
    for (std::size_t x = 0; x < part.component.size(); ++x) {
      Variable const v = part.component.variables[x];
      places_[v] = texts_.size();
      auto& texts = texts_.emplace_back();
      std::size_t most = 0;
      for (auto const& choice : part.component.choices[x]) {
        std::size_t const begin = all_.size();
        if (v != 0) all_ += ',';
        append_parents(cache, v, choice.candidate, all_);
        texts.push_back({begin, all_.size() - begin});
        most = std::max(most, texts.back().size);
      }
      longest_ += std::max(most, step);
    }
  all_.append(step, ' ');
}

void JsonLines::append(Walk const& walk, TextBuffer& out) const {
  char* at = out.room(longest_);
  auto const add = [&](std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    at += text.size();
  };
  add("{\"score\":");
  at = std::to_chars(at, at + 32, to_nats(set_.best() - walk.loss())).ptr;
  add(",\"parents\":{");
  auto const choices = walk.choices();
  for (std::size_t const place : places_) {
    auto const [begin, size] = texts_[place][choices[place]];
    char const* const text = all_.data() + begin;
    std::memcpy(at, text, step);
    if (size > step) std::memcpy(at + step, text + step, size - step);
    at += size;
  }
  add("}}\n");
  out.end_at(at);
}

}  // namespace bayesloom::credible
