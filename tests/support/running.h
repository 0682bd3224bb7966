// SPDX-License-Identifier: Apache-2.0
// The program while it runs: it can be told to stop.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/golden.h"

namespace kumiki::test {

// The program, running; out and err are files in a folder.
class Running {
 public:
  Running(const std::filesystem::path& in, std::vector<std::string> arguments, int nice_value = 0,
          const char* program = KUMIKI_PROGRAM)
      : err_(in / "err") {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    const std::string out = (in / "out").string(), err = err_.string();
    pid_ = fork();
    if (pid_ != 0) return;
    dup2(open(out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), 1);
    dup2(open(err.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), 2);
    if (nice_value > 0 && nice(nice_value) == -1) _exit(126);
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~Running() {
    if (pid_ > 0) signal(SIGKILL), wait();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void signal(int number) const { kill(pid_, number); }

  // Waits until it says that it is at work.
  bool wait_for_a_word() { return wait_for("kumiki: "); }
  // Waits until it has a tree and looks for a better one; false: it ended or took too long.
  bool wait_for_a_tree() { return wait_for(" LUTs, bound "); }

  // The exit code, or minus the signal that ended it.
  int wait() {
    if (pid_ > 0) waitpid(pid_, &status_, 0);
    pid_ = 0;
    return WIFSIGNALED(status_) ? -WTERMSIG(status_) : WEXITSTATUS(status_);
  }

  // Waits until stderr has this in it; false: it ended or took too long.
  bool wait_for(const char* text) {
    for (int i = 0; i < 5000; ++i) {
      if (read_bytes(err_).find(text) != std::string::npos) return true;
      if (waitpid(pid_, &status_, WNOHANG) == pid_) {
        pid_ = 0;
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

 private:
  std::filesystem::path err_;
  pid_t pid_ = 0;
  int status_ = 0;
};

}  // namespace kumiki::test
