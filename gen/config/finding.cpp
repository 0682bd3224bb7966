// SPDX-License-Identifier: Apache-2.0
#include "gen/config/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kumiki::gen::config {
namespace {

std::string lines(const std::string& file, const std::vector<Finding>& findings,
                  std::size_t count) {
  std::string text;
  const std::size_t listed = std::min(findings.size(), ConfigError::shown);
  for (std::size_t i = 0; i < listed; ++i) {
    text += (i ? "\n" : "") + to_string(file, findings[i]);
  }
  if (count > listed) text += fmt::format("\n{}: … and {} more", file, count - listed);
  return text;
}

}  // namespace

std::string to_string(const std::string& file, const Finding& finding) {
  std::string text = fmt::format("{}:{}:{}: ", file, finding.line, finding.column);
  if (!finding.pointer.empty()) text += finding.pointer + ": ";
  if (!finding.value.empty()) text += finding.value + " ";
  text += finding.message;
  if (!finding.required.empty()) text += "; " + finding.required;
  return with_code(std::move(text), finding.code);
}

ConfigError::ConfigError(std::string file, std::vector<Finding> findings, std::size_t count)
    : std::runtime_error(lines(file, findings, count)),
      file_(std::move(file)),
      findings_(std::move(findings)),
      count_(count) {}

void Findings::add(std::uint32_t offset, Finding finding) {
  for (const Entry& e : entries_) {
    if (e.offset == offset && e.finding == finding) return;
  }
  ++count_;
  if (entries_.size() < kept) entries_.push_back({offset, std::move(finding)});
}

bool Findings::any_within(std::uint32_t begin, std::uint32_t end) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& e) { return e.offset >= begin && e.offset < end; });
}

std::vector<Finding> Findings::take(const std::string& text) {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  std::vector<Finding> sorted;
  unsigned line = 1;
  unsigned column = 1;
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark has no column
  for (Entry& e : entries_) {
    for (; at < e.offset && at < text.size(); ++at) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte == '\n') {
        ++line;
        column = 1;
      } else if ((byte & 0xC0) != 0x80) {  // not the continuation of a character
        ++column;
      }
    }
    e.finding.line = line;
    e.finding.column = column;
    sorted.push_back(std::move(e.finding));
  }
  entries_.clear();
  return sorted;
}

}  // namespace kumiki::gen::config
