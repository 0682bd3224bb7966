// SPDX-License-Identifier: Apache-2.0
#include "backends/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "ir/error.h"

extern char** environ;

namespace kumiki::backends {
namespace {

[[noreturn]] void fail(const std::string& program, int error) {
  throw ToolError(fmt::format("cannot start {}: {}{}", program, std::strerror(error),
                              error == ENOENT ? "; install it or add it to PATH" : ""));
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw ToolError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  ~Pipe() {
    ::close(ends_[0]);
    close_writer();
  }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  std::string read_all() {
    std::string text;
    std::array<char, 65536> chunk;
    for (;;) {
      auto n = ::read(ends_[0], chunk.data(), chunk.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return text;
      text.append(chunk.data(), static_cast<std::size_t>(n));
    }
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command,
                          const std::filesystem::path& directory) {
  Pipe pipe;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe.writer(), 1);
  posix_spawn_file_actions_adddup2(&actions, pipe.writer(), 2);
  if (!directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  std::vector<char*> arguments;
  for (const auto& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  int error = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(command[0], error);
  pipe.close_writer();
  ProcessResult result{.output = pipe.read_all()};
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace kumiki::backends
