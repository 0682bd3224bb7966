// SPDX-License-Identifier: Apache-2.0
// Long work reports what it is doing, so a waiting user can see it: "planning layer sobel".
#pragma once
#include <chrono>
#include <list>
#include <string>
#include <thread>
#include <vector>

namespace kumiki::ir {

// The activity lasts as long as the object lives. For use in any thread.
class Activity {
 public:
  explicit Activity(std::string what);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;
  // Reports progress.
  void at(std::string detail);

 private:
  struct Entry;
  friend class ActivityLog;
  friend std::string current_activity();
  static std::list<Entry>& all();
  std::list<Entry>::iterator entry_;
};

// The activity that began last, with its detail, and with a count if several are equal. Empty if
// there is none.
std::string current_activity();

// Records when activities of this process begin and end, for as long as the log lives; this shows
// where the time goes. For use in any thread; several logs may live at once.
class ActivityLog {
 public:
  using Clock = std::chrono::steady_clock;
  struct Record {
    std::string what, detail;  // detail: the last one given
    Clock::time_point begin, end;
    std::thread::id thread;
  };
  ActivityLog();
  ~ActivityLog();
  ActivityLog(const ActivityLog&) = delete;
  ActivityLog& operator=(const ActivityLog&) = delete;
  std::vector<Record> records() const;  // of ended activities, in the order of their ends

 private:
  friend class Activity;
  static std::list<ActivityLog*>& all();
  std::vector<Record> records_;
};

}  // namespace kumiki::ir
