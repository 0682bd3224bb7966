// SPDX-License-Identifier: Apache-2.0
#include "gen/kernels/workers.h"

#include <new>
#include <system_error>

namespace kumiki::gen::kernels {
namespace {

constexpr std::align_val_t cache_line{64};

}  // namespace

void Workers::Freed::operator()(std::int32_t* numbers) const {
  ::operator delete(numbers, cache_line);
}

Workers::Workers(unsigned threads) {
  try {
    while (count() < threads)
      threads_.emplace_back([this, worker = count()] { wait_for_work(worker); });
  } catch (const std::system_error&) {
    // Fewer threads take longer and do the same.
  }
}

Workers::~Workers() {
  {
    const std::lock_guard guard(lock_);
    stops_ = true;
  }
  begun_.notify_all();
}

std::int32_t* Workers::memory(std::size_t numbers, std::size_t which) {
  Memory& m = memories_.at(which);
  if (numbers > m.size) {
    m.numbers.reset();
    m.size = 0;
    m.numbers.reset(
        static_cast<std::int32_t*>(::operator new(numbers * sizeof(std::int32_t), cache_line)));
    m.size = numbers;
  }
  return m.numbers.get();
}

void Workers::for_each(std::size_t parts, const Work& work) {
  if (threads_.empty() || parts < 2) {
    for (std::size_t part = 0; part < parts; ++part) work(part, 0);
    return;
  }
  {
    const std::lock_guard guard(lock_);
    work_ = &work;
    parts_ = parts;
    next_ = 0;
    busy_ = static_cast<unsigned>(threads_.size());
    ++rounds_;
  }
  begun_.notify_all();
  take_parts(0);
  std::unique_lock guard(lock_);
  ended_.wait(guard, [&] { return busy_ == 0; });
}

void Workers::take_parts(unsigned worker) {
  for (std::size_t part = next_++; part < parts_; part = next_++) (*work_)(part, worker);
}

void Workers::wait_for_work(unsigned worker) {
  std::unique_lock guard(lock_);
  for (std::uint64_t done = 0;; done = rounds_) {
    begun_.wait(guard, [&] { return stops_ || rounds_ != done; });
    if (stops_) return;
    guard.unlock();
    take_parts(worker);
    guard.lock();
    if (--busy_ == 0) ended_.notify_one();
  }
}

}  // namespace kumiki::gen::kernels
