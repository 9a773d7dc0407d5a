#include "cache/binary_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "base/checksum.hpp"
#include "base/errors.hpp"
#include "cache/cache_builder.hpp"
#include "cache/parent_set_index.hpp"
#include "cache/quoted.hpp"

namespace bayesloom {

namespace {

constexpr std::array<unsigned char, 8> magic{0x89, 'B', 'L', 'C', 0x0D, 0x0A, 0x1A, 0x0A};
constexpr std::uint32_t byte_order_mark = 0x0A0B0C0D;
constexpr std::uint64_t alignment = 64;

enum Section { first, scores, parent_first, parents, cardinalities, name_first, names, info };
constexpr std::size_t section_count = 8;

struct Counts {
  std::uint64_t variables, candidates, parents, name_bytes, info_bytes;
};

struct Header {
  std::array<unsigned char, 8> magic;
  std::uint32_t version;
  std::uint32_t byte_order_mark;
  std::uint64_t file_size;
  Counts counts;
  std::array<std::uint64_t, section_count> offsets;
};
static_assert(sizeof(Header) == 128);

bool is_narrow(Counts const& counts) { return counts.variables <= max_narrow_variables; }
std::uint32_t version_of(Counts const& counts) { return is_narrow(counts) ? 1 : 2; }
/// Of the number of a parent.
std::uint64_t width_of(Counts const& counts) { return is_narrow(counts) ? 2 : 4; }

std::array<std::uint64_t, section_count> section_sizes(Counts const& counts) {
  return {8 * (counts.variables + 1),  8 * counts.candidates,
          8 * (counts.candidates + 1), width_of(counts) * counts.parents,
          4 * counts.variables,        8 * (counts.variables + 1),
          counts.name_bytes,           counts.info_bytes};
}

/// The one header that belongs to these counts, each of which is far below 2^60.
Header make_header(Counts const& counts) {
  Header header{magic, version_of(counts), byte_order_mark, 0, counts, {}};
  auto const sizes = section_sizes(counts);
  std::uint64_t at = sizeof(Header);
  for (std::size_t s = 0; s < section_count; ++s) {
    header.offsets[s] = at;
    at = (at + sizes[s] + alignment - 1) / alignment * alignment;
  }
  header.file_size = at + sizeof(std::uint64_t);
  return header;
}

/// Reads one file; every failure names the offset of what is wrong.
class BinaryReader {
 public:
  BinaryReader(std::string_view content, std::string const& file)
      : content_(content), file_(printable(file)) {}

  ScoreCache read(std::shared_ptr<void const> storage) {
    check_header();
    check_sum();
    CacheArrays arrays{section<std::uint64_t>(first),
                       section<Fixed>(scores),
                       section<std::uint64_t>(parent_first),
                       {}};
    if (is_narrow(header_.counts)) {
      auto const narrow = section<std::uint16_t>(parents);
      auto const wide = std::make_shared<WideParents>(std::move(storage), std::vector<Variable>());
      wide->second.assign(narrow.begin(), narrow.end());
      arrays.parents = wide->second;
      storage = wide;
    } else {
      arrays.parents = section<Variable>(parents);
    }
    check_offsets(arrays.first, arrays.scores.size(), first, "candidates");
    check_offsets(arrays.parent_first, arrays.parents.size(), parent_first, "parents");
    check_candidates(arrays);
    CacheLabels labels;
    read_labels(labels);
    check_score_range(arrays, file_ + ": ");
    return {std::move(labels), arrays, std::move(storage)};
  }

 private:
  using WideParents = std::pair<std::shared_ptr<void const>, std::vector<Variable>>;

  [[noreturn]] void fail(std::uint64_t offset, std::string const& message) const {
    throw InputError(file_ + ", offset " + std::to_string(offset) + ": " + message);
  }

