// SPDX-License-Identifier: Apache-2.0
// `cache`: what is kept between runs, and away with it.
#include "backends/support/cache.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>

#include "backends/emit/report/report.h"
#include "gen/cli/cli.h"
#include "gen/config/kind.h"
#include "gen/layer/layer.h"

namespace kumiki::cli {
namespace {

std::string minutes(std::filesystem::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  return fmt::format("{:%Y-%m-%d %H:%M}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(
                         std::chrono::time_point_cast<std::chrono::seconds>(system))));
}

}  // namespace

int cache(const Options& options) {
  const auto& kinds = backends::Cache::kinds;
  if (!options.kind.empty() && std::ranges::find(kinds, options.kind) == std::end(kinds))
    throw UsageError(fmt::format("the cache keeps no \"{}\": {} is legal", options.kind,
                                 gen::config::alternatives({std::begin(kinds), std::end(kinds)})));
  const backends::Cache cache;
  if (options.clear) {
    const auto removed = cache.clear(options.kind);
    if (options.json)
      fmt::print("{}\n", backends::json_text(
                             gen::Json{{"folder", cache.root().string()}, {"removed", removed}}));
    else
      fmt::print("{} removed from {}\n", removed, cache.root().string());
    return ok;
  }
  gen::Json all{{"folder", cache.root().string()}, {"bytes", 0}, {"entries", gen::Json::array()}};
  std::vector<std::vector<std::string>> rows{{"kind", "key", "KiB", "last used", "what"}};
  std::uint64_t bytes = 0;
  for (const auto& e : cache.entries()) {
    if (!options.kind.empty() && e.kind != options.kind) continue;
    bytes += e.bytes;
    all["entries"].push_back({{"kind", e.kind},
                              {"key", e.key},
                              {"bytes", e.bytes},
                              {"last_used", minutes(e.used)},
                              {"what", e.about}});
    rows.push_back({e.kind, e.key.substr(0, 12), std::to_string((e.bytes + 1023) / 1024),
                    minutes(e.used), e.about});
  }
  all["bytes"] = bytes;
  if (options.json) {
    fmt::print("{}\n", backends::json_text(all));
    return ok;
  }
  fmt::print("{}: {} entries, {} KiB\n", cache.root().string(), rows.size() - 1,
             (bytes + 1023) / 1024);
  if (rows.size() > 1) fmt::print("{}", backends::table(rows));
  return ok;
}

}  // namespace kumiki::cli
