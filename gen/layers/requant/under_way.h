// SPDX-License-Identifier: Apache-2.0
// Results in flight in a model: `latency` enabled clocks, while q keeps the last valid result.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "gen/layers/requant/plan.h"

namespace kumiki::gen::requant {

class UnderWay {
 public:
  explicit UnderWay(int latency) : entries_(static_cast<std::size_t>(latency - 1)) {}

  void power_up() {
    entries_.assign(entries_.size(), {});
    out_ = {};
  }
  // `in`: the inputs of either model; `result`: their result.
  template <class In>
  RequantOut<Values> step(const In& in, std::uint64_t result) {
    const RequantOut<Values> out{.out_valid = out_.valid, .q = out_.q};
    if (in.en) {
      const Entry oldest = entries_.back();
      out_.valid = oldest.valid;
      if (oldest.valid) out_.q = oldest.q;
      std::rotate(entries_.begin(), entries_.end() - 1, entries_.end());
      entries_[0] = {in.in_valid, result};
    }
    if (in.rst) {
      out_.valid = false;
      for (Entry& entry : entries_) entry.valid = false;
    }
    return out;
  }

 private:
  struct Entry {
    bool valid = false;
    std::uint64_t q = 0;
  };
  std::vector<Entry> entries_;  // the youngest first
  Entry out_;
};

}  // namespace kumiki::gen::requant
