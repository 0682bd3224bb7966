// SPDX-License-Identifier: Apache-2.0
// What takes long says what it is, so that whoever waits can be told: "planning layer sobel".
#pragma once
#include <chrono>
#include <list>
#include <string>
#include <thread>
#include <vector>

namespace kumiki::ir {

// Under way as long as it lives. Any thread.
class Activity {
 public:
  explicit Activity(std::string what);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;
  // How far it is.
  void at(std::string detail);

 private:
  struct Entry;
  friend class ActivityLog;
  friend std::string current_activity();
  static std::list<Entry>& all();
  std::list<Entry>::iterator entry_;
};

// The one that began last, with its detail, and how many of the same are under way; empty: none is.
std::string current_activity();

// When activities of this process began and ended, as long as it lives: for whoever asks where the
// time goes. Any thread; several logs may live at once.
class ActivityLog {
 public:
  using Clock = std::chrono::steady_clock;
  struct Record {
    std::string what, detail;  // detail: the last that was said
    Clock::time_point begin, end;
    std::thread::id thread;
  };
  ActivityLog();
  ~ActivityLog();
  ActivityLog(const ActivityLog&) = delete;
  ActivityLog& operator=(const ActivityLog&) = delete;
  std::vector<Record> records() const;  // of those that have ended, in the order of their ends

 private:
  friend class Activity;
  static std::list<ActivityLog*>& all();
  std::vector<Record> records_;
};

}  // namespace kumiki::ir
