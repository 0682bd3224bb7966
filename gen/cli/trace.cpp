// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/trace.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "backends/support/file.h"
#include "gen/config/writer.h"

namespace kumiki::cli {

Trace::Trace(std::string file, std::string command)
    : file_(std::move(file)), command_(std::move(command)) {
  if (!file_.empty()) log_ = std::make_unique<ir::ActivityLog>();
}

void Trace::write() {
  if (!log_) return;
  auto records = log_->records();
  log_.reset();
  records.push_back(
      {command_, {}, begin_, ir::ActivityLog::Clock::now(), std::this_thread::get_id()});
  // The order of their beginnings; what lies in another one behind it.
  std::ranges::stable_sort(records, {}, [](const auto& r) {
    return std::pair(r.begin, -r.end.time_since_epoch().count());
  });
  const auto micros = [](auto duration) {
    return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  };
  // Threads get small numbers, the program's own the first.
  std::map<std::thread::id, std::size_t> threads{{std::this_thread::get_id(), 1}};
  gen::config::Writer w;
  w.object([&] {
    w.objects("traceEvents", records, [&](const ir::ActivityLog::Record& r) {
      w.member("name", r.what);
      w.member("ph", "X");  // complete: with a duration
      w.member("ts", micros(r.begin - begin_));
      w.member("dur", micros(r.end - r.begin));
      w.member("pid", 1);
      w.member("tid", threads.try_emplace(r.thread, threads.size() + 1).first->second);
      if (!r.detail.empty()) w.object("args", [&] { w.member("detail", r.detail); });
    });
    w.member("displayTimeUnit", "ms");
  });
  backends::write_file(file_, w.printed() + "\n");
}

}  // namespace kumiki::cli
