// SPDX-License-Identifier: Apache-2.0
// What takes long says what it is, so that whoever waits can be told: "planning layer sobel".
#pragma once
#include <list>
#include <string>

namespace kumiki::ir {

// Under way as long as it lives. Any thread.
class Activity {
 public:
  explicit Activity(std::string what);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;
  // How far it is.
  void at(std::string detail);

 private:
  struct Entry;
  friend std::string current_activity();
  static std::list<Entry>& all();
  std::list<Entry>::iterator entry_;
};

// The one that began last, with its detail, and how many of the same are under way; empty: none is.
std::string current_activity();

}  // namespace kumiki::ir
