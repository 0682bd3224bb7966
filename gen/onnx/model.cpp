// SPDX-License-Identifier: Apache-2.0
// Converts protobuf messages to plain values. The data is untrusted: every count is compared with
// the bytes present before anything is sized by it.
#include "gen/onnx/model.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include "gen/onnx/messages.h"
#include "ir/error.h"
#include "ir/printable.h"

namespace kumiki::gen::onnx {
namespace {

namespace fs = std::filesystem;
static_assert(std::endian::native == std::endian::little, "tensors are copied as they are");

int bits_of(Type type) {
  switch (type) {
    case Type::u4:
    case Type::s4:
      return 4;
    case Type::u8:
    case Type::s8:
    case Type::boolean:
      return 8;
    case Type::u16:
    case Type::s16:
      return 16;
    case Type::f32:
    case Type::s32:
      return 32;
    case Type::f64:
    case Type::s64:
      return 64;
    case Type::other:
      break;
  }
  return 0;
}

template <class T>
void append(std::string& bytes, T value) {
  std::array<char, sizeof(T)> raw{};
  std::memcpy(raw.data(), &value, sizeof(T));
  bytes.append(raw.data(), raw.size());
}

template <class T>
T at(const std::string& bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

std::string bytes_of(const fs::path& file, const std::string& said) {
  std::error_code error;
  std::ifstream in(file, std::ios::binary);
  if (!in || fs::is_directory(file, error))
    throw FileError(code::onnx_file, fmt::format("{}: cannot be read", said));
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw FileError(code::onnx_file, fmt::format("{}: cannot be read", said));
  return bytes;
}

// Control characters in the file's texts (names of nodes, tensors, operators) would reach the
// terminal with every message. They are escaped once, here.
void make_printable(google::protobuf::Message& message) {
  using google::protobuf::FieldDescriptor;
  const auto& r = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  r.ListFields(message, &fields);
  for (const FieldDescriptor* f : fields) {
    const int count = f->is_repeated() ? r.FieldSize(message, f) : 1;
    if (f->type() == FieldDescriptor::TYPE_STRING) {
      for (int i = 0; i < count; ++i) {
        const std::string text =
            f->is_repeated() ? r.GetRepeatedString(message, f, i) : r.GetString(message, f);
        const std::string shown = printable(text);
        if (shown == text) continue;
        if (f->is_repeated())
          r.SetRepeatedString(&message, f, i, shown);
        else
          r.SetString(&message, f, shown);
      }
    } else if (f->type() == FieldDescriptor::TYPE_MESSAGE) {
      for (int i = 0; i < count; ++i)
        make_printable(f->is_repeated() ? *r.MutableRepeatedMessage(&message, f, i)
                                        : *r.MutableMessage(&message, f));
    }
  }
}

class Reader {
 public:
  Reader(std::string name, fs::path folder) : name_(std::move(name)), folder_(std::move(folder)) {}

  Model model(std::string_view bytes) {
    ::onnx::ModelProto proto;
    parse(bytes, proto, "an ONNX model");
    if (!proto.has_graph() || proto.graph().node_size() == 0) refuse("has no graph with nodes");
    if (proto.functions_size() > 0)
      refuse("defines functions of its own; inline them first (onnx.inliner)");
    Model m;
    const auto& graph = proto.graph();
    m.name = graph.name();
    for (const auto& o : proto.opset_import())
      m.opsets[o.domain() == "ai.onnx" ? "" : o.domain()] = o.version();
    std::set<std::string> read;
    for (const auto& n : graph.node()) read.insert(n.input().begin(), n.input().end());
    for (const auto& o : graph.output()) read.insert(o.name());
    for (const auto& t : graph.initializer()) {
      // Texts that nobody reads are irrelevant to a network.
      if (type_of(t.data_type()) == Type::other && !read.contains(t.name())) continue;
      if (!m.constants.emplace(t.name(), array(t, fmt::format("initializer {}", t.name()))).second)
        refuse(fmt::format("has the initializer {} twice", t.name()));
    }
    if (graph.sparse_initializer_size() > 0)
      refuse("has sparse initializers: write them as dense ones");
    for (const auto& n : graph.node()) m.nodes.push_back(node(n));
    for (const auto& v : graph.input())
      if (!m.constants.contains(v.name())) m.inputs.push_back(port(v));
    for (const auto& v : graph.output()) m.outputs.push_back(port(v));
    return m;
  }

  Array tensor(std::string_view bytes) {
    ::onnx::TensorProto proto;
    parse(bytes, proto, "an ONNX tensor");
    return array(proto, "tensor");
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw FileError(code::onnx_file, fmt::format("{}: {}", name_, what));
  }

  template <class Proto>
  void parse(std::string_view bytes, Proto& proto, const char* what) const {
    // We report errors ourselves, once; protobuf must not print to stderr.
    const google::protobuf::LogSilencer silence;
    google::protobuf::io::ArrayInputStream raw(bytes.data(), static_cast<int>(bytes.size()));
    google::protobuf::io::CodedInputStream in(&raw);
    in.SetRecursionLimit(64);
    if (bytes.empty() || bytes.size() > std::size_t{1} << 31 || !proto.ParseFromCodedStream(&in) ||
        !in.ConsumedEntireMessage())
      refuse(fmt::format("is not {}, or was cut off", what));
    make_printable(proto);
  }

  Array array(const ::onnx::TensorProto& t, const std::string& what) const {
    Array a;
    a.type = type_of(t.data_type());
    if (a.type == Type::other)
      refuse(
          fmt::format("{} has numbers of type {}: float32, float64, bool and integers of 4 to 64 "
                      "bits are read",
                      what, t.data_type()));
    std::size_t count = 1;
    for (const auto d : t.dims()) {
      a.dims.push_back(d);
      if (d < 0 || (d > 0 && count > (std::size_t{1} << 31) / static_cast<std::size_t>(d)))
        refuse(fmt::format("{} has the shape [{}]", what, fmt::join(t.dims(), ", ")));
      count *= static_cast<std::size_t>(d);
    }
    const std::size_t wanted = (count * static_cast<std::size_t>(bits_of(a.type)) + 7) / 8;
    if (t.data_location() == ::onnx::TensorProto::EXTERNAL)
      a.bytes = external(t, wanted, what);
    else if (t.has_raw_data())
      a.bytes = t.raw_data();
    else
      typed(t, a);
    if (a.bytes.size() != wanted)
      refuse(fmt::format("{} has {} bytes: its shape {} of {} has {}", what, a.bytes.size(),
                         to_string(a.dims), to_string(a.type), wanted));
    return a;
  }

  // Reads the typed lists that some files use instead of bytes.
  static void typed(const ::onnx::TensorProto& t, Array& a) {
    switch (a.type) {
      case Type::f32:
        for (const float v : t.float_data()) append(a.bytes, v);
        break;
      case Type::f64:
        for (const double v : t.double_data()) append(a.bytes, v);
        break;
      case Type::s64:
        for (const std::int64_t v : t.int64_data()) append(a.bytes, v);
        break;
      case Type::s32:
        for (const std::int32_t v : t.int32_data()) append(a.bytes, v);
        break;
      case Type::u16:
      case Type::s16:
        for (const std::int32_t v : t.int32_data()) append(a.bytes, static_cast<std::int16_t>(v));
        break;
      default:
        // One byte for each entry; two 4-bit numbers share one.
        for (const std::int32_t v : t.int32_data()) append(a.bytes, static_cast<std::int8_t>(v));
    }
  }

  // Large models store their numbers in files in their folder; other places are refused.
  std::string external(const ::onnx::TensorProto& t, std::size_t wanted,
                       const std::string& what) const {
    std::string location;
    std::uintmax_t offset = 0;
    for (const auto& e : t.external_data()) {
      if (e.key() == "location") location = e.value();
      if (e.key() == "offset") {
        if (e.value().empty() || e.value().size() > 15 ||
            e.value().find_first_not_of("0123456789") != std::string::npos)
          refuse(fmt::format("{} begins at \"{}\" of its file; it must be a number of bytes", what,
                             e.value()));
        offset = std::stoull(e.value());
      }
    }
    const fs::path path(location);
    bool inside = !location.empty() && path.is_relative();
    for (const auto& part : path) inside = inside && part != "..";
    std::error_code error;
    const fs::path whole = folder_ / path;
    if (inside) {
      // A link must not lead out of the folder either.
      const auto root = fs::weakly_canonical(folder_.empty() ? "." : folder_, error);
      const auto real = fs::weakly_canonical(whole, error);
      const auto [r, f] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
      inside = !error && r == root.end();
    }
    if (!inside)
      refuse(fmt::format("{} lies in \"{}\"; it must be a file in the folder of the model", what,
                         location));
    const auto size = fs::file_size(whole, error);
    if (error || !fs::is_regular_file(whole, error))
      refuse(fmt::format("{} lies in {}, which cannot be read", what, location));
    if (offset > size || size - offset < wanted)
      refuse(fmt::format("{} needs {} bytes from byte {} of {}, which has {}", what, wanted, offset,
                         location, size));
    std::ifstream in(whole, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(offset));
    std::string bytes(wanted, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(wanted));
    if (!in) refuse(fmt::format("{} lies in {}, which cannot be read", what, location));
    return bytes;
  }

  Attribute attribute(const ::onnx::AttributeProto& a, const std::string& of) const {
    switch (a.type()) {
      case ::onnx::AttributeProto::INT:
        return a.i();
      case ::onnx::AttributeProto::FLOAT:
        return a.f();
      case ::onnx::AttributeProto::STRING:
        return a.s();
      case ::onnx::AttributeProto::INTS:
        return std::vector<std::int64_t>(a.ints().begin(), a.ints().end());
      case ::onnx::AttributeProto::FLOATS:
        return std::vector<float>(a.floats().begin(), a.floats().end());
      case ::onnx::AttributeProto::TENSOR:
        return array(a.t(), fmt::format("attribute {} of node {}", a.name(), of));
      default:
        return Foreign{};
    }
  }

  Node node(const ::onnx::NodeProto& n) const {
    Node r{
        .name = n.name(), .domain = n.domain() == "ai.onnx" ? "" : n.domain(), .op = n.op_type()};
    r.inputs.assign(n.input().begin(), n.input().end());
    r.outputs.assign(n.output().begin(), n.output().end());
    for (const auto& a : n.attribute())
      r.attributes.insert_or_assign(a.name(), attribute(a, n.name()));
    return r;
  }

  static Port port(const ::onnx::ValueInfoProto& v) {
    Port p{.name = v.name(), .type = Type::other};
    if (!v.type().has_tensor_type()) return p;
    const auto& tensor = v.type().tensor_type();
    p.type = type_of(tensor.elem_type());
    for (const auto& d : tensor.shape().dim())
      p.dims.push_back(d.has_dim_value() ? d.dim_value() : -1);
    return p;
  }

  std::string name_;
  fs::path folder_;
};

}  // namespace

// Numbers of TensorProto.DataType; the library's own list may be older than the file.
Type type_of(std::int64_t onnx) {
  switch (onnx) {
    case 1:
      return Type::f32;
    case 2:
      return Type::u8;
    case 3:
      return Type::s8;
    case 4:
      return Type::u16;
    case 5:
      return Type::s16;
    case 6:
      return Type::s32;
    case 7:
      return Type::s64;
    case 9:
      return Type::boolean;
    case 11:
      return Type::f64;
    case 21:
      return Type::u4;
    case 22:
      return Type::s4;
    default:
      return Type::other;
  }
}

std::string to_string(Type type) {
  static constexpr std::array names{"float32", "float64", "uint4",  "int4",
                                    "uint8",   "int8",    "uint16", "int16",
                                    "int32",   "int64",   "bool",   "another type"};
  return names[static_cast<std::size_t>(type)];
}
bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }

std::string to_string(const Dims& dims) {
  std::string text;
  for (const auto d : dims)
    text += (text.empty() ? "" : ", ") + (d < 0 ? std::string("?") : std::to_string(d));
  return "[" + text + "]";
}

std::size_t Array::count() const {
  std::size_t all = 1;
  for (const auto d : dims) all *= static_cast<std::size_t>(d);
  return all;
}

std::vector<float> Array::floats() const {
  std::vector<float> all(count());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = type == Type::f64 ? static_cast<float>(at<double>(bytes, i)) : at<float>(bytes, i);
  return all;
}

std::vector<std::int64_t> Array::integers() const {
  std::vector<std::int64_t> all(count());
  for (std::size_t i = 0; i < all.size(); ++i) switch (type) {
      case Type::u4:
        all[i] = at<std::uint8_t>(bytes, i / 2) >> (i % 2 * 4) & 15;
        break;
      case Type::s4:
        all[i] = ((at<std::uint8_t>(bytes, i / 2) >> (i % 2 * 4) & 15) ^ 8) - 8;
        break;
      case Type::u8:
      case Type::boolean:
        all[i] = at<std::uint8_t>(bytes, i);
        break;
      case Type::s8:
        all[i] = std::int64_t{at<std::int8_t>(bytes, i)};
        break;
      case Type::u16:
        all[i] = at<std::uint16_t>(bytes, i);
        break;
      case Type::s16:
        all[i] = at<std::int16_t>(bytes, i);
        break;
      case Type::s32:
        all[i] = at<std::int32_t>(bytes, i);
        break;
      case Type::s64:
        all[i] = at<std::int64_t>(bytes, i);
        break;
      case Type::f32:
      case Type::f64:
      case Type::other:
        break;
    }
  return all;
}

std::vector<double> Array::doubles() const {
  std::vector<double> all(count());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = type == Type::f64 ? at<double>(bytes, i) : static_cast<double>(at<float>(bytes, i));
  return all;
}

Array array_of(const Dims& dims, const std::vector<std::int64_t>& values, Type type) {
  Array a{.type = type, .dims = dims};
  const int bits = bits_of(type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (bits == 4 && i % 2 != 0)
      a.bytes.back() = static_cast<char>(a.bytes.back() | values[i] << 4);
    else if (bits == 4)
      a.bytes += static_cast<char>(values[i] & 15);
    for (int bit = 0; bit + 8 <= bits; bit += 8) a.bytes += static_cast<char>(values[i] >> bit);
  }
  return a;
}
Array array_of(const Dims& dims, const std::vector<double>& values, Type type) {
  Array a{.type = type, .dims = dims};
  for (const auto v : values)
    type == Type::f64 ? append(a.bytes, v) : append(a.bytes, static_cast<float>(v));
  return a;
}
Array array_of(const Dims& dims, const std::vector<float>& values) {
  Array a{.type = Type::f32, .dims = dims};
  for (const auto v : values) append(a.bytes, v);
  return a;
}

std::int64_t Model::opset(std::string_view domain) const {
  const auto found = opsets.find(domain);
  return found == opsets.end() ? 0 : found->second;
}

Model read_model(const std::filesystem::path& file) {
  return parse_model(bytes_of(file, file.string()), file.string(), file.parent_path());
}

Model parse_model(std::string_view bytes, const std::string& name,
                  const std::filesystem::path& folder) {
  return Reader(name, folder).model(bytes);
}

Array parse_array(std::string_view bytes, const std::string& name) {
  return Reader(name, {}).tensor(bytes);
}

}  // namespace kumiki::gen::onnx
