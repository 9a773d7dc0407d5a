#include "parent_sets/checkpoint.hpp"

#include <filesystem>

namespace bayesloom {

namespace {

constexpr char magic[8] = {'B', 'L', 'R', 'E', 'S', 'U', 'M', '2'};

}  // namespace

CheckpointWriter::CheckpointWriter(std::string const& path, std::uint64_t fingerprint)
    : file_(path) {
  write(magic, sizeof magic);
  write(&fingerprint, sizeof fingerprint);
}

void CheckpointWriter::write(void const* data, std::size_t size) {
  file_.write(data, size);
  sum_.update(data, size);
}

void CheckpointWriter::commit() {
  std::uint64_t const digest = sum_.digest();
  file_.write(&digest, sizeof digest);
  file_.commit();
}

CheckpointReader::CheckpointReader(std::string const& path, std::uint64_t fingerprint)
    : path_(path), file_(path) {
  auto const content = file_.content;
  if (content.size() < sizeof magic + 16 ||
      content.compare(0, sizeof magic, magic, sizeof magic) != 0)
    damaged();
  Xxh64 sum;
  sum.update(content.data(), content.size() - 8);
  std::uint64_t digest = 0;
  std::memcpy(&digest, content.data() + content.size() - 8, 8);
  if (digest != sum.digest()) damaged();
  at_ = sizeof magic;
  std::uint64_t found = 0;
  read(&found, sizeof found);
  if (found != fingerprint)
    throw InputError(path_ +
                     ": this checkpoint belongs to other data, another score or other options. Run "
                     "with the same ones, or remove it to start anew.");
}

void CheckpointReader::read(void* target, std::size_t size) {
  if (size > file_.content.size() - 8 - at_) damaged();
  if (size > 0) std::memcpy(target, file_.content.data() + at_, size);
  at_ += size;
}

void CheckpointReader::damaged() const {
  throw InputError(path_ + ": this checkpoint is damaged. Remove it to start anew.");
}

bool checkpoint_exists(CheckpointOptions const& options) {
  return options.resume && !options.path.empty() && std::filesystem::exists(options.path);
}

std::uint64_t work_fingerprint(EncodedData const& data, ScoreSpec const& spec,
                               std::initializer_list<double> options) {
  Xxh64 sum(data.digest());
  auto const add = [&](std::string const& text) {
    std::uint64_t const count = text.size();
    sum.update(&count, sizeof count);
    sum.update(text.data(), text.size());
  };
  add(spec.name);
  for (auto const& [name, value] : spec.options) {
    add(name);
    sum.update(&value, sizeof value);
  }
  for (double const value : options) sum.update(&value, sizeof value);
  return sum.digest();
}

}  // namespace bayesloom
