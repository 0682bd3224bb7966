// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/apart.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "ir/interrupt.h"

namespace kumiki::gen::compressor {
namespace {

constexpr int beat = 100;  // milliseconds between two pulses

void write_all(int file, const void* from, std::size_t bytes) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const auto n = ::write(file, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(1);
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

// Runs in the child. Termination signals stay blocked: the parent ends the child, and handlers that
// a library installs are never called.
[[noreturn]] void run(const std::function<std::vector<double>()>& work, int out, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent has already ended
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (int s : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(s, SIG_DFL);
  if (const int nothing = ::open("/dev/null", O_RDWR); nothing >= 0)
    for (int file : {0, 1, 2})
      if (file != out) ::dup2(nothing, file);
  try {
    const std::vector<double> numbers = work();
    const std::uint64_t count = numbers.size();
    write_all(out, &count, sizeof count);
    write_all(out, numbers.data(), count * sizeof(double));
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

class Child {
 public:
  explicit Child(const std::function<std::vector<double>()>& work) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail();
    sigset_t these;
    ::sigemptyset(&these);
    for (int s : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&these, s);
    sigset_t before;
    ::pthread_sigmask(SIG_BLOCK, &these, &before);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) run(work, ends[1], parent);
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::close(ends[1]);
    in_ = ends[0];
    if (pid_ < 0) {
      ::close(in_);
      errno = error;
      fail();
    }
  }
  ~Child() {
    ::close(in_);
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // False: the child has sent everything, or has ended.
  bool read_some() {
    pollfd one{in_, POLLIN, 0};
    if (::poll(&one, 1, beat) <= 0) return true;
    std::array<char, 65536> chunk;
    const auto n = ::read(in_, chunk.data(), chunk.size());
    if (n < 0) return errno == EINTR;
    told_.insert(told_.end(), chunk.begin(), chunk.begin() + n);
    return n > 0;
  }

  // The numbers; empty when some are missing.
  std::vector<double> numbers() const {
    std::uint64_t count = 0;
    if (told_.size() < sizeof count) return {};
    std::memcpy(&count, told_.data(), sizeof count);
    if (told_.size() != sizeof count + count * sizeof(double)) return {};
    std::vector<double> all(count);
    if (count > 0) std::memcpy(all.data(), told_.data() + sizeof count, count * sizeof(double));
    return all;
  }

 private:
  [[noreturn]] static void fail() {
    throw std::system_error(errno, std::generic_category(),
                            "cannot start a process for the solver of compressor trees");
  }

  pid_t pid_ = -1;
  int in_ = -1;
  std::vector<char> told_;
};

}  // namespace

Apart apart(const std::function<std::vector<double>()>& work, const std::function<bool()>& pulse) {
  ir::stop_if_interrupted();
  if (pulse && !pulse()) return {.is_stopped = true, .numbers = {}};
  Child child(work);
  while (child.read_some()) {
    ir::stop_if_interrupted();
    if (pulse && !pulse()) return {.is_stopped = true, .numbers = {}};
  }
  return {.is_stopped = false, .numbers = child.numbers()};
}

}  // namespace kumiki::gen::compressor
