// SPDX-License-Identifier: Apache-2.0
#include "backends/support/supervisor.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace kumiki::backends {
namespace {

constexpr int report_descriptor = 3;

[[noreturn]] void end_group() noexcept {
  ::kill(0, SIGKILL);
  ::_exit(127);
}

void say(Report::Kind kind, int value) noexcept {
  const Report report{kind, value};
  [[maybe_unused]] const auto n = ::write(report_descriptor, &report, sizeof report);
}

void close_from(unsigned first) noexcept {
  if (::close_range(first, ~0u, 0) == 0) return;
  for (unsigned d = first; d < 65536; ++d) ::close(static_cast<int>(d));  // before Linux 5.9
}

// Keeps our files and locks from the child: a lock held by a child would outlive us.
void take_descriptors(const Supervised& run) noexcept {
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, 0);
  ::dup2(run.output, 1);
  ::dup2(run.output, 2);
  ::dup2(run.report, report_descriptor);
  ::fcntl(report_descriptor, F_SETFD, FD_CLOEXEC);
  close_from(report_descriptor + 1);
}

// From here on the death of the parent sends a signal, the only one that is not blocked.
void follow_parent(pid_t parent) noexcept {
  struct sigaction action {};
  action.sa_handler = [](int) { end_group(); };
  ::sigaction(SIGUSR1, &action, nullptr);
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &action, nullptr);  // if ignored, it would hide how the tool ended
  ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
  sigset_t all_but_death;
  ::sigfillset(&all_but_death);
  ::sigdelset(&all_but_death, SIGUSR1);
  ::sigprocmask(SIG_SETMASK, &all_but_death, nullptr);
  if (::getppid() != parent) ::_exit(127);  // it died before
}

}  // namespace

void supervise(const Supervised& run) noexcept {
  if (::setpgid(0, 0) != 0) ::_exit(127);  // otherwise we would end the group of our parent
  take_descriptors(run);
  follow_parent(run.parent);
  if (run.directory && ::chdir(run.directory) != 0) {
    say(Report::no_directory, errno);
    ::_exit(127);
  }
  pid_t tool = 0;
  if (const int error =
          ::posix_spawn(&tool, run.file, nullptr, run.attributes, run.arguments, run.environment)) {
    say(Report::not_started, error);
    ::_exit(127);
  }
  // The pipe must end with the tool, so this process closes it.
  ::dup2(0, 1);
  ::dup2(0, 2);
  int status = 0;
  while (::waitpid(tool, &status, 0) < 0 && errno == EINTR) {
  }
  say(Report::ended, status);
  end_group();
}

}  // namespace kumiki::backends