  void check_header() {
    if (content_.size() < sizeof(Header) + sizeof(std::uint64_t))
      fail(content_.size(), "the file ends within its header; it is truncated or no score cache.");
    std::memcpy(&header_, content_.data(), sizeof header_);
    if (header_.magic != magic)
      fail(0, "this is not a Bayesloom score cache, or its first bytes are damaged.");
    if (header_.byte_order_mark == 0x0D0C0B0A)
      fail(12,
           "the file was written on a machine of the other byte order. Convert it to .jkl there.");
    if (header_.byte_order_mark != byte_order_mark) fail(12, "the byte order mark is damaged.");
    if (header_.version != 1 && header_.version != 2)
      fail(8, "the file has format version " + std::to_string(header_.version) +
                  "; this Bayesloom reads versions 1 and 2.");
    if (header_.file_size != content_.size())
      fail(16, "the file should have " + std::to_string(header_.file_size) + " bytes and has " +
                   std::to_string(content_.size()) + "; it is truncated or damaged.");
    Counts const& counts = header_.counts;
    for (std::uint64_t const count : {counts.variables, counts.candidates, counts.parents,
                                      counts.name_bytes, counts.info_bytes})
      if (count > content_.size()) fail(24, "a count is larger than the file; it is damaged.");
    if (header_.version != version_of(counts))
      fail(8,
           "the format version does not go with the number of variables; the header is damaged.");
    Header const expected = make_header(counts);
    if (expected.file_size != header_.file_size || expected.offsets != header_.offsets)
      fail(64, "the sections do not lie where the counts put them; the header is damaged.");
  }

  void check_sum() const {
    std::size_t const end = content_.size() - sizeof(std::uint64_t);
    std::uint64_t stored;
    std::memcpy(&stored, content_.data() + end, sizeof stored);
    Xxh64 sum;
    sum.update(content_.data(), end);
    if (sum.digest() != stored) fail(end, "the checksum does not match; the file is damaged.");
  }

  template <typename T>
  std::span<T const> section(Section s) const {
    auto const* const start = content_.data() + header_.offsets[s];
    return {reinterpret_cast<T const*>(start), section_sizes(header_.counts)[s] / sizeof(T)};
  }

  /// Offsets start at 0, never fall, and end at the size of what they point into.
  void check_offsets(std::span<std::uint64_t const> offsets, std::uint64_t size, Section s,
                     char const* what) const {
    auto const at = [&](std::size_t i) { return header_.offsets[s] + 8 * i; };
    if (offsets.front() != 0)
      fail(at(0), std::string("the first offset of ") + what + " is not 0.");
    for (std::size_t i = 1; i < offsets.size(); ++i)
      if (offsets[i] < offsets[i - 1])
        fail(at(i), std::string("the offsets of ") + what + " are not in ascending order.");
    if (offsets.back() != size)
      fail(at(offsets.size() - 1),
           std::string("the last offset of ") + what + " is not their number.");
  }

  void check_candidates(CacheArrays const& arrays) const {
    auto const set_of = [&](std::size_t c) {
      std::uint64_t const at = arrays.parent_first[c];
      return arrays.parents.subspan(at, arrays.parent_first[c + 1] - at);
    };
    auto const score_at = [&](std::size_t c) { return header_.offsets[scores] + 8 * c; };
    auto const parents_at = [&](std::size_t c) {
      return header_.offsets[parents] + width_of(header_.counts) * arrays.parent_first[c];
    };
    constexpr auto limit = static_cast<Fixed>(max_nats * fixed_units_per_nat);
    ParentSetIndex index(set_of);
    for (std::size_t v = 0; v < header_.counts.variables; ++v) {
      std::size_t const begin = arrays.first[v], end = arrays.first[v + 1];
      if (begin == end) fail(header_.offsets[first] + 8 * v, "a variable has no candidate.");
      index.reset(end - begin);
      for (std::size_t c = begin; c < end; ++c) {
        Fixed const score = arrays.scores[c];
        auto const set = set_of(c);
        if (score < -limit || score > limit || to_fixed(to_nats(score)) != score)
          fail(score_at(c), "a score is out of range or finer than a double.");
        for (std::size_t k = 0; k < set.size(); ++k)
          if (set[k] >= header_.counts.variables || set[k] == v || (k > 0 && set[k] <= set[k - 1]))
            fail(parents_at(c), "parents are out of range, out of order, or the variable itself.");
        if (c > begin && !in_order(arrays.scores[c - 1], set_of(c - 1), score, set))
          fail(score_at(c), "candidates are not in order, best first.");
        if (index.insert(c)) fail(parents_at(c), "a parent set occurs twice.");
      }
    }
  }

