// SPDX-License-Identifier: Apache-2.0
#include "backends/sha256.h"

#include <nettle/sha2.h>

#include <array>

namespace kumiki::backends {

std::string sha256(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&context, digest.size(), digest.data());
  std::string hex;
  for (auto byte : digest)
    for (auto nibble : {byte >> 4, byte & 15}) hex += "0123456789abcdef"[nibble];
  return hex;
}

}  // namespace kumiki::backends
