// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/results.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "backends/support/parallel.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/trained/images.h"
#include "gen/flow/usage.h"
#include "gen/graph/quantise.h"
#include "gen/graph/softmax.h"
#include "ir/activity.h"
#include "ir/interrupt.h"
#include "ir/processors.h"

namespace kumiki::flow {
namespace {

using gen::config::NumberType;
using gen::graph::Tensor;

constexpr NumberType real_type{'f', 4};

NumberType smallest_type(const gen::arith::Format& format) {
  const unsigned size = format.bits <= 8 ? 1 : format.bits <= 16 ? 2 : 4;
  // Unsigned numbers of 17 to 31 bits also fit a signed 32-bit integer.
  const bool is_signed = format.is_signed || (size == 4 && format.bits < 32);
  return {is_signed ? 'i' : 'u', size};
}

void put_bytes(char* to, std::uint32_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) to[i] = static_cast<char>(value >> (8 * i) & 255);
}

void put_numbers(char* to, std::span<const std::int32_t> numbers, unsigned size) {
  if (size == 1) {  // the case of most networks
    for (const std::int32_t n : numbers) *to++ = static_cast<char>(n);
    return;
  }
  for (const std::int32_t n : numbers) {
    put_bytes(to, static_cast<std::uint32_t>(n), size);
    to += size;
  }
}

}  // namespace

TensorNumbers::TensorNumbers(const gen::graph::Graph& graph, gen::graph::TensorId id,
                             std::size_t images)
    : tensor_(&graph.tensors[id]),
      id_(id),
      images_(images),
      size_(gen::graph::count(tensor_->shape)),
      type_(smallest_type(tensor_->format)),
      bytes_(images * size_ * type_.size, '\0') {}

void TensorNumbers::put(std::size_t image, std::span<const std::int32_t> numbers) {
  put_numbers(bytes_.data() + image * size_ * type_.size, numbers, type_.size);
}

void TensorNumbers::put_all(std::span<const std::int32_t> numbers) {
  put_numbers(bytes_.data(), numbers, type_.size);
}

std::int64_t TensorNumbers::at(std::size_t image, std::size_t k) const {
  const gen::config::Array array{
      .name = {}, .type = type_, .shape = {}, .data = bytes_, .is_fortran_order = false};
  return array.integer(image * size_ + k);
}

std::vector<float> TensorNumbers::reals(std::size_t image) const {
  std::vector<float> all;
  for (std::size_t k = 0; k < size_; ++k)
    all.push_back(gen::graph::real_value(*tensor_, at(image, k)));
  if (is_softmax_) gen::graph::softmax(all);
  return all;
}

void TensorNumbers::use_softmax() {
  if (std::ranges::count_if(tensor_->shape, [](int n) { return n != 1; }) > 1)
    throw UsageError(code::option_value,
                     fmt::format("--as softmax is for a vector, but {} is {}; write floats and "
                                 "compute it along the axis that you want",
                                 tensor_->name, gen::graph::to_string(tensor_->shape)));
  is_softmax_ = true;
}

NumberType TensorNumbers::type(bool as_reals) const { return as_reals ? real_type : type_; }

gen::config::ArrayShape TensorNumbers::shape() const {
  gen::config::ArrayShape all = shape_of(*tensor_);
  all.insert(all.begin(), images_);
  return all;
}

std::string TensorNumbers::bytes(bool as_reals) const {
  if (!as_reals) return bytes_;
  std::string all(images_ * size_ * real_type.size, '\0');
  char* to = all.data();
  for (std::size_t i = 0; i < images_; ++i)
    for (const float real : reals(i)) {
      put_bytes(to, std::bit_cast<std::uint32_t>(real), real_type.size);
      to += real_type.size;
    }
  return all;
}

std::string TensorNumbers::npy(bool as_reals) const {
  return gen::config::npy_header(type(as_reals), shape()) + bytes(as_reals);
}

std::uint64_t TensorNumbers::bytes_of_image(const Tensor& tensor, bool as_reals) {
  return gen::graph::count(tensor.shape) *
         (smallest_type(tensor.format).size + (as_reals ? real_type.size : 0));
}

void compute(const gen::graph::Graph& graph, std::span<const std::int32_t> images,
             std::size_t count, unsigned threads, std::span<TensorNumbers> wanted) {
  using Clock = std::chrono::steady_clock;
  const gen::graph::Interpreter network(graph);
  ir::Activity activity("running " + graph.name);
  const std::size_t size = images.size() / count;
  const auto teller = std::this_thread::get_id();
  auto told = Clock::now();
  std::atomic<std::size_t> next = 0, done = 0;
  std::mutex lock;
  std::exception_ptr error;
  if (threads == 0) threads = ir::processors();
  // With fewer images than threads, several share the work of an image.
  const std::size_t at_once = std::clamp<std::size_t>(count, 1, threads);
  std::vector<gen::graph::TensorId> ids;
  for (const TensorNumbers& r : wanted) ids.push_back(r.id());
  const auto work = [&] {
    try {
      gen::graph::Interpreter::Runner runner(network, ids,
                                             static_cast<unsigned>(threads / at_once));
      for (std::size_t i = next++; i < count && !ir::interrupted(); i = next++) {
        const auto& memory = runner.run(images.subspan(i * size, size));
        for (TensorNumbers& r : wanted) r.put(i, memory[r.id()]);
        ++done;
        if (std::this_thread::get_id() != teller) continue;
        if (const auto now = Clock::now(); now - told > std::chrono::milliseconds(100)) {
          told = now;
          activity.at(fmt::format("{} of {} images", done.load(), count));
        }
      }
    } catch (...) {  // out of memory
      const std::lock_guard guard(lock);
      error = std::current_exception();
      next = count;
    }
  };
  backends::in_threads(at_once, work);
  if (error) std::rethrow_exception(error);
  ir::stop_if_interrupted();
}

}  // namespace kumiki::flow
