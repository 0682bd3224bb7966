// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/trace.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "backends/support/files.h"
#include "gen/config/writer.h"
#include "gen/flow/messages.h"
#include "gen/flow/usage.h"
#include "ir/error.h"

namespace kumiki::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* events = "traceEvents";

// Whether a path is an output, or lies in one.
bool is_in(const fs::path& path, const fs::path& output) {
  const auto whole = [](const fs::path& p) {
    std::error_code error;
    const fs::path all = fs::weakly_canonical(fs::absolute(p), error);
    return error ? fs::absolute(p) : all;  // a pipe behind a link has no such path
  };
  const fs::path relative = whole(path).lexically_relative(whole(output));
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

Trace::Trace(std::string file, std::string command, const std::vector<fs::path>& outputs)
    : file_(std::move(file)), command_(std::move(command)) {
  if (file_.empty()) return;
  for (const fs::path& output : outputs)
    if (is_in(file_, output))
      throw UsageError(code::options_exclude,
                       fmt::format("--trace {} lies in {}, which this command writes: name a file "
                                   "outside of it",
                                   file_, output.string()));
  std::error_code error;
  if (const auto status = fs::symlink_status(file_, error);
      fs::is_symlink(status) || fs::exists(status)) {
    Diagnostic d = backends::is_there_already(file_);
    d.required = "name another file, or remove it";
    throw FileError(std::move(d));
  }
  log_ = std::make_unique<ir::ActivityLog>();
}

void Trace::write() {
  if (!log_) return;
  auto records = log_->records();
  log_.reset();
  records.push_back(
      {command_, {}, begin_, ir::ActivityLog::Clock::now(), std::this_thread::get_id()});
  // Order by start; an enclosing activity precedes those inside it.
  std::ranges::stable_sort(records, {}, [](const auto& r) {
    return std::pair(r.begin, -r.end.time_since_epoch().count());
  });
  const auto micros = [](auto duration) {
    return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  };
  // Threads get small numbers; the main thread is the first.
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
  backends::write_named_file(file_, w.printed() + "\n", backends::FilesOfUser::keep);
}

}  // namespace kumiki::cli
