// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/results.h"

#include <stdexcept>
#include <utility>

#include "gen/hdl/hdl.h"
#include "gen/hdl/memory_queue.h"
#include "gen/layers/pipeline/machines/walk.h"

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

ResultsModel::ResultsModel(const ResultsPlan& plan, std::int64_t lanes)
    : plan_(plan), lanes_(static_cast<std::size_t>(lanes)) {
  reset();
}

void ResultsModel::reset() {
  under_way_.assign(static_cast<std::size_t>(plan_.clocks), std::nullopt);
  waiting_.clear();
  room_ = true;
  valid_ = false;
  front_.assign(lanes_, 0);
}

void ResultsModel::clock(std::optional<Beat> begins, bool out_ready) {
  room_ = std::ssize(waiting_) <= plan_.limit();
  if (!valid_ || out_ready) {
    valid_ = !waiting_.empty();
    if (valid_) {
      front_ = std::move(waiting_.front());
      waiting_.pop_front();
    }
  }
  if (under_way_.front()) {
    if (std::ssize(waiting_) == plan_.depth()) throw std::logic_error("a result finds no room");
    waiting_.push_back(std::move(*under_way_.front()));
  }
  under_way_.pop_front();
  under_way_.push_back(std::move(begins));
}

}  // namespace kumiki::gen::pipeline
