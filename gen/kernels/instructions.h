// SPDX-License-Identifier: Apache-2.0
// The vector instructions of the processor that the program runs on. Functions that need them are
// compiled for them one by one, so the program starts on any processor.
#pragma once

#if defined(__x86_64__)
#define KUMIKI_AVX2 [[gnu::target("avx2")]]
#define KUMIKI_AVX2_FMA [[gnu::target("avx2,fma")]]
#define KUMIKI_VNNI [[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni")]]
#else
#define KUMIKI_AVX2
#define KUMIKI_AVX2_FMA
#define KUMIKI_VNNI
#endif

// Sums stay in registers only if all loops over them are unrolled.
#ifdef __clang__
#define KUMIKI_UNROLL _Pragma("unroll")
#else
#define KUMIKI_UNROLL _Pragma("GCC unroll 8")
#endif

namespace kumiki::gen::kernels {

// Whether this processor has AVX2 and FMA; every processor with AVX2 that is sold has both.
bool has_avx2();
// Whether it has AVX2 and VNNI of AVX-512.
bool has_vnni();

}  // namespace kumiki::gen::kernels
