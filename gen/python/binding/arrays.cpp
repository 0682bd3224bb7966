// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "gen/config/messages.h"
#include "gen/flow/usage.h"

namespace kumiki::python {
namespace {

using TypeCode = nb::dlpack::dtype_code;

char kind_of(const std::string& name, nb::dlpack::dtype type) {
  switch (static_cast<TypeCode>(type.code)) {
    case TypeCode::Bool:
      return 'b';
    case TypeCode::Int:
      return 'i';
    case TypeCode::UInt:
      return 'u';
    case TypeCode::Float:
      if (type.bits == 32 || type.bits == 64) return 'f';
      break;
    default:
      break;
  }
  throw flow::UsageError(
      code::unknown_number_type,
      fmt::format("{} has numbers of {} bits, which are not read; use booleans, integers, float32 "
                  "or float64",
                  name, type.bits));
}

TypeCode code_of(char kind) {
  return kind == 'f'   ? TypeCode::Float
         : kind == 'i' ? TypeCode::Int
         : kind == 'u' ? TypeCode::UInt
                       : TypeCode::Bool;
}

}  // namespace

gen::config::Array array_of(const Given& given, const std::string& name) {
  const nb::dlpack::dtype type = given.dtype();
  gen::config::Array array{.name = name,
                           .type = {kind_of(name, type), static_cast<unsigned>(type.bits / 8)}};
  for (std::size_t d = 0; d < given.ndim(); ++d) array.shape.push_back(given.shape(d));
  array.data = {static_cast<const char*>(given.data()), given.nbytes()};
  return array;
}

nb::object to_numpy(std::string bytes, gen::config::NumberType type,
                    const gen::config::ArrayShape& shape) {
  auto held = std::make_unique<std::string>(std::move(bytes));
  char* data = held->data();
  nb::capsule owner(held.release(), [](void* p) noexcept { delete static_cast<std::string*>(p); });
  const nb::dlpack::dtype numbers{static_cast<std::uint8_t>(code_of(type.kind)),
                                  static_cast<std::uint8_t>(8 * type.size), 1};
  return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, nullptr, numbers),
                  nb::rv_policy::reference);
}

}  // namespace kumiki::python
