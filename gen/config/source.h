// SPDX-License-Identifier: Apache-2.0
// A JSON text and its values, each with its place in the text: nlohmann's parser reports the
// values, and a scan over the same text counts tokens to find their places.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gen/config/finding.h"

namespace kumiki::gen::config {

inline constexpr std::size_t max_bytes = std::size_t{32} << 20;
inline constexpr std::size_t max_depth = 64;

enum class Form : std::uint8_t {
  null,
  boolean,
  integer,      // written without fraction and exponent, fits 64 bits
  big_integer,  // written so, but does not fit
  number,
  text,
  list,
  object,
  key
};

class Source;
class Entries;
struct Member;
class Members;

// A value of a Source, as cheap to copy as a pointer. A default-constructed Node means "not there".
class Node {
 public:
  Node() = default;
  Node(const Source& source, std::uint32_t index) : source_(&source), index_(index) {}
  explicit operator bool() const { return source_ != nullptr; }

  Form form() const;
  bool boolean() const;
  std::int64_t integer() const;
  double number() const;  // of an integer, a big integer or a number
  const std::string& text() const;
  std::size_t size() const;                 // entries of a list, members of an object
  Node member(std::string_view key) const;  // the first of that name, or "not there"
  Entries entries() const;
  Members members() const;
  Node parent() const;

  // An object may name a file with the list: then `list` is the list that was read from it,
  // otherwise the value itself. `folder` is the folder of the configuration.
  Node list() const;
  void stands_for(std::string text) const;
  std::filesystem::path folder() const;

  std::uint32_t begin() const;  // bytes of the text that it spans, including blanks after it
  std::uint32_t end() const;
  std::string pointer() const;  // "/layers/3/terms"
  std::string shown() const;    // as written, shortened; containers in words, but short lists

  friend bool operator==(const Node&, const Node&) = default;

 private:
  friend class Entries;
  friend class Members;
  std::optional<std::string> short_list() const;
  const Source* source_ = nullptr;
  std::uint32_t index_ = 0;
};

// Range-for over the entries of a list.
class Entries {
 public:
  class iterator {
   public:
    explicit iterator(Node node) : node_(node) {}
    Node operator*() const { return node_; }
    iterator& operator++();
    bool operator==(const iterator&) const = default;

   private:
    Node node_;
  };
  explicit Entries(Node list) : list_(list) {}
  iterator begin() const;
  iterator end() const;

 private:
  Node list_;
};

// Range-for over the members of an object, each key once: a second one is reported at parsing.
struct Member {
  Node key;
  Node value;
};
class Members {
 public:
  class iterator {
   public:
    iterator(Node node, Node end);
    Member operator*() const;
    iterator& operator++();
    bool operator==(const iterator&) const = default;

   private:
    void skip_duplicates();
    Node node_;
    Node end_;
  };
  explicit Members(Node object) : object_(object) {}
  iterator begin() const;
  iterator end() const;

 private:
  Node object_;
};

class Source {
 public:
  // Parses the text. Adds a finding for everything that is not JSON, or is JSON that we forbid.
  Source(std::string file, std::string text, Findings& findings);
  Source(const Source&) = delete;  // nodes point to it
  Source& operator=(const Source&) = delete;

  bool parsed() const { return parsed_; }
  Node root() const { return {*this, 0}; }
  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }

 private:
  friend class Node;
  friend class Entries;
  friend class Members;
  friend class TreeBuilder;

  // Values in the order of the text; a key comes right before its value.
  struct Value {
    std::uint32_t offset;  // of its first byte
    std::uint32_t parent;
    std::uint32_t end = 0;  // index one past its last descendant
    Form form;
    bool duplicate = false;  // of a key: an earlier key has the same name
    union {
      std::int64_t integer;
      double number;
      std::uint64_t size;  // of a container; index into texts_ of a text or key
    };
  };

  std::string file_;
  std::string text_;
  std::vector<Value> values_;
  std::vector<std::string> texts_;
  bool parsed_ = false;
  mutable std::map<std::uint32_t, std::unique_ptr<Source>> lists_;  // read from files, by value
};

// The contents of a file of at most so many bytes (one byte more of a larger one, so that the
// reader refuses it). FileError if it is missing, a directory or unreadable; `wanted` is what it
// should be.
std::string load_text(const std::filesystem::path& path, std::size_t most = max_bytes,
                      std::string_view wanted = "a configuration file");

std::string_view trimmed(std::string_view text);  // without blanks at its ends

// Text in double quotes, escapes for everything that is not printable ASCII, cut to `longest`.
std::string in_quotes(std::string_view text, std::size_t longest = 40);

}  // namespace kumiki::gen::config
