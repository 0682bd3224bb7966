// SPDX-License-Identifier: Apache-2.0
#include "backends/support/text.h"

#include <algorithm>

namespace kumiki::backends {

void Text::grow(std::size_t more) {
  std::size_t wanted = std::max({capacity_ + capacity_ / 2, size_ + more, std::size_t{1024}});
  auto* moved = static_cast<char*>(std::realloc(data_.get(), wanted));
  if (!moved) throw std::bad_alloc();
  (void)data_.release();
  data_.reset(moved);
  capacity_ = wanted;
}

}  // namespace kumiki::backends
