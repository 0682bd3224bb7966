// SPDX-License-Identifier: Apache-2.0
// The entry of libFuzzer; KUMIKI_FUZZ_TARGET is a function of targets.h.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kumiki::fuzz::KUMIKI_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
