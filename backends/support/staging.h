// SPDX-License-Identifier: Apache-2.0
// How files get into a folder, all of them or none. They are written into a folder of their own
// inside it. Only then do they move to their places; what was there keeps a second name until all
// have arrived.
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

  // A file that the journal places.
  void stage(const std::string& name, std::string_view text);
  // Moves all of them and removes what the journal says.
  void commit();

  // Undoes what killed runs have left in `directory`. Only real folders that we own with a journal
  // of ours are touched.
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
