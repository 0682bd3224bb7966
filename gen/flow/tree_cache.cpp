// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/tree_cache.h"

#include <fmt/format.h>

#include "backends/support/file.h"
#include "backends/support/notice.h"
#include "backends/support/own_build.h"
#include "backends/support/sha256.h"
#include "ir/error.h"

namespace kumiki::flow {
namespace {

constexpr std::size_t trees_kept = 1000;
constexpr const char* file = "tree.txt";

}  // namespace

std::string TreeCache::key(const std::string& request) {
  return backends::sha256(fmt::format("tree 1\n{}\n{}", backends::own_build(), request))
      .substr(0, 32);
}

// A run works without a cache: it solves again. One notice is enough.
void TreeCache::give_up(const std::string& why) {
  if (is_usable_) backends::notice("results of searches are not kept: " + why);
  is_usable_ = false;
}

std::optional<std::string> TreeCache::find(const std::string& request) try {
  if (!is_usable_) return std::nullopt;
  const auto folder = cache_.find("tree", key(request));
  if (!folder) return std::nullopt;
  return backends::read_file(*folder / file);
} catch (const FileError& e) {
  give_up(e.what());
  return std::nullopt;
}

void TreeCache::keep(const std::string& request, const std::string& tree) try {
  if (!is_usable_) return;
  (void)cache_.get("tree", key(request), trees_kept, [&](const std::filesystem::path& folder) {
    backends::write_file(folder / file, tree);
    backends::write_file(folder / backends::Cache::about_file,
                         request.substr(0, request.find('\n')) + "\n");
  });
} catch (const FileError& e) {
  give_up(e.what());
}

}  // namespace kumiki::flow
