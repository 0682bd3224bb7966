// SPDX-License-Identifier: Apache-2.0
// Reports long waits: anything that takes more than two seconds is named on stderr, on a terminal
// in one updated line, elsewhere in occasional lines.
#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

namespace kumiki::cli {

class Busy {
 public:
  Busy();
  ~Busy();
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  void watch();

  std::mutex lock_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace kumiki::cli
