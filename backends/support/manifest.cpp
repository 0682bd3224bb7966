// SPDX-License-Identifier: Apache-2.0
#include "backends/support/manifest.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "backends/support/durable.h"

namespace kumiki::backends {
namespace {

constexpr const char* format = "kumiki-manifest";

std::string string_of(const nlohmann::json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

}  // namespace

const Manifest::File* Manifest::find(std::string_view name) const {
  const auto at = std::ranges::find(files, name, &File::name);
  return at == files.end() ? nullptr : &*at;
}

std::string to_text(const Manifest& manifest) {
  nlohmann::ordered_json all{
      {"format", format}, {"version", manifest_version}, {"generator", manifest.generator}};
  if (!manifest.project.empty()) all["project"] = manifest.project;
  if (!manifest.design.empty()) all["design"] = manifest.design;
  all["files"] = nlohmann::ordered_json::array();
  for (const auto& f : manifest.files) {
    nlohmann::ordered_json one{
        {"name", f.name}, {"bytes", f.content.bytes}, {"sha256", f.content.sha256}};
    if (!f.by.empty()) one["by"] = f.by;
    all["files"].push_back(std::move(one));
  }
  return all.dump(2) + "\n";
}

std::optional<Manifest> parse_manifest(std::string_view text) {
  const auto all = nlohmann::json::parse(text, nullptr, /*throw*/ false);
  if (!all.is_object() || string_of(all, "format") != format || !all.contains("files") ||
      !all["files"].is_array())
    return std::nullopt;
  Manifest manifest{.generator = string_of(all, "generator"),
                    .project = string_of(all, "project"),
                    .design = string_of(all, "design")};
  for (const auto& entry : all["files"]) {
    if (!entry.is_object()) continue;
    const auto name = string_of(entry, "name"), hash = string_of(entry, "sha256");
    const auto bytes = entry.find("bytes");
    if (!is_inside(name) || bytes == entry.end() || !bytes->is_number_unsigned()) continue;
    manifest.files.push_back({name, {bytes->get<std::uint64_t>(), hash}, string_of(entry, "by")});
  }
  return manifest;
}

std::string text_of_manifest(const std::filesystem::path& directory) {
  const auto path = directory / manifest_name;
  struct stat folder, file;
  if (::stat(directory.c_str(), &folder) != 0 || ::lstat(path.c_str(), &file) != 0 ||
      !S_ISREG(file.st_mode) || folder.st_uid != ::geteuid() || file.st_uid != ::geteuid())
    return {};
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace kumiki::backends
