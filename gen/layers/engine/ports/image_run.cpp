// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/image_run.h"

namespace kumiki::gen::engine {
namespace {

// Far apart, with bits in both halves of an address.
constexpr std::uint64_t program_base = 0x12'3456'7000, data_base = 0xa9'8765'4000;

std::shared_ptr<std::vector<std::uint8_t>> data_of(const PortsPlan& plan, const MemoryImage& image,
                                                   std::span<const std::int32_t> numbers) {
  auto data = std::make_shared<std::vector<std::uint8_t>>(
      static_cast<std::size_t>(image.data_words) * plan.word_bytes());
  put_inputs(image, numbers, *data);
  return data;
}

}  // namespace

ImageRun::ImageRun(const PortsPlan& plan, const MemoryImage& image,
                   std::span<const std::int32_t> numbers, const MemoryOptions& options,
                   std::uint64_t patience)
    : data_(data_of(plan, image, numbers)),
      host_({.program_base = program_base,
             .program_words = image.program->size() / plan.word_bytes(),
             .moves = image.moves.size(),
             .data_base = data_base,
             .data_words = static_cast<std::uint64_t>(image.data_words),
             .patience = patience}),
      memory_(plan,
              {{.base = program_base, .bytes = image.program},
               {.base = data_base, .bytes = data_, .is_written = true}},
              options) {}

}  // namespace kumiki::gen::engine
