// SPDX-License-Identifier: Apache-2.0
#include "gen/config/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "gen/config/scan.h"
#include "ir/error.h"

namespace kumiki::gen::config {

Form Node::form() const { return source_->values_[index_].form; }
bool Node::boolean() const { return source_->values_[index_].integer != 0; }
std::int64_t Node::integer() const { return source_->values_[index_].integer; }

double Node::number() const {
  const auto& v = source_->values_[index_];
  return v.form == Form::integer ? static_cast<double>(v.integer) : v.number;
}

const std::string& Node::text() const { return source_->texts_[source_->values_[index_].size]; }
std::size_t Node::size() const { return source_->values_[index_].size; }
Entries Node::entries() const { return Entries(*this); }

Node Node::list() const {
  const auto read = source_->lists_.find(index_);
  return read == source_->lists_.end() ? *this : read->second->root();
}
void Node::stands_for(std::string text) const {
  Findings none;
  source_->lists_[index_] = std::make_unique<Source>("", std::move(text), none);
}
std::filesystem::path Node::folder() const {
  return std::filesystem::path(source_->file_).parent_path();
}

Members Node::members() const { return Members(*this); }
Node Node::parent() const { return {*source_, source_->values_[index_].parent}; }

Node Node::member(std::string_view key) const {
  for (const Member& m : members()) {
    if (m.key.text() == key) return m.value;
  }
  return {};
}

std::uint32_t Node::begin() const { return source_->values_[index_].offset; }

std::uint32_t Node::end() const {
  const std::uint32_t next = source_->values_[index_].end;
  return next < source_->values_.size() ? source_->values_[next].offset
                                        : static_cast<std::uint32_t>(source_->text_.size());
}

std::string Node::pointer() const {
  if (index_ == 0) return "";
  const Node up = parent();
  if (form() == Form::key || source_->values_[up.index_].form == Form::object) {
    // The value of a member stands right behind its key.
    std::string name = form() == Form::key ? text() : Node(*source_, index_ - 1).text();
    name = in_quotes(name);
    std::string token;
    for (const char c : name.substr(1, name.size() - 2)) {
      token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return up.pointer() + "/" + token;
  }
  std::size_t place = 0;
  for (const Node n : up.entries()) {
    if (n == *this) break;
    ++place;
  }
  return fmt::format("{}/{}", up.pointer(), place);
}

// A list of a few numbers or words, as written in the file.
std::optional<std::string> Node::short_list() const {
  constexpr std::size_t most_entries = 8, most_letters = 40;
  if (size() > most_entries) return std::nullopt;
  std::vector<std::string> all;
  for (const Node entry : entries()) {
    if (entry.form() == Form::list || entry.form() == Form::object) return std::nullopt;
    all.push_back(entry.shown());
  }
  std::string text = fmt::format("[{}]", fmt::join(all, ", "));
  return text.size() <= most_letters ? std::optional(std::move(text)) : std::nullopt;
}

std::string Node::shown() const {
  const std::size_t n = size();
  switch (form()) {
    case Form::list:
      return n == 0 ? "an empty list" : short_list().value_or(fmt::format("a list of {}", n));
    case Form::object:
      if (list() != *this) return fmt::format("the file {}", in_quotes(member("file").text()));
      return n == 0 ? "an empty object" : "an object";
    case Form::text:
    case Form::key:
      return in_quotes(text());
    default:
      break;
  }
  const Token token = next_token(source_->text_, begin());
  const std::size_t length = token.end - token.begin;
  if (length <= 40) return source_->text_.substr(token.begin, length);
  return source_->text_.substr(token.begin, 37) + "...";
}

Entries::iterator& Entries::iterator::operator++() {
  node_.index_ = node_.source_->values_[node_.index_].end;
  return *this;
}
Entries::iterator Entries::begin() const {
  return iterator(Node(*list_.source_, list_.index_ + 1));
}
Entries::iterator Entries::end() const {
  return iterator(Node(*list_.source_, list_.source_->values_[list_.index_].end));
}

Members::iterator::iterator(Node node, Node end) : node_(node), end_(end) { skip_duplicates(); }

Member Members::iterator::operator*() const {
  return {node_, Node(*node_.source_, node_.index_ + 1)};
}

Members::iterator& Members::iterator::operator++() {
  node_.index_ = node_.source_->values_[node_.index_ + 1].end;
  skip_duplicates();
  return *this;
}

void Members::iterator::skip_duplicates() {
  while (node_ != end_ && node_.source_->values_[node_.index_].duplicate) {
    node_.index_ = node_.source_->values_[node_.index_ + 1].end;
  }
}

Members::iterator Members::begin() const {
  const Node end(*object_.source_, object_.source_->values_[object_.index_].end);
  return {Node(*object_.source_, object_.index_ + 1), end};
}
Members::iterator Members::end() const {
  const Node end(*object_.source_, object_.source_->values_[object_.index_].end);
  return {end, end};
}

std::string load_text(const std::filesystem::path& path, std::size_t most,
                      std::string_view wanted) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw FileError(code::file_not_found, fmt::format("{}: no such file", path.string()));
  }
  if (std::filesystem::is_directory(status)) {
    throw FileError(code::file_is_directory,
                    fmt::format("{} is a directory; it must be {}", path.string(), wanted));
  }
  std::ifstream in(path, std::ios::binary);
  std::string text;
  if (const auto size = std::filesystem::file_size(path, error); !error)
    text.reserve(std::min<std::size_t>(size, most) + 1);
  std::string block(std::size_t{1} << 16, '\0');
  // The file may be a pipe, so its size is known only at the end.
  while (in && text.size() <= most) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof() && text.size() <= most) {
    throw FileError(code::file_not_read, fmt::format("{}: cannot be read", path.string()));
  }
  text.resize(std::min(text.size(), most + 1));
  return text;
}

std::string_view trimmed(std::string_view s) {
  const auto first = s.find_first_not_of(" \t\r");
  if (first == s.npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

std::string in_quotes(std::string_view text, std::size_t longest) {
  const bool cut = text.size() > longest;
  if (cut) {
    text = text.substr(0, longest - 3);
    // Does not cut in the middle of a character.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) {
      text.remove_suffix(1);
    }
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.remove_suffix(1);
  }
  using Json = nlohmann::json;
  const auto whatever = Json::error_handler_t::replace;
  std::string out = Json(std::string(text)).dump(-1, ' ', true, whatever);
  if (cut) out.insert(out.size() - 1, "...");
  return out;
}

}  // namespace kumiki::gen::config
