// SPDX-License-Identifier: Apache-2.0
#include "backends/support/own_build.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdint>
#include <cstring>

#include "backends/support/file.h"
#include "backends/support/sha256.h"

namespace kumiki::backends {
namespace {

// An address inside the object that contains this code.
constexpr char mark = 0;

bool contains_mark(const dl_phdr_info& object) {
  const auto own = reinterpret_cast<std::uintptr_t>(&mark);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& part = object.dlpi_phdr[i];
    const auto begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && begin <= own && own < begin + part.p_memsz) return true;
  }
  return false;
}

// Notes have a header, a name and a description each, the latter two in units of 4 bytes.
std::string identifier_in(const char* at, std::size_t bytes) {
  const auto whole = [](std::size_t n) { return (n + 3) / 4 * 4; };
  for (ElfW(Nhdr) note; bytes >= sizeof note;) {
    std::memcpy(&note, at, sizeof note);
    const std::size_t name = whole(note.n_namesz), all = sizeof note + name + whole(note.n_descsz);
    if (all > bytes) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(at + sizeof note, "GNU", 4) == 0) {
      std::string digits;
      for (std::size_t i = 0; i < note.n_descsz; ++i)
        digits += fmt::format("{:02x}", static_cast<unsigned char>(at[sizeof note + name + i]));
      return digits;
    }
    at += all;
    bytes -= all;
  }
  return {};
}

// The object that contains this code.
struct Own {
  std::string identifier = {};
  std::string file = "/proc/self/exe";  // for the program itself, which has no name here
};

int look(dl_phdr_info* object, std::size_t, void* found) {
  if (!contains_mark(*object)) return 0;
  auto& own = *static_cast<Own*>(found);
  if (*object->dlpi_name != '\0') own.file = object->dlpi_name;
  for (int i = 0; i < object->dlpi_phnum && own.identifier.empty(); ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type == PT_NOTE)
      own.identifier = identifier_in(
          reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return 1;
}

}  // namespace

const std::string& own_build() {
  static const std::string build = [] {
    Own own;
    ::dl_iterate_phdr(look, &own);
    return own.identifier.empty() ? sha256(read_file(own.file)) : own.identifier;
  }();
  return build;
}

}  // namespace kumiki::backends
