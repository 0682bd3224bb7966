// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/trace.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "backends/support/file.h"
#include "gen/config/writer.h"
#include "ir/error.h"

namespace kumiki::cli {
namespace {

constexpr std::string_view events = "traceEvents";

// A file of the user's is not replaced, an older trace is.
bool is_of_somebody(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return false;
  std::ifstream in(file, std::ios::binary);
  std::string head(64, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  const auto begin = head.find_first_not_of("{ \n");
  return !head.empty() &&
         (begin == head.npos || !head.substr(begin).starts_with(fmt::format("\"{}\"", events)));
}

}  // namespace

Trace::Trace(std::string file, std::string command)
    : file_(std::move(file)), command_(std::move(command)) {
  if (file_.empty()) return;
  if (is_of_somebody(file_))
    throw FileError(
        Code::file_is_there,
        fmt::format("{} is there already and is no trace: another file is legal", file_));
  log_ = std::make_unique<ir::ActivityLog>();
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
    w.objects(events, records, [&](const ir::ActivityLog::Record& r) {
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
