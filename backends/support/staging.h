// SPDX-License-Identifier: Apache-2.0
// Puts files into a folder, all of them or none. They are written into a subfolder first. Only then
// do they move to their places; earlier files keep a second name until all have arrived.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/journal.h"

namespace kumiki::backends {

// The caller holds the lock of the folder.
class Staging {
 public:
  Staging(const std::filesystem::path& directory, Journal journal);
  ~Staging();  // undoes what was not committed
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Writes a file that the journal places.
  void stage(const std::string& name, std::string_view text);
  // Moves all of them and removes the files listed in the journal.
  void commit();

  // Undoes what killed runs have left in `directory`. Touches only real folders that we own and
  // that contain a journal of ours.
  static void recover(const std::filesystem::path& directory);

  static constexpr const char* prefix = ".kumiki-staging-";

 private:
  void replace(const Journal::Placed& p, std::vector<const Journal::Placed*>& exchanged);
  const std::filesystem::path& directory_;
  Journal journal_;
  std::filesystem::path root_;
  bool is_done_ = false;
};

}  // namespace kumiki::backends
