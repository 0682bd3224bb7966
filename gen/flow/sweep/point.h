// SPDX-License-Identifier: Apache-2.0
// The folder of results: a folder a point, named by a hash of its configuration, of the files that
// this names, of what is done with it and of this program. It appears by a rename when all of it is
// written, so what has the name is whole, and of two who do the same point one is first. Nothing is
// locked: a run that died leaves a folder of another name. For use in any thread.
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "gen/flow/sweep/sweep.h"

namespace kumiki::flow::sweep {

// What is known of a point that is done.
struct Result {
  int exit = 0;              // as the command line would have ended
  std::string message = {};  // when that is not 0
  Json figures;              // by name
  bool ok() const { return exit == 0; }
};

class Folder {
 public:
  Folder(const Sweep& sweep, std::filesystem::path folder);

  const std::filesystem::path& path() const { return path_; }
  // "points/3f/3f09…": of a point by its number, from 1 on. No folder gets all points.
  std::string name_of(std::size_t number) const;
  std::optional<Result> find(std::size_t number) const;  // FileError when it cannot be read

  // Puts a result there, with the files of `gen` below it. Somebody else's that is there already
  // stays.
  void keep(std::size_t number, const Result& result, const backends::OutputSet& files = {}) const;
  void forget(std::size_t number) const;
  // Removes what runs on this machine that have died left; how many that were.
  std::size_t tidy() const;

 private:
  std::filesystem::path points() const { return path_ / "points"; }
  std::string key_of(std::size_t number) const;

  const Sweep& sweep_;
  std::filesystem::path path_;
  mutable std::mutex lock_;
  mutable std::map<std::size_t, std::string> keys_;  // hashes of files that may be large
};

}  // namespace kumiki::flow::sweep
