// SPDX-License-Identifier: Apache-2.0
// `cache`: lists data kept between runs, or removes it.
#include "backends/support/cache.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>

#include "backends/emit/report/report.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/config/kind.h"
#include "gen/config/writer.h"
#include "gen/flow/files/messages.h"
#include "gen/layer/layer.h"

namespace kumiki::cli {
namespace {

struct CacheOptions {
  std::string kind;    // only this kind
  bool clear = false;  // remove it
  bool json = false;
};

std::string minutes(std::filesystem::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  return fmt::format("{:%Y-%m-%d %H:%M}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(
                         std::chrono::time_point_cast<std::chrono::seconds>(system))));
}

void print_json(const backends::Cache& cache, std::uint64_t bytes,
                const std::vector<backends::Cache::Entry>& entries) {
  gen::config::Writer w;
  w.object([&] {
    w.member("folder", cache.root().string());
    w.member("bytes", bytes);
    w.objects("entries", entries, [&](const auto& e) {
      w.member("kind", e.kind);
      w.member("key", e.key);
      w.member("bytes", e.bytes);
      w.member("last_used", minutes(e.used));
      w.member("what", e.about);
    });
  });
  fmt::print("{}\n", w.printed());
}

int clear(const backends::Cache& cache, const CacheOptions& options) {
  const auto removed = cache.clear(options.kind);
  if (options.json) {
    gen::config::Writer w;
    w.object([&] {
      w.member("folder", cache.root().string());
      w.member("removed", removed);
    });
    fmt::print("{}\n", w.printed());
  } else {
    fmt::print("{} removed from {}\n", removed, cache.root().string());
  }
  return ok;
}

int show_cache(const CacheOptions& options, flow::Context& context) {
  const auto& kinds = backends::Cache::kinds;
  if (!options.kind.empty() && std::ranges::find(kinds, options.kind) == std::end(kinds))
    throw UsageError(code::option_value,
                     fmt::format("the cache keeps no \"{}\"; use {}", options.kind,
                                 gen::config::alternatives({std::begin(kinds), std::end(kinds)})));
  const backends::Cache& cache = context.cache();
  if (options.clear) return clear(cache, options);
  auto entries = cache.entries();
  std::erase_if(entries,
                [&](const auto& e) { return !options.kind.empty() && e.kind != options.kind; });
  std::uint64_t bytes = 0;
  for (const auto& e : entries) bytes += e.bytes;
  if (options.json) {
    print_json(cache, bytes, entries);
    return ok;
  }
  std::vector<std::vector<std::string>> rows{{"kind", "key", "KiB", "last used", "what"}};
  for (const auto& e : entries)
    rows.push_back({e.kind, e.key.substr(0, 12), std::to_string((e.bytes + 1023) / 1024),
                    minutes(e.used), e.about});
  fmt::print("{}: {} entries, {} KiB\n", cache.root().string(), entries.size(),
             (bytes + 1023) / 1024);
  if (!entries.empty()) fmt::print("{}", backends::table(rows));
  return ok;
}

Run declare_show_cache(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<CacheOptions>();
  app.add_flag("--clear", o->clear, "remove it");
  app.add_option("--kind", o->kind, "only this kind: model, runtime or tree");
  add_json(app, o->json);
  add_cache(app, settings);
  return runs(show_cache, o);
}

}  // namespace

Command cache_command() {
  return {"cache",
          "list what is kept between runs: simulators that were built, trees that were solved",
          declare_show_cache};
}

}  // namespace kumiki::cli
