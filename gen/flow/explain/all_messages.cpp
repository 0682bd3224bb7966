// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/explain/all_messages.h"

#include <algorithm>
#include <vector>

#include "backends/emit/messages.h"
#include "backends/formal/messages.h"
#include "backends/sim/messages.h"
#include "backends/support/image/messages.h"
#include "backends/support/messages.h"
#include "gen/blocks/compressor/messages.h"
#include "gen/blocks/packing/messages.h"
#include "gen/blocks/requant/messages.h"
#include "gen/blocks/simd/messages.h"
#include "gen/blocks/sort/messages.h"
#include "gen/config/messages.h"
#include "gen/device/messages.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/messages.h"
#include "gen/flow/sweep/messages.h"
#include "gen/flow/trained/messages.h"
#include "gen/graph/messages.h"
#include "gen/hdl/messages.h"
#include "gen/layers/array/messages.h"
#include "gen/layers/common/messages.h"
#include "gen/layers/compressor/messages.h"
#include "gen/layers/dot/messages.h"
#include "gen/layers/engine/messages.h"
#include "gen/layers/matrix/messages.h"
#include "gen/layers/neuron/messages.h"
#include "gen/layers/pipeline/messages.h"
#include "gen/layers/requant/messages.h"
#include "gen/layers/vision/messages.h"
#include "gen/onnx/messages.h"

namespace kumiki::flow {

std::span<const Message* const> all_messages() {
  static const auto all = [] {
    std::vector<const Message*> rows{
#undef KUMIKI_MESSAGE
#define KUMIKI_MESSAGE(name, meaning, example, remedy) &code::name,
#include "backends/emit/messages.def"
#include "backends/formal/messages.def"
#include "backends/sim/messages.def"
#include "backends/support/image/messages.def"
#include "backends/support/messages.def"
#include "gen/blocks/compressor/messages.def"
#include "gen/blocks/packing/messages.def"
#include "gen/blocks/requant/messages.def"
#include "gen/blocks/simd/messages.def"
#include "gen/blocks/sort/messages.def"
#include "gen/config/messages.def"
#include "gen/device/messages.def"
#include "gen/flow/files/messages.def"
#include "gen/flow/messages.def"
#include "gen/flow/sweep/messages.def"
#include "gen/flow/trained/messages.def"
#include "gen/graph/messages.def"
#include "gen/hdl/messages.def"
#include "gen/layers/array/messages.def"
#include "gen/layers/common/messages.def"
#include "gen/layers/compressor/messages.def"
#include "gen/layers/dot/messages.def"
#include "gen/layers/engine/messages.def"
#include "gen/layers/matrix/messages.def"
#include "gen/layers/neuron/messages.def"
#include "gen/layers/pipeline/messages.def"
#include "gen/layers/requant/messages.def"
#include "gen/layers/vision/messages.def"
#include "gen/onnx/messages.def"
#include "ir/messages.def"
    };
    std::ranges::sort(rows, {}, &Message::word);
    return rows;
  }();
  return all;
}

const Message* find_message(std::string_view word) {
  const auto all = all_messages();
  const auto found = std::ranges::lower_bound(all, word, {}, &Message::word);
  return found != all.end() && (*found)->word() == word ? *found : nullptr;
}

}  // namespace kumiki::flow