  static bool in_order(Fixed score, std::span<Variable const> set, Fixed next_score,
                       std::span<Variable const> next) {
    if (score != next_score) return score > next_score;
    if (set.size() != next.size()) return set.size() < next.size();
    return std::ranges::lexicographical_compare(set, next);
  }

  void read_labels(CacheLabels& labels) const {
    auto const starts = section<std::uint64_t>(name_first);
    auto const text = section<char>(names);
    check_offsets(starts, text.size(), name_first, "names");
    for (std::size_t v = 0; v + 1 < starts.size(); ++v)
      labels.names.emplace_back(text.data() + starts[v], starts[v + 1] - starts[v]);
    check_names(labels.names, file_ + ", offset " + std::to_string(header_.offsets[names]) + ": ");
    auto const sizes = section<std::uint32_t>(cardinalities);
    for (std::size_t v = 0; v < sizes.size(); ++v)
      if (sizes[v] > max_cardinality)
        fail(header_.offsets[cardinalities] + 4 * v,
             "variable " + in_quotes(labels.names[v]) + " has " + std::to_string(sizes[v]) +
                 " states; expected at most 65,536. The file is damaged.");
    labels.cardinalities.assign(sizes.begin(), sizes.end());
    auto const json = section<char>(info);
    labels.info.assign(json.begin(), json.end());
    if (!is_utf8(labels.info)) fail(header_.offsets[info], "the info text is not UTF-8.");
  }

  std::string_view content_;
  std::string file_;
  Header header_{};
};

}  // namespace

ScoreCache read_binary(std::string_view content, std::shared_ptr<void const> storage,
                       std::string const& file) {
  return BinaryReader(content, file).read(std::move(storage));
}

ScoreCache read_binary_copy(std::string_view content, std::string const& file) {
  auto const copy = std::make_shared<std::vector<std::uint64_t>>((content.size() + 7) / 8);
  if (!content.empty()) std::memcpy(copy->data(), content.data(), content.size());
  return read_binary({reinterpret_cast<char const*>(copy->data()), content.size()}, copy, file);
}

void write_binary(ScoreCache const& cache,
                  std::function<void(void const*, std::size_t)> const& out) {
  std::string all_names;
  std::vector<std::uint64_t> starts{0};
  for (std::string const& name : cache.names()) {
    all_names += name;
    starts.push_back(all_names.size());
  }
  CacheArrays const& arrays = cache.arrays();
  Header const header = make_header({cache.variable_count(), cache.candidate_count(),
                                     arrays.parents.size(), all_names.size(), cache.info().size()});
  std::vector<std::uint16_t> narrow;
  void const* parents_as_written = arrays.parents.data();
  if (is_narrow(header.counts)) {
    narrow.assign(arrays.parents.begin(), arrays.parents.end());
    parents_as_written = narrow.data();
  }
  std::array<void const*, section_count> const sections{
      arrays.first.data(), arrays.scores.data(),         arrays.parent_first.data(),
      parents_as_written,  cache.cardinalities().data(), starts.data(),
      all_names.data(),    cache.info().data()};
  auto const sizes = section_sizes(header.counts);

  Xxh64 sum;
  std::uint64_t written = 0;
  auto const put = [&](void const* data, std::uint64_t size) {
    sum.update(data, size);
    out(data, size);
    written += size;
  };
  std::array<char, alignment> const zeros{};
  put(&header, sizeof header);
  for (std::size_t s = 0; s < section_count; ++s) {
    put(sections[s], sizes[s]);
    put(zeros.data(), (alignment - written % alignment) % alignment);
  }
  std::uint64_t const checksum = sum.digest();
  out(&checksum, sizeof checksum);
}

}  // namespace bayesloom
