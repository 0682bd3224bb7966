// SPDX-License-Identifier: Apache-2.0
#include "work.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>

#include "ir/interrupt.h"

namespace kumiki::python {
namespace {

constexpr auto looks_every = std::chrono::milliseconds(20);

std::atomic<int> under_way = 0;

// An interrupt ends all running work; the last call that ends clears it.
class UnderWay {
 public:
  UnderWay() { ++under_way; }
  ~UnderWay() {
    if (--under_way == 0) ir::forget_interrupt();
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
};

bool is_main_thread() { return ::gettid() == ::getpid(); }

// A thread that does the work and reports when it has finished.
class Worker {
 public:
  explicit Worker(const std::function<void()>& work)
      : thread_([this, &work] {
          try {
            work();
          } catch (...) {
            error_ = std::current_exception();
          }
          const std::lock_guard guard(lock_);
          done_ = true;
          told_.notify_one();
        }) {}

  bool is_done_within(std::chrono::milliseconds time) {
    std::unique_lock guard(lock_);
    return told_.wait_for(guard, time, [this] { return done_; });
  }
  const std::exception_ptr& error() const { return error_; }

 private:
  std::mutex lock_;
  std::condition_variable told_;
  bool done_ = false;
  std::exception_ptr error_;
  std::jthread thread_;  // the last member: it uses the others
};

}  // namespace

void run_without_lock(const std::function<void()>& work) {
  const UnderWay counted;
  if (!is_main_thread()) {
    const nb::gil_scoped_release others;
    work();
    return;
  }
  std::optional<nb::python_error> stopped;
  std::exception_ptr error;
  {
    Worker worker(work);
    const auto done = [&] {
      const nb::gil_scoped_release others;
      return worker.is_done_within(looks_every);
    };
    while (!done()) {
      if (stopped || PyErr_CheckSignals() == 0) continue;
      stopped.emplace();
      ir::interrupt(SIGINT);
    }
    error = worker.error();
  }
  if (stopped) throw std::move(*stopped);
  if (error) std::rethrow_exception(error);
}

}  // namespace kumiki::python
