// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/messages.h"

#include <sys/stat.h>

#include <cstdlib>

#include "backends/formal/aig.h"
#include "backends/support/cache.h"
#include "backends/support/file.h"
#include "backends/support/files.h"
#include "backends/support/image/formats.h"
#include "backends/support/image/messages.h"
#include "backends/support/lock.h"
#include "backends/support/messages.h"
#include "backends/support/process.h"
#include "backends/support/temporary.h"
#include "backends/support/tool.h"
#include "tests/support/messages.h"

namespace kumiki::backends {
namespace support_messages_test {

namespace fs = std::filesystem;

// Files without a path in front of their names.
class Inside {
 public:
  Inside() { fs::current_path(folder_.path()); }
  ~Inside() { fs::current_path(before_); }

 private:
  const fs::path before_ = fs::current_path();
  const TemporaryFolder folder_;
};

class WithVariable {
 public:
  WithVariable(const char* name, const char* value) : name_(name) {
    if (const char* text = std::getenv(name)) before_ = text;
    ::setenv(name, value, 1);
  }
  ~WithVariable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

void commit(const char* file) {
  OutputSet set;
  set.add(file, "x");
  set.commit("out");
}

TEST(Messages, OfFiles) {
  const Inside inside;
  write_file("out/top.v/letter", "mine");
  test::expect_messages("messages/files.txt",
                        {{code::file_not_written, [] { write_file("/dev/full", "x"); }},
                         {code::folder_not_made,
                          [] {
                            OutputSet set;
                            set.add("top.v", "x");
                            set.commit("/proc/nothing");
                          }},
                         {code::no_temporary_folder,
                          [] {
                            const WithVariable variable("TMPDIR", "/etc/passwd");
                            const TemporaryFolder folder;
                          }},
                         {code::another_run,
                          [] {
                            const FolderLock one("out");
                            const FolderLock two("out");
                          }},
                         {code::no_regular_file, [] { commit("top.v"); }},
                         {code::symbolic_link,
                          [] {
                            fs::create_symlink("nowhere/b.svg", "picture.svg");
                            write_named_file("picture.svg", "x", FilesOfUser::replace);
                          }},
                         {code::files_of_user,
                          [] {
                            fs::remove_all("out/top.v");
                            write_file("out/top.v", "mine");
                            commit("top.v");
                          }},
                         {code::output_file_name, [] { commit("../x"); }},
                         {code::output_file_twice,
                          [] {
                            OutputSet set;
                            set.add("Top.v", "x");
                            set.add("top.V", "x");
                          }},
                         {code::cache_unusable,
                          [] {
                            fs::create_directories("kept/kumiki-cache");
                            for (const char* folder : {"kept", "kept/kumiki-cache"})
                              ::chmod(folder, 0700);
                            (void)Cache("kept").entries();
                          }},
                         {code::file_not_found, [] { (void)read_file("nowhere.txt"); }}});
}

void decode(std::string_view bytes, const char* name = "in.pgm") {
  (void)decode_image(bytes, name);
}

TEST(Messages, OfPictures) {
  using namespace std::string_view_literals;
  test::expect_messages(
      "messages/images.txt",
      {{code::unknown_picture_format, [] { decode("II*", "photo.tiff"); }},
       {code::picture_extension, [] { (void)encode_image(make_image(1, 1), "out.tiff"); }},
       {code::picture_cut_off, [] { decode("P5\n2 2\n255\nabc"); }},
       {code::picture_damaged, [] { decode("P5\n1 1\n255\nabc"); }},
       {code::picture_size, [] { (void)make_image(0, 4); }},
       {code::sixteen_bit_picture, [] { decode("P5\n1 1\n65535\nab"); }},
       {code::picture_white, [] { decode("P5\n1 1\n0\na"); }},
       {code::sample_out_of_range, [] { decode("P2\n2 1\n7\n3 9\n"); }},
       {code::picture_alpha,
        [] {
          decode("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\1\0\0\0\1\x08\x06\0\0\0\0\0\0\0"sv,
                 "in.png");
        }},
       {code::picture_channels, [] { (void)make_image(1, 1, 2); }},
       {code::picture_sample_count, [] {
          require_consistent({.width = 2, .height = 2, .samples = {1, 2, 3}});
        }}});
}

TEST(Messages, OfTools) {
  test::expect_messages(
      "messages/tools.txt",
      {{code::tool_missing,
        [] {
          (void)require({"verilator-9", "verilator"});
        }},
       {code::tool_not_started, [] { (void)run_process({"/etc/passwd"}); }},
       {code::tool_failed,
        [] {
          (void)run_tool({"sh", "dash"},
                         {.arguments = {"-c", "echo error: no such module; exit 3"}},
                         "simulate the netlist");
        }},
       {code::tool_time_up,
        [] {
          (void)run_tool({"true", "coreutils"}, {.arguments = {}, .seconds = 0}, "answer");
        }},
       {code::tool_answer, [] { (void)proof::read_circuit("no circuit"); }}});
}

}  // namespace support_messages_test
}  // namespace kumiki::backends
