// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sweep/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "backends/support/messages.h"
#include "backends/support/tool.h"
#include "ir/activity.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::flow::sweep {
namespace {

struct Batch {
  std::vector<std::size_t> numbers;
  bool is_again = false;  // a process was killed while working on this point alone
};

// Starting a process costs as much as some plans.
std::size_t batch_size(const Sweep& sweep, std::size_t points, const Pool& pool) {
  const bool plans = std::ranges::all_of(sweep.steps, [](Step s) { return s == Step::plan; });
  if (!plans || pool.seconds) return 1;
  return std::clamp<std::size_t>(points / (std::size_t{4} * pool.jobs), 1, 256);
}

class Work {
 public:
  Work(const Sweep& sweep, const Folder& folder, const std::vector<std::size_t>& numbers,
       const Pool& pool)
      : folder_(folder), pool_(pool), points_(numbers.size()), doing_("sweep " + sweep.name) {
    const std::size_t size = batch_size(sweep, points_, pool);
    for (std::size_t i = 0; i < points_; i += size)
      batches_.push_back(
          {{numbers.begin() + static_cast<std::ptrdiff_t>(i),
            numbers.begin() + static_cast<std::ptrdiff_t>(std::min(points_, i + size))}});
  }

  void run() {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < pool_.jobs; ++i) threads.emplace_back([this] { work(); });
    for (std::thread& t : threads) t.join();
    if (error_) std::rethrow_exception(error_);
    if (const int signal = ir::interrupted()) throw Interrupted(signal);
  }

 private:
  std::optional<Batch> next() {
    const std::lock_guard guard(lock_);
    if (error_ || batches_.empty()) return {};
    Batch b = std::move(batches_.front());
    batches_.pop_front();
    return b;
  }

  void work() try {
    // The worker that puts a batch back also processes it.
    while (auto batch = next()) run_batch(*batch);
  } catch (...) {
    const std::lock_guard guard(lock_);
    if (!error_) error_ = std::current_exception();
  }

  void run_batch(const Batch& batch) {
    auto command = pool_.command;
    for (const std::size_t n : batch.numbers) command.push_back(std::to_string(n));
    const auto ended = backends::run_process(command, {}, pool_.seconds);
    std::size_t there = 0;
    for (const std::size_t n : batch.numbers)
      if (folder_.find(n))
        ++there;
      else
        missed(batch, n, ended);
    const std::lock_guard guard(lock_);
    done_ += there;
    doing_.at(fmt::format("{} of {} points", done_, points_));
  }

  void missed(const Batch& batch, std::size_t number, const backends::ProcessResult& ended) {
    const bool was_told = ended.signal == SIGINT || ended.signal == SIGTERM ||
                          ended.signal == SIGHUP || ended.status == 128 + SIGINT ||
                          ended.status == 128 + SIGTERM || ended.status == 128 + SIGHUP;
    if (was_told || (ended.signal == 0 && !ended.timed_out))
      throw ToolError(code::tool_failed,
                      fmt::format("a process for point {} ended without its result: {}{}{}", number,
                                  backends::how_it_ended(ended), ended.output.empty() ? "" : "\n",
                                  backends::relevant_lines(ended.output)));
    // Retry the point alone, because any point of a batch may be the cause. Retry it twice, because
    // a scheduler that kills all our processes begins with this one.
    if (batch.numbers.size() > 1 || (!ended.timed_out && !batch.is_again)) {
      const std::lock_guard guard(lock_);
      batches_.push_back({{number}, batch.numbers.size() == 1});
      return;
    }
    folder_.keep(number, {.exit = ended.timed_out ? 124 : 128 + ended.signal,
                          .message = ended.timed_out ? fmt::format("it took longer than {:g} s",
                                                                   pool_.seconds->count())
                                                     : backends::how_it_ended(ended),
                          .figures = Json::object()});
    const std::lock_guard guard(lock_);
    ++done_;
  }

  const Folder& folder_;
  const Pool& pool_;
  std::size_t points_, done_ = 0;
  ir::Activity doing_;
  std::mutex lock_;
  std::deque<Batch> batches_;
  std::exception_ptr error_;
};

}  // namespace

void do_points(const Sweep& sweep, const Folder& folder, const std::vector<std::size_t>& numbers,
               const Pool& pool) {
  if (!numbers.empty()) Work(sweep, folder, numbers, pool).run();
}

}  // namespace kumiki::flow::sweep
