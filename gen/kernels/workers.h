// SPDX-License-Identifier: Apache-2.0
// Threads that share the work of one node of a network, and the memory that they work in.
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace kumiki::gen::kernels {

class Workers {
 public:
  // The calling thread is one of them. If the system starts fewer threads, those do the work.
  explicit Workers(unsigned threads = 1);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  unsigned count() const { return static_cast<unsigned>(threads_.size()) + 1; }

  // Calls work(part, worker) for each part below `parts`, in any order. A worker below count() does
  // one part at a time. `work` must not throw.
  using Work = std::function<void(std::size_t part, unsigned worker)>;
  void for_each(std::size_t parts, const Work& work);

  // One of three memories: at least so many numbers, aligned to a cache line and undefined, until
  // the next call for it.
  std::int32_t* memory(std::size_t numbers, std::size_t which = 0);

 private:
  void take_parts(unsigned worker);
  void wait_for_work(unsigned worker);

  struct Freed {
    void operator()(std::int32_t* numbers) const;
  };
  struct Memory {
    std::unique_ptr<std::int32_t, Freed> numbers;
    std::size_t size = 0;
  };
  std::array<Memory, 3> memories_;

  std::mutex lock_;
  std::condition_variable begun_, ended_;
  const Work* work_ = nullptr;
  std::size_t parts_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::uint64_t rounds_ = 0;  // of for_each
  unsigned busy_ = 0;         // threads in the present round
  bool stops_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace kumiki::gen::kernels
