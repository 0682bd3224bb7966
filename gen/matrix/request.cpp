// SPDX-License-Identifier: Apache-2.0
#include "gen/matrix/request.h"
#include "ir/limits.h"

#include <fmt/format.h>

#include <random>

namespace kumiki::gen::matrix {
namespace {

using config::field;

// The same keys for each of the three structs, in one list.
// A member of Common as one of the struct that has it.
template <class R, class T>
config::Field<R, T> own(std::string key, T Common::*member) {
  return field(std::move(key), static_cast<T R::*>(member));
}
template <class R, class T>
config::Field<R, T> own(std::string key, std::optional<T> Common::*member) {
  return field(std::move(key), static_cast<std::optional<T> R::*>(member));
}

template <class R>
std::vector<config::FieldOf<R>> common_fields() {
  return {
      own<R>("activations", &Common::activations)
          .object(dot::operand_table())
          .help("operands of the stream"),
      own<R>("weights", &Common::weights).object(dot::operand_table()).help("operands at rest"),
      own<R>("sharing", &Common::sharing)
          .choices({{"weight", Sharing::Weight, "a slice has one weight and several pixels"},
                    {"input", Sharing::Input, "a slice has one pixel and several weights"}})
          .help("what the products of a slice have in common"),
      own<R>("scheme", &Common::scheme)
          .choices(dot::scheme_choices())
          .absent("the best for the wish")
          .help("how products share a slice"),
      own<R>("wish", &Common::wish)
          .choices(dot::wish_choices())
          .help("what the planner of a column looks for first"),
      own<R>("rows", &Common::rows)
          .range(1, 1024)
          .absent("chosen from the slice budget")
          .help("terms of a chain: input channels at once"),
      own<R>("columns", &Common::columns)
          .range(1, 1024)
          .absent("chosen from the slice budget")
          .help("chains"),
      own<R>("slices", &Common::slices)
          .range(1, 65536)
          .help("the budget when rows or columns are left open"),
      own<R>("weights_from", &Common::source)
          .choices({{"random", WeightSource::random, "embedded, random with `seed`"},
                    {"values", WeightSource::values, "embedded, from `values`"},
                    {"port", WeightSource::port, "loaded at run time"}})
          .help("where the weights come from"),
      own<R>("seed", &Common::seed).range(0, 4294967295).help("of random weights"),
      own<R>("values", &Common::values)
          .length(1, 1 << 24)
          .absent("there are none")
          .help("weights [out][in of its group][ky][kx] in one list"),
  };
}

template <class R>
config::Violations check_plan(const R& request) {
  try {
    plan(matrix_request(request));
  } catch (const packing::Refusal& r) {
    return {{"scheme", fmt::format("cannot be had: {}", r.what()),
             r.broken.otherwise.empty() ? "another scheme is" : r.broken.otherwise + " is"}};
  } catch (const DesignError& e) {
    return {{"slices", fmt::format("cannot be had: {}", e.what()), "another shape is"}};
  }
  return {};
}

template <class R>
class TableWith : public config::TableOf<R> {
 public:
  TableWith(std::string name, std::string help, std::vector<config::FieldOf<R>> own)
      : config::TableOf<R>(std::move(name), std::move(help), joined(std::move(own)),
                           {check_plan<R>}) {}

