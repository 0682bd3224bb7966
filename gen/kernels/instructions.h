// SPDX-License-Identifier: Apache-2.0
// The vector instructions of the processor that the program runs on. Functions that need them are
// compiled for them one by one, so the program starts on any processor.
#pragma once

#if defined(__x86_64__)
#define KUMIKI_AVX2 [[gnu::target("avx2")]]
#define KUMIKI_AVX2_FMA [[gnu::target("avx2,fma")]]
#else
#define KUMIKI_AVX2
#define KUMIKI_AVX2_FMA
#endif

namespace kumiki::gen::kernels {

// Whether this processor has AVX2 and FMA; every processor with AVX2 that is sold has both.
bool has_avx2();

}  // namespace kumiki::gen::kernels
