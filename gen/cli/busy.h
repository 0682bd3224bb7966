// SPDX-License-Identifier: Apache-2.0
// Nobody waits in silence: what takes more than two seconds is named on stderr, on a terminal in a
// line that moves, elsewhere in a line now and then.
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