 private:
  static std::vector<config::FieldOf<R>> joined(std::vector<config::FieldOf<R>> own) {
    for (auto& f : common_fields<R>()) own.push_back(std::move(f));
    return own;
  }
};

std::vector<std::int64_t> random_weights(std::int64_t count, const packing::OperandFormat& f,
                                         std::uint32_t seed) {
  std::mt19937_64 random(seed);
  const auto all = f.interval();
  const auto span = static_cast<std::uint64_t>(all.span()) + 1;
  std::vector<std::int64_t> weights;
  for (std::int64_t i = 0; i < count; ++i)
    weights.push_back(static_cast<std::int64_t>(all.lo) +
                      static_cast<std::int64_t>(random() % span));
  return weights;
}

MatrixRequest common(const Common& c, const ConvShape& shape) {
  MatrixRequest r{.shape = shape,
                  .activations = dot::format_of(c.activations),
                  .weights = dot::format_of(c.weights),
                  .sharing = c.sharing,
                  .scheme = c.scheme,
                  .wish = c.wish,
                  .rows = c.rows,
                  .columns = c.columns,
                  .slices = c.slices};
  if (r.activations.known() || r.weights.known())
    throw DesignError("an operand's own `values` are for dot products; a matrix takes `values`");
  const std::int64_t count = shape.weight_count();
  if (c.source != WeightSource::port)
    ir::require_at_most(ir::limits().weights, static_cast<std::uint64_t>(count), "the layer",
                        "weights", "--max-weights");
  if (c.source == WeightSource::random) r.values = random_weights(count, r.weights, c.seed);
  if (c.source != WeightSource::values) return r;
  if (!c.values || static_cast<std::int64_t>(c.values->size()) != count)
    throw DesignError(fmt::format("{} weights are given, the shape has {}",
                                  c.values ? c.values->size() : 0, count));
  for (const std::int64_t v : *c.values)
    if (!r.weights.interval().contains(v))
      throw DesignError(
          fmt::format("a weight of {} is outside {}", v, packing::to_string(r.weights.interval())));
  r.values = *c.values;
  return r;
}

}  // namespace

const config::Table& conv_table() {
  static const TableWith<ConvRequest> table{
      "conv2d",
      "A convolution on a systolic matrix of packed chains; frames stream through.",
      {field("in_channels", &ConvRequest::in_channels).required().range(1, 65536).help("of a map"),
       field("height", &ConvRequest::height).required().range(1, 65536).help("of the input map"),
       field("width", &ConvRequest::width).required().range(1, 65536).help("of the input map"),
       field("out_channels", &ConvRequest::out_channels)
           .required()
           .range(1, 65536)
           .help("of the output map"),
       field("kernel", &ConvRequest::kernel)
           .length(2, 2)
           .range(1, 64)
           .help("height and width of the kernel"),
       field("stride", &ConvRequest::stride).range(1, 16).help("of the output's pixels"),
       field("padding", &ConvRequest::padding).range(0, 32).help("zeros around the map"),
       field("dilation", &ConvRequest::dilation).range(1, 16).help("distance of kernel positions"),
       field("groups", &ConvRequest::groups)
           .range(1, 65536)
           .help("parts of the channels that do not meet; in_channels for depthwise")}};
  return table;
}

const config::Table& matmul_table() {
  static const TableWith<MatmulRequest> table{
      "matmul",
      "Y = W * X, W [m][k] at rest, the columns of X stream through.",
      {field("m", &MatmulRequest::rows_out).required().range(1, 65536).help("rows of W and Y"),
       field("k", &MatmulRequest::inner).required().range(1, 65536).help("columns of W, rows of X"),
       field("n", &MatmulRequest::columns_out)
           .required()
           .range(1, 65536)
           .help("columns of X and Y")}};
  return table;
}

const config::Table& matvec_table() {
  static const TableWith<MatvecRequest> table{
      "matvec",
      "y = W * x, one vector after the other, two rows of W in a slice.",
      {field("outputs", &MatvecRequest::outputs).required().range(1, 65536).help("rows of W"),
       field("inputs", &MatvecRequest::inputs).required().range(1, 65536).help("columns of W")}};
  return table;
}

MatrixRequest matrix_request(const ConvRequest& r) {
  return common(r, {.in_channels = r.in_channels,
                    .height = r.height,
                    .width = r.width,
                    .out_channels = r.out_channels,
                    .kernel_height = r.kernel.at(0),
                    .kernel_width = r.kernel.at(1),
                    .stride = r.stride,
                    .padding = r.padding,
                    .dilation = r.dilation,
                    .groups = r.groups});
}

MatrixRequest matrix_request(const MatmulRequest& r) {
  return common(r, {.in_channels = r.inner, .width = r.columns_out, .out_channels = r.rows_out});
}

MatrixRequest matrix_request(const MatvecRequest& r) {
  return common(r, {.in_channels = r.inputs, .out_channels = r.outputs});
}

}  // namespace kumiki::gen::matrix
