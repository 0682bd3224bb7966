// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/apart.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
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

// Runs in the child. Termination signals stay blocked: the parent ends the child, and handlers
// installed by a library never run.
[[noreturn]] void run(const Work& work, int out, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent has already ended
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // The child ends soon, and the solver allocates and frees constantly, so it returns no memory
  // before.
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  ::mallopt(M_MMAP_THRESHOLD, 1 << 25);  // the largest value accepted
  ::mallopt(M_TOP_PAD, 1 << 24);
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
  explicit Child(const Work& work) {
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

  bool is_done() const { return is_done_; }
  int in() const { return in_; }
  // Reads what the child has sent, or notes that it has ended.
  void read_some() {
    std::array<char, 65536> chunk;
    const auto n = ::read(in_, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) return;
    if (n > 0) told_.insert(told_.end(), chunk.begin(), chunk.begin() + n);
    is_done_ = n <= 0;
  }

  // The numbers; empty if some are missing.
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
  bool is_done_ = false;
  std::vector<char> told_;
};

// Reads from the children that have sent something. False: all are done.
bool read_some(std::vector<std::unique_ptr<Child>>& children) {
  std::vector<pollfd> ends;
  for (const auto& child : children)
    ends.push_back({.fd = child->is_done() ? -1 : child->in(), .events = POLLIN, .revents = 0});
  if (std::ranges::all_of(children, [](const auto& child) { return child->is_done(); }))
    return false;
  if (::poll(ends.data(), ends.size(), beat) <= 0) return true;
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (ends[i].revents != 0) children[i]->read_some();
  return true;
}

}  // namespace

std::vector<Apart> apart(const std::vector<Work>& works, const std::function<bool()>& pulse) {
  const std::vector<Apart> stopped(works.size(), {.is_stopped = true, .numbers = {}});
  ir::stop_if_interrupted();
  if (pulse && !pulse()) return stopped;
  std::vector<std::unique_ptr<Child>> children;
  for (const Work& work : works) children.push_back(std::make_unique<Child>(work));
  while (read_some(children)) {
    ir::stop_if_interrupted();
    if (pulse && !pulse()) return stopped;
  }
  std::vector<Apart> all;
  for (const auto& child : children)
    all.push_back({.is_stopped = false, .numbers = child->numbers()});
  return all;
}

Apart apart(const Work& work, const std::function<bool()>& pulse) {
  return apart(std::vector<Work>{work}, pulse).front();
}

}  // namespace kumiki::gen::compressor
