// SPDX-License-Identifier: Apache-2.0
// Mistakes of a configuration: one Finding for each, all of a file in one ConfigError.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "ir/message.h"

namespace kumiki::gen::config {

struct Finding {
  std::string pointer;   // JSON pointer of the offending key or value, "" for the whole file
  unsigned line = 1;     // of the offending token, counted from 1
  unsigned column = 1;   // in characters (not bytes), counted from 1
  std::string value;     // as written in the file, shortened
  std::string message;   // what is wrong with it: "is out of range"
  std::string required;  // what it must be, or what to do: "must be an integer from 1 to 65536"
  Code code;
  friend bool operator==(const Finding&, const Finding&) = default;
};

// "cfg.json:12:16: /layers/3/terms: 0 is out of range; must be an integer from 1 to 65536
// [out-of-range]"
std::string to_string(const std::string& file, const Finding& finding);

// Every mistake of a file, in the order of the file. what() has one line for each of the first
// `shown` of them and a last line "cfg.json: … and N more".
class ConfigError : public std::runtime_error {
 public:
  static constexpr std::size_t shown = 20;

  // `count` may exceed findings.size(): a file can hold more mistakes than are worth keeping.
  ConfigError(std::string file, std::vector<Finding> findings, std::size_t count);

  const std::string& file() const { return file_; }
  const std::vector<Finding>& findings() const { return findings_; }
  std::size_t count() const { return count_; }

 private:
  std::string file_;
  std::vector<Finding> findings_;
  std::size_t count_;
};

// Collects findings during reading. Positions stay byte offsets until take() makes lines of them.
class Findings {
 public:
  static constexpr std::size_t kept = 100;

  // A repetition of a finding (a default that several layers inherit) is dropped.
  void add(std::uint32_t offset, Finding finding);
  void add_uncounted(std::size_t more) { count_ += more; }
  bool any_within(std::uint32_t begin, std::uint32_t end) const;
  bool empty() const { return count_ == 0; }
  bool full() const { return entries_.size() == kept; }
  std::size_t count() const { return count_; }
  std::vector<Finding> take(const std::string& text);  // sorted by place, lines filled in

 private:
  struct Entry {
    std::uint32_t offset;
    Finding finding;
  };
  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

}  // namespace kumiki::gen::config
