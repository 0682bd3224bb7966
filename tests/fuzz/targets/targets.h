// SPDX-License-Identifier: Apache-2.0
// Readers of foreign bytes, as targets for libFuzzer: every input is either refused with a typed
// error or means something that survives being written and read again. Anything else ends in
// std::abort().
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kumiki::fuzz {

inline void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void configuration(std::string_view bytes);
void text(std::string_view bytes);
// The first byte chooses between npy, csv and hex and what is wanted.
void numbers(std::string_view bytes);
// A model of ONNX: what it becomes is legal, is written and read again, and is run.
void model(std::string_view bytes);

}  // namespace kumiki::fuzz
