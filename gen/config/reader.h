// SPDX-License-Identifier: Apache-2.0
// What a check needs to report findings.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "gen/config/kind.h"
#include "gen/config/source.h"

namespace kumiki::gen::config {

class Reader {
 public:
  explicit Reader(Findings& findings) : findings_(findings) {}

  // All return false, so that a check can end with `return reader.report(…)`.
  bool report(Node at, Code code, std::string_view message, std::string required);
  // "must be <noun of kind>"
  bool report(Node at, Code code, std::string_view message, const Kind& kind);
  bool report(Node at, std::string pointer, std::string value, Code code, std::string message,
              std::string required);

  // As long as an object of this class lives, findings are neither kept nor counted.
  class Quiet {
   public:
    explicit Quiet(Reader& reader, bool quiet = true) : reader_(reader), before_(reader.quiet_) {
      reader.quiet_ = before_ || quiet;
    }
    ~Quiet() { reader_.quiet_ = before_; }
    Quiet(const Quiet&) = delete;

   private:
    Reader& reader_;
    bool before_;
  };

  // Sets what is appended to the rule of a finding: " for dot". For values that several layers
  // share.
  void say_for(std::string whom) { whom_ = std::move(whom); }

  bool already_reported(Node node) const { return findings_.any_within(node.begin(), node.end()); }
  int version = 1;  // of the format that the file declares

 private:
  Findings& findings_;
  std::string whom_;
  bool quiet_ = false;
};

}  // namespace kumiki::gen::config
