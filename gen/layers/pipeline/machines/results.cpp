// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/results.h"

#include "gen/hdl/cycle.h"
#include "gen/hdl/hdl.h"
#include "gen/hdl/memory_queue.h"

namespace kumiki::gen::pipeline {

Results::Results(Scope& s, const ResultsPlan& p, Net arrives, const UInt& word, Net out_ready,
                 Net reset) {
  const auto depth = static_cast<std::uint32_t>(p.depth());
  const MemoryQueue queue(s, depth, ir::memory::distributed, arrives, out_ready, reset);
  valid_ = queue.valid();
  const Net at_most = look_up(
      s, 1, [&](unsigned n) { return n < static_cast<unsigned>(p.limit()); },
      queue.stored().slice(0, address_width(depth)).nets())[0];
  room_next_ = s.net(queue.stored().msb() | at_most);
  word_ = queue.pass(word);
}

}  // namespace kumiki::gen::pipeline
