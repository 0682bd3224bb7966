// SPDX-License-Identifier: Apache-2.0
// The file formats of pictures, on bytes in memory. Messages call the file `name`.
#pragma once
#include <string>
#include <string_view>

#include "backends/support/image/image.h"
#include "ir/message.h"

namespace kumiki::backends {

bool is_png(std::string_view bytes);
Image decode_png(std::string_view bytes, const std::string& name);
std::string encode_png(const Image& image);  // maximum must be 255

bool is_netpbm(std::string_view bytes);  // of any kind, including those that decode refuses
Image decode_netpbm(std::string_view bytes, const std::string& name);
// PGM or PPM, by the number of channels. plain: decimal digits (P2, P3) instead of bytes (P5, P6).
std::string encode_netpbm(const Image& image, bool plain = false);

// Checks the size in any header. FileError.
void require_legal_size(std::uint64_t width, std::uint64_t height, const std::string& name);
[[noreturn]] void refuse(const std::string& name, Code code, std::string_view wrong,
                         std::string_view legal);

}  // namespace kumiki::backends
