// SPDX-License-Identifier: Apache-2.0
// libFuzzer's changes of a model: half of them are its own, of bytes, half are those of wire.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/targets/wire.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::mt19937_64 random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string changed =
      kumiki::fuzz::mutated({reinterpret_cast<const char*>(data), size}, random);
  const std::size_t length = std::min(changed.size(), most);
  std::memcpy(data, changed.data(), length);
  return length;
}
