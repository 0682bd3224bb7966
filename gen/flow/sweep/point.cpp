// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sweep/point.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "backends/support/file.h"
#include "backends/support/messages.h"
#include "backends/support/own_build.h"
#include "backends/support/sha256.h"
#include "backends/support/temporary.h"
#include "gen/flow/messages.h"
#include "gen/flow/sweep/messages.h"
#include "ir/error.h"

namespace kumiki::flow::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view work_prefix = ".working-";
constexpr const char* result_file = "result.json";

// Adds every string of a configuration that names a file next to it: weights, graphs.
void add_files(const Json& value, const fs::path& folder, std::string& to) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > 4096) return;
    if (const auto print = backends::fingerprint_of_file(folder / text))
      to += fmt::format("{} {}\n", text, print->sha256);
  } else if (value.is_structured()) {
    for (const Json& entry : value) add_files(entry, folder, to);
  }
}

[[noreturn]] void fail(const fs::path& path, const std::error_code& error) {
  throw FileError(code::file_system, fmt::format("{}: {}", path.string(), error.message()));
}

}  // namespace

Folder::Folder(const Sweep& sweep, fs::path folder) : sweep_(sweep), path_(std::move(folder)) {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error))
    throw FileError(
        code::folder_not_made,
        fmt::format("cannot make the directory {}: a file of that name is there", path_.string()));
}

std::string Folder::key_of(std::size_t number) const {
  const Given given = configuration_of(sweep_, sweep_.points[number - 1]);
  std::string all = fmt::format("point 1\n{}\n", backends::own_build());
  for (const Step s : sweep_.steps) all += fmt::format("{}\n", word(s));
  all += given.text;
  add_files(Json::parse(given.text), fs::path(given.name).parent_path(), all);
  return backends::sha256(all).substr(0, 32);
}

std::string Folder::name_of(std::size_t number) const {
  const std::lock_guard guard(lock_);
  std::string& key = keys_[number];
  if (key.empty()) key = key_of(number);
  return fmt::format("points/{}/{}", key.substr(0, 2), key);
}

std::optional<Result> Folder::find(std::size_t number) const {
  const fs::path file = path_ / name_of(number) / result_file;
  std::error_code none;
  if (!fs::exists(file, none)) return {};
  try {
    const Json all = Json::parse(backends::read_file(file));
    return Result{.exit = all.at("exit").get<int>(),
                  .message = all.value("message", std::string()),
                  .figures = all.at("figures")};
  } catch (const Json::exception&) {
    throw FileError(code::damaged_point,
                    fmt::format("{} is damaged; remove its folder, and the point is done again",
                                file.string()));
  }
}

void Folder::keep(std::size_t number, const Result& result,
                  const backends::OutputSet& files) const {
  const std::uint64_t combination = sweep_.points[number - 1];
  Json all{{"sweep", sweep_.name}, {"values", sweep_.values(combination)}, {"exit", result.exit}};
  if (!result.message.empty()) all["message"] = result.message;
  all["figures"] = result.figures;
  const fs::path place = path_ / name_of(number);
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  if (error) fail(place.parent_path(), error);
  const backends::OwnFolder work(points(), work_prefix);
  backends::write_file(work.path() / configuration_file,
                       configuration_of(sweep_, combination).text);
  if (!files.files().empty()) files.commit(work.path() / "out");
  backends::write_file(work.path() / result_file, gen::config::print(all));
  fs::rename(work.path(), place, error);
  // Another process was faster, with the same result.
  if (error && !fs::exists(place / result_file)) fail(place, error);
}

void Folder::forget(std::size_t number) const {
  const fs::path place = path_ / name_of(number);
  std::error_code error;
  // Remove the result file first, so that the rest no longer counts as a result.
  fs::remove(place / result_file, error);
  fs::remove_all(place, error);
  if (error) fail(place, error);
}

std::size_t Folder::tidy() const { return backends::sweep_leftovers(points(), work_prefix); }

}  // namespace kumiki::flow::sweep
