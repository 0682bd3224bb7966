// SPDX-License-Identifier: Apache-2.0
// What the queues of memory_queue.h do, clock by clock.
#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace kumiki::gen {

template <class T>
class QueueModel {
 public:
  explicit QueueModel(std::size_t depth) : depth_(depth) {}
  bool has_room() const { return has_room_; }  // what RoomQueue says
  bool valid() const { return shown_.has_value(); }
  const T& front() const { return *shown_; }
  bool is_empty() const { return !shown_ && memory_.empty(); }
  void reset() {
    memory_.clear();
    shown_.reset();
    has_room_ = true;
  }
  // `word`: that comes, if one does.
  void clock(std::optional<T> word, bool ready) {
    const bool pops = !memory_.empty() && (!shown_ || ready), pushes = word && has_room_;
    has_room_ = pops || (has_room_ && !(pushes && memory_.size() + 1 == depth_));
    if (pops) {
      shown_ = std::move(memory_.front());
      memory_.pop_front();
    } else if (ready) {
      shown_.reset();
    }
    if (pushes) memory_.push_back(*std::move(word));
  }

 private:
  std::size_t depth_;
  std::deque<T> memory_;
  std::optional<T> shown_;
  bool has_room_ = true;
};

}  // namespace kumiki::gen
