// SPDX-License-Identifier: Apache-2.0
#include "backends/support/sha256.h"

#include <fcntl.h>
#include <nettle/sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

namespace kumiki::backends {
namespace {

class Hash {
 public:
  Hash() { sha256_init(&context_); }
  void update(const char* bytes, std::size_t size) {
    sha256_update(&context_, size, reinterpret_cast<const std::uint8_t*>(bytes));
  }
  std::string hex() {
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
    sha256_digest(&context_, digest.size(), digest.data());
    std::string text;
    for (auto byte : digest)
      for (auto nibble : {byte >> 4, byte & 15}) text += "0123456789abcdef"[nibble];
    return text;
  }

 private:
  sha256_ctx context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Hash hash;
  hash.update(bytes.data(), bytes.size());
  return hash.hex();
}

Fingerprint fingerprint(std::string_view bytes) { return {bytes.size(), sha256(bytes)}; }

std::optional<Fingerprint> fingerprint_of_file(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct stat status;
  bool good = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  Hash hash;
  Fingerprint f;
  std::vector<char> chunk(std::size_t{1} << 16);
  while (good) {
    const auto n = ::read(file, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    good = n >= 0;
    if (n <= 0) break;
    hash.update(chunk.data(), static_cast<std::size_t>(n));
    f.bytes += static_cast<std::uint64_t>(n);
  }
  ::close(file);
  if (!good) return std::nullopt;
  f.sha256 = hash.hex();
  return f;
}

}  // namespace kumiki::backends
