// SPDX-License-Identifier: Apache-2.0
// The constructor of Source: makes values of a text.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "gen/config/messages.h"
#include "gen/config/scan.h"
#include "gen/config/source.h"
#include "gen/config/syntax.h"

namespace kumiki::gen::config {

// Receives nlohmann's events. Each event corresponds to one token of the text, except commas and
// colons. So the next token at every event gives the place of the value.
class TreeBuilder {
 public:
  using Json = nlohmann::json;
  TreeBuilder(Source& source, Findings& findings)
      : source_(source), findings_(findings), end_(start(source.text_)) {}

  static std::size_t start(std::string_view text) {
    return text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  }

  bool null() { return add(Form::null), true; }
  bool boolean(bool value) { return add(Form::boolean).integer = value, true; }
  bool number_integer(Json::number_integer_t v) { return add(Form::integer).integer = v, true; }
  bool number_unsigned(Json::number_unsigned_t value) {
    if (std::in_range<std::int64_t>(value)) {
      add(Form::integer).integer = static_cast<std::int64_t>(value);
    } else {
      add(Form::big_integer).number = static_cast<double>(value);
    }
    return true;
  }
  bool number_float(Json::number_float_t value, const std::string& written) {
    const bool whole = written.find_first_of(".eE") == std::string::npos;
    add(whole ? Form::big_integer : Form::number).number = value;
    return true;
  }
  bool string(std::string& value) {
    add(Form::text).size = keep(std::move(value));
    return true;
  }
  bool binary(Json::binary_t&) { return false; }  // never in JSON text

  bool start_object(std::size_t) { return open(Form::object); }
  bool start_array(std::size_t) { return open(Form::list); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Source::Value& v = add(Form::key);
    const auto [first, fresh] = open_.back().keys.emplace(name, v.offset);
    v.size = keep(std::move(name));
    v.duplicate = !fresh;
    if (fresh) {
      ++open_.back().size;
    } else {
      report_duplicate(first->second);
    }
    after_key_ = true;
    return true;
  }

  bool parse_error(std::size_t read, const std::string&, const Json::exception& error) {
    // The library quotes its last input only if that is not a token.
    const std::string_view what = error.what();
    const std::size_t quote = what.find("; last read: ");
    Stop stop{.read = read,
              .after_key = after_key_,
              .overflow = error.id == 406,
              .broken_token = quote != std::string_view::npos,
              .bad_utf8 = what.substr(0, quote).find("UTF-8") != std::string_view::npos};
    if (!open_.empty()) {
      const bool object = source_.values_[open_.back().index].form == Form::object;
      stop.in = object ? Surroundings::object : Surroundings::list;
    }
    SyntaxError e = explain(source_.text_, stop);
    findings_.add(static_cast<std::uint32_t>(e.offset), {.pointer = here(),
                                                         .value = e.value,
                                                         .message = e.message,
                                                         .required = e.required,
                                                         .code = e.code});
    return false;
  }

 private:
  struct Open {
    std::uint32_t index;
    std::uint64_t size = 0;
    std::unordered_map<std::string, std::uint32_t> keys = {};  // offset of each
  };

  std::uint32_t next_place() {
    Token t = next_token(source_.text_, end_);
    while (t.kind == Token::Kind::punctuation &&
           (source_.text_[t.begin] == ',' || source_.text_[t.begin] == ':')) {
      t = next_token(source_.text_, t.end);
    }
    end_ = t.end;
    return static_cast<std::uint32_t>(t.begin);
  }

  // The container of a value, or the root itself.
  std::uint32_t parent() const { return open_.empty() ? 0 : open_.back().index; }

  Source::Value& add(Form form) {
    const auto index = static_cast<std::uint32_t>(source_.values_.size());
    if (!open_.empty() && source_.values_[parent()].form == Form::list) ++open_.back().size;
    after_key_ = false;
    Source::Value v{.offset = next_place(), .parent = parent(), .end = index + 1, .form = form};
    // Until a container is closed, its end is that of all values so far.
    if (form == Form::list || form == Form::object)
      v.end = std::numeric_limits<std::uint32_t>::max();
    v.integer = 0;
    return source_.values_.emplace_back(v);
  }

  bool open(Form form) {
    const auto index = static_cast<std::uint32_t>(source_.values_.size());
    const Source::Value& v = add(form);
    open_.push_back({.index = index});
    if (open_.size() <= max_depth) return true;
    findings_.add(v.offset, {.message = "brackets are nested too deeply",
                             .required = fmt::format("nest at most {} levels", max_depth),
                             .code = code::nested_too_deeply});
    return false;
  }

  bool close() {
    next_place();
    after_key_ = false;
    Source::Value& v = source_.values_[open_.back().index];
    v.end = static_cast<std::uint32_t>(source_.values_.size());
    v.size = open_.back().size;
    open_.pop_back();
    return true;
  }

  void report_duplicate(std::uint32_t first) {
    const Node key(source_, static_cast<std::uint32_t>(source_.values_.size() - 1));
    if (findings_.full()) return findings_.add_uncounted(1);  // counting lines takes long
    const auto text = source_.text_.begin();
    const auto line = 1 + std::count(text, text + first, '\n');
    findings_.add(key.begin(),
                  {.pointer = key.pointer(),
                   .message = "is given twice",
                   .required = fmt::format("remove one; the first is in line {}", line),
                   .code = code::duplicate_key});
  }

  std::uint64_t keep(std::string text) {
    source_.texts_.push_back(std::move(text));
    return source_.texts_.size() - 1;
  }

  // Pointer of the innermost thing being read.
  std::string here() const {
    if (after_key_) {
      return Node(source_, static_cast<std::uint32_t>(source_.values_.size() - 1)).pointer();
    }
    return open_.empty() ? "" : Node(source_, open_.back().index).pointer();
  }

  Source& source_;
  Findings& findings_;
  std::size_t end_;  // one past the last token taken
  std::vector<Open> open_;
  bool after_key_ = false;
};

namespace {

// Refuses texts for which the parser's own message would be misleading. Returns false if the text
// should be parsed.
bool refuse_rubbish(const std::string& text, Findings& findings) {
  auto refuse = [&](std::size_t at, Code code, std::string message, std::string required) {
    findings.add(static_cast<std::uint32_t>(at),
                 {.message = std::move(message), .required = std::move(required), .code = code});
    return true;
  };
  if (text.size() > max_bytes) {
    return refuse(0, code::file_too_long, "the configuration is too long",
                  fmt::format("must be at most {} MiB; move long lists to files of their own",
                              max_bytes >> 20));
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return refuse(0, code::not_utf8, "the text is UTF-16", "must be UTF-8");
  }
  // nlohmann would take a zero byte for the end of the text and ignore the rest.
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    return refuse(zero, code::zero_byte, "the text has a zero byte",
                  "give a JSON object as UTF-8 text");
  }
  if (next_token(text, TreeBuilder::start(text)).kind == Token::Kind::end) {
    return refuse(0, code::empty_configuration, "the configuration is empty", "give a JSON object");
  }
  return false;
}

}  // namespace

Source::Source(std::string file, std::string text, Findings& findings)
    : file_(std::move(file)), text_(std::move(text)) {
  if (refuse_rubbish(text_, findings)) return;
  TreeBuilder builder(*this, findings);
  parsed_ = nlohmann::json::sax_parse(text_, &builder);
}

}  // namespace kumiki::gen::config
