// SPDX-License-Identifier: Apache-2.0
// The folder of results. Each point has a folder. A hash names it: of the point's configuration, of
// the files that it names, of the steps done, and of this program. The folder appears by a rename
// after everything is written. So a folder with its final name is always complete, and of two
// processes with the same point one comes first. Nothing is locked: a run that died leaves a folder
// with another name. For use in any thread.
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "gen/flow/sweep/sweep.h"

namespace kumiki::flow::sweep {

// The result of a finished point.
struct Result {
  int exit = 0;              // the exit code of the command line
  std::string message = {};  // if exit is not 0
  Json figures;              // by name
  bool ok() const { return exit == 0; }
};

class Folder {
 public:
  Folder(const Sweep& sweep, std::filesystem::path folder);

  const std::filesystem::path& path() const { return path_; }
  // "points/3f/3f09…": the folder of a point by its number, from 1 on. The subfolders keep folders
  // small.
  std::string name_of(std::size_t number) const;
  std::optional<Result> find(std::size_t number) const;  // FileError if it cannot be read

  // Stores a result, with the files of `gen` below it. An existing result from another process
  // stays.
  void keep(std::size_t number, const Result& result, const backends::OutputSet& files = {}) const;
  void forget(std::size_t number) const;
  // Removes what dead runs on this machine left behind; returns how many there were.
  std::size_t tidy() const;

 private:
  std::filesystem::path points() const { return path_ / "points"; }
  std::string key_of(std::size_t number) const;

  const Sweep& sweep_;
  std::filesystem::path path_;
  mutable std::mutex lock_;
  mutable std::map<std::size_t, std::string> keys_;  // caches hashes of possibly large files
};

}  // namespace kumiki::flow::sweep
