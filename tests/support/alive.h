// SPDX-License-Identifier: Apache-2.0
// Looks at processes by their numbers.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace kumiki::test {

// A process that is gone, or dead and not yet fetched.
inline bool is_gone(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return !std::getline(stat, text) || text.substr(text.rfind(')') + 1).starts_with(" Z");
}

// Processor time that a process has used, in hundredths of a second.
inline unsigned long ticks_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  for (int i = 0; i < 11; ++i) fields >> text;  // from its state to before its times
  unsigned long user = 0, system = 0;
  fields >> user >> system;
  return user + system;
}

// Waits for something that happens soon. False after 30 seconds: it is not delayed but wrong.
template <class Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 3000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace kumiki::test
