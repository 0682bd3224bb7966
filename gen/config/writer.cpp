// SPDX-License-Identifier: Apache-2.0
#include "gen/config/writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace kumiki::gen::config {

struct Writer::State {
  struct Open {
    Json value;
    std::string key;  // its key in the enclosing object
  };
  std::vector<Open> open;
  std::string key;
  Json done;

  void put(Json value, const std::string& name) {
    if (open.empty()) {
      done = std::move(value);
    } else if (Json& into = open.back().value; into.is_array()) {
      into.push_back(std::move(value));
    } else {
      into[name] = std::move(value);
    }
  }
  void close() {
    Open top = std::move(open.back());
    open.pop_back();
    put(std::move(top.value), top.key);
  }
};

Writer::Writer() : state_(std::make_unique<State>()) {}
Writer::~Writer() = default;

void Writer::integer(std::int64_t value) { state_->put(value, state_->key); }
void Writer::number(double value) { state_->put(value, state_->key); }
void Writer::boolean(bool value) { state_->put(value, state_->key); }
void Writer::text(std::string_view value) { state_->put(std::string(value), state_->key); }
void Writer::null() { state_->put(nullptr, state_->key); }
void Writer::begin_list() { state_->open.push_back({Json::array(), state_->key}); }
void Writer::end_list() { state_->close(); }
void Writer::begin_object() { state_->open.push_back({Json::object(), state_->key}); }
void Writer::key(std::string_view name) { state_->key = name; }
void Writer::end_object() { state_->close(); }
Json Writer::take() { return std::move(state_->done); }
std::string Writer::printed() { return take().dump(2, ' ', false, Json::error_handler_t::replace); }

namespace {

constexpr std::size_t width = 100;

// A program may pass strings that are not UTF-8; the output is UTF-8 in any case.
std::string scalar(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void print(const Json& value, std::size_t indent, std::string& out);

void print_plain_list(const Json& list, std::size_t indent, std::string& out) {
  const std::string blanks(indent + 2, ' ');
  std::string lines;
  std::size_t column = 0;
  bool wrapped = false;
  for (const Json& entry : list) {
    const std::string word = scalar(entry);
    if (!lines.empty()) {
      lines += ',';
      wrapped |= column + word.size() + 3 > width;
      const bool fits = column + word.size() + 3 <= width;
      lines += fits ? " " : "\n" + blanks;
      column = fits ? column + 2 : blanks.size();
    } else {
      column = blanks.size();
    }
    lines += word;
    column += word.size();
  }
  out +=
      wrapped ? "[\n" + blanks + lines + "\n" + std::string(indent, ' ') + "]" : "[" + lines + "]";
}

void print_nested(const Json& value, std::size_t indent, std::string& out) {
  const bool object = value.is_object();
  out += object ? '{' : '[';
  bool first = true;
  for (const auto& [key, entry] : value.items()) {
    out += first ? "\n" : ",\n";
    out.append(indent + 2, ' ');
    if (object) out += scalar(key) + ": ";
    print(entry, indent + 2, out);
    first = false;
  }
  out += '\n';
  out.append(indent, ' ');
  out += object ? '}' : ']';
}

void print(const Json& value, std::size_t indent, std::string& out) {
  const bool plain = std::none_of(value.begin(), value.end(),
                                  [](const Json& entry) { return entry.is_structured(); });
  if (!value.is_structured() || value.empty()) {
    out += scalar(value);
  } else if (value.is_array() && plain) {
    print_plain_list(value, indent, out);
  } else {
    print_nested(value, indent, out);
  }
}

}  // namespace

std::string print(const Json& value) {
  std::string out;
  print(value, 0, out);
  return out + "\n";
}

}  // namespace kumiki::gen::config
