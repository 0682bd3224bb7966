// SPDX-License-Identifier: Apache-2.0
#include "backends/support/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "backends/support/messages.h"
#include "backends/support/signals.h"
#include "backends/support/supervisor.h"
#include "ir/error.h"
#include "ir/interrupt.h"

extern char** environ;

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int status_of_timeout = 124;  // like coreutils' timeout
constexpr auto glance = 100ms;          // how often a wait checks for a request to stop
constexpr auto mercy = 1s;              // from asking a tool to end until killing it
constexpr auto mercy_interrupted = 300ms;

[[noreturn]] void fail(std::string_view doing, int error) {
  throw ToolError(code::tool_not_started,
                  fmt::format("cannot {}: {}", doing, std::strerror(error)));
}
[[noreturn]] void cannot_start(const std::string& program, int error) {
  throw ToolError(code::tool_not_started,
                  fmt::format("cannot start {}: {}{}", program, std::strerror(error),
                              error == ENOENT ? "; install it or add it to PATH" : ""));
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) fail("make a pipe", errno);
    // A child has its own files at 0 to 3, so none of these may have such a number.
    for (int& end : ends_)
      if (end <= 3) {
        const int moved = ::fcntl(end, F_DUPFD_CLOEXEC, 4);
        ::close(end);
        end = moved;
      }
  }
  ~Pipe() {
    ::close(ends_[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  bool at_end() const { return at_end_; }
  void read_into(std::string& text) {
    std::array<char, 65536> chunk;
    const auto n = ::read(ends_[0], chunk.data(), chunk.size());
    if (n > 0) text.append(chunk.data(), static_cast<std::size_t>(n));
    at_end_ = n == 0 || (n < 0 && errno != EINTR);
  }

 private:
  std::array<int, 2> ends_{};
  bool at_end_ = false;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& t : texts) all.push_back(t.data());
  all.push_back(nullptr);
  return all;
}

// Files that a killed tool leaves in the temporary folder are removed with ours.
std::vector<std::string> environment_with(const fs::path& temporaries) {
  std::vector<std::string> all;
  for (char** at = environ; at && *at; ++at)
    if (!std::string_view(*at).starts_with("TMPDIR=")) all.emplace_back(*at);
  all.push_back("TMPDIR=" + temporaries.string());
  return all;
}

// Blocks all signals while it lives: a child must not run our handlers before it runs its own
// program.
class Quiet {
 public:
  Quiet() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~Quiet() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

// The signal settings that a program expects.
class Attributes {
 public:
  explicit Attributes(sigset_t mask) {
    unblock_for_tools(mask);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setsigmask(&attributes_, &mask);
    sigset_t usual;
    ::sigemptyset(&usual);
    for (int s : {SIGPIPE, SIGUSR1, SIGCHLD, SIGXFSZ}) ::sigaddset(&usual, s);
    ::posix_spawnattr_setsigdefault(&attributes_, &usual);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

class Process {
 public:
  using Hear = std::function<void(std::string_view)>;
  Process(std::vector<std::string> command, const fs::path& directory, std::optional<Seconds> limit,
          const Hear& hear)
      : command_(std::move(command)), directory_(directory), hear_(hear) {
    if (limit) deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(*limit);
  }

  ProcessResult run() {
    start();
    const RunningGroup group(leader_);
    // A process that has left the group may keep the output open. So after the tool has ended,
    // nothing more is awaited.
    bool more = true;
    while (!report_.at_end() || (more && !output_.at_end())) {
      more = wait();
      urge(group);
    }
    int ignored = 0;  // the report tells how the tool ended, whatever this status is
    while (::waitpid(leader_, &ignored, 0) < 0 && errno == EINTR) {
    }
    ir::stop_if_interrupted();
    tell();
    return std::move(result_);
  }

 private:
  void start() {
    const auto file = file_of_program();
    auto environment = environment_with(temporaries_.path());
    const auto arguments = pointers(command_), variables = pointers(environment);
    const Quiet quiet;
    const Attributes attributes(quiet.before());
    const Supervised child{.file = file.c_str(),
                           .arguments = arguments.data(),
                           .environment = variables.data(),
                           .directory = directory_.empty() ? nullptr : directory_.c_str(),
                           .attributes = attributes.get(),
                           .output = output_.writer(),
                           .report = report_.writer(),
                           .parent = ::getpid()};
    leader_ = ::fork();
    if (leader_ == 0) supervise(child);
    if (leader_ < 0) cannot_start(command_[0], errno);
    ::setpgid(leader_, leader_);  // parent and child both try; either may be first
    output_.close_writer();
    report_.close_writer();
  }

  // A name with a slash is resolved from the directory where the program runs.
  std::string file_of_program() const {
    if (command_[0].find('/') != std::string::npos) return command_[0];
    const auto file = find_program(command_[0]);
    if (!file) cannot_start(command_[0], ENOENT);
    return file->string();
  }

  // False: nothing to read yet.
  bool wait() {
    std::array<pollfd, 2> pipes{pollfd{output_.at_end() ? -1 : output_.reader(), POLLIN, 0},
                                pollfd{report_.at_end() ? -1 : report_.reader(), POLLIN, 0}};
    const auto next =
        std::min(std::chrono::ceil<std::chrono::milliseconds>((killed_  ? Clock::now() + mercy
                                                               : urged_ ? kill_at_
                                                                        : deadline_) -
                                                              Clock::now()),
                 std::chrono::milliseconds(glance));
    const auto time = static_cast<int>(std::max(next, 0ms).count());
    if (::poll(pipes.data(), pipes.size(), time) <= 0) return false;
    if (pipes[0].revents != 0) {
      const std::size_t heard = result_.output.size();
      output_.read_into(result_.output);
      if (hear_) hear_(std::string_view(result_.output).substr(heard));
    }
    if (pipes[1].revents != 0) report_.read_into(told_);
    return true;
  }

  // Asks the group to end, and kills it if it does not.
  void urge(const RunningGroup& group) {
    const auto now = Clock::now();
    if (!urged_ && ir::interrupted()) {
      group.signal(ir::interrupted());  // the handler has done so if it knew this group
      urged_ = true;
      kill_at_ = now + mercy_interrupted;
    } else if (!urged_ && now >= deadline_) {
      group.signal(SIGTERM);
      urged_ = result_.timed_out = true;
      kill_at_ = now + mercy;
    } else if (urged_ && !killed_ && now >= kill_at_) {
      group.signal(SIGKILL);
      killed_ = true;
    }
  }

  void tell() {
    Report report{Report::ended, SIGKILL};  // no report: it was killed with its tool
    if (told_.size() >= sizeof report) std::memcpy(&report, told_.data(), sizeof report);
    if (report.kind == Report::not_started) cannot_start(command_[0], report.value);
    if (report.kind == Report::no_directory)
      fail(fmt::format("run {} in {}", command_[0], directory_.string()), report.value);
    if (WIFSIGNALED(report.value)) result_.signal = WTERMSIG(report.value);
    result_.status = result_.timed_out ? status_of_timeout
                     : result_.signal  ? 128 + result_.signal
                                       : WEXITSTATUS(report.value);
  }

  std::vector<std::string> command_;
  fs::path directory_;
  const Hear& hear_;
  const TemporaryFolder temporaries_;
  Pipe output_, report_;
  std::string told_;
  pid_t leader_ = -1;
  Clock::time_point deadline_ = Clock::time_point::max(), kill_at_{};
  bool urged_ = false, killed_ = false;
  ProcessResult result_;
};

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, const fs::path& directory,
                          std::optional<Seconds> limit,
                          const std::function<void(std::string_view)>& hear) {
  ir::stop_if_interrupted();
  // A limit of more than a year counts as no limit, so that no sum of times overflows.
  if (limit && *limit > std::chrono::hours(24 * 365)) limit.reset();
  if (limit && !(*limit > Seconds(0))) return {.status = status_of_timeout, .timed_out = true};
  return Process(command, directory, limit, hear).run();
}

std::optional<fs::path> find_program(std::string_view name) {
  const auto runs = [](const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
  };
  // Tools run in their own folders, so a path must be valid from there.
  if (name.find('/') != std::string_view::npos) {
    const auto file = fs::absolute(name);
    return runs(file) ? std::optional(file) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto folder = rest.substr(0, end);
    const auto file = fs::absolute(folder.empty() ? "." : folder) / name;
    if (runs(file)) return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

}  // namespace kumiki::backends
