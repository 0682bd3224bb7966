// SPDX-License-Identifier: Apache-2.0
#include "ir/activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace kumiki::ir {

struct Activity::Entry {
  std::string what, detail;
  ActivityLog::Clock::time_point begin = ActivityLog::Clock::now();
  std::thread::id thread = std::this_thread::get_id();
};

namespace {

std::mutex& lock() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

std::list<Activity::Entry>& Activity::all() {
  static std::list<Entry> entries;
  return entries;
}

Activity::Activity(std::string what) {
  const std::lock_guard guard(lock());
  entry_ = all().insert(all().end(), {.what = std::move(what), .detail = {}});
}

Activity::~Activity() {
  const std::lock_guard guard(lock());
  for (ActivityLog* log : ActivityLog::all())
    log->records_.push_back(
        {entry_->what, entry_->detail, entry_->begin, ActivityLog::Clock::now(), entry_->thread});
  all().erase(entry_);
}

void Activity::at(std::string detail) {
  const std::lock_guard guard(lock());
  entry_->detail = std::move(detail);
}

std::string current_activity() {
  const std::lock_guard guard(lock());
  if (Activity::all().empty()) return {};
  const auto& last = Activity::all().back();
  const auto same =
      std::ranges::count_if(Activity::all(), [&](const auto& e) { return e.what == last.what; });
  return last.what + (same > 1 ? fmt::format(" ({} at a time)", same) : "") +
         (last.detail.empty() ? "" : ", " + last.detail);
}

std::list<ActivityLog*>& ActivityLog::all() {
  static std::list<ActivityLog*> logs;
  return logs;
}

ActivityLog::ActivityLog() {
  const std::lock_guard guard(lock());
  all().push_back(this);
}

ActivityLog::~ActivityLog() {
  const std::lock_guard guard(lock());
  all().remove(this);
}

std::vector<ActivityLog::Record> ActivityLog::records() const {
  const std::lock_guard guard(lock());
  return records_;
}

}  // namespace kumiki::ir
