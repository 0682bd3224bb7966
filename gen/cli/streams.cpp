// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace kumiki::cli {
namespace {

ssize_t write_what_goes(void*, const char* text, size_t size) {
  for (size_t done = 0; done < size;) {
    const auto n = ::write(STDERR_FILENO, text + done, size - done);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) done += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(size);
}

}  // namespace

void make_streams_safe() {
  // Exceeding a file size limit (ulimit -f) must be an error of the write call.
  ::signal(SIGXFSZ, SIG_IGN);
  // Open a missing stream in the wrong direction, so that using it remains an error.
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  if (std::FILE* messages = ::fopencookie(nullptr, "w", {.write = write_what_goes})) {
    std::setvbuf(messages, nullptr, _IONBF, 0);
    stderr = messages;
  }
}

}  // namespace kumiki::cli
