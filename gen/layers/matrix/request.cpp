// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/request.h"

#include <fmt/format.h>

#include <bit>

#include "gen/config/messages.h"
#include "gen/layers/common/messages.h"
#include "gen/layers/common/random_weights.h"
#include "gen/layers/matrix/messages.h"
#include "ir/arch.h"
#include "ir/limits.h"

namespace kumiki::gen::matrix {
namespace {

using config::field;

// Lists the same keys once for each of the three structs. `own` turns a member of Common into a
// member of the derived struct.
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
          .absent("the best for the objective")
          .help("how products share a slice"),
      own<R>("objective", &Common::objective)
          .choices(dot::wish_choices())
          .absent("no-lut; least-area with double clocking")
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
          .absent(fmt::format("{}", usual_slices))
          .help("the budget when rows or columns are left open"),
      own<R>("words_a_clock", &Common::beat)
          .range(1, most_beat)
          .absent("as many as the columns need")
          .help("words (rows channels of a pixel) in a beat of in_data: a power of two"),
      own<R>("clocking", &Common::clocking)
          .choices({{"single", dot::Clocking::single, "one clock, clk"},
                    {"double", dot::Clocking::twice,
                     "chains and memories run on clk2x, twice as fast as clk and in phase with it, "
                     "and take half of the rows in each half of a clock"}})
          .help("the clock of the slices"),
      own<R>("weights_from", &Common::source)
          .choices({{"random", WeightSource::random, "embedded, random with `seed`"},
                    {"values", WeightSource::values, "embedded, from `values`"},
                    {"port", WeightSource::port, "loaded at run time"}})
          .absent("`values`, which must be there then")
          .help("where the weights come from"),
      own<R>("seed", &Common::seed)
          .range(0, 4294967295)
          .absent("1 where weights are random")
          .help("of random weights"),
      own<R>("values", &Common::values)
          .range(-(1 << ir::arch::dsp48e2.factor_bits()), 1 << ir::arch::dsp48e2.factor_bits())
          .absent("weights are random or come through the port")
          .help(
              "weights [output][input of its group][row of the kernel][column], or the rows of W"),
  };
}

// The dimensions of a layer's weights.
std::vector<config::Dimension> dimensions(const ConvRequest& r) {
  return {{"output", r.out_channels},
          {"input of its group", r.in_channels / r.groups},
          {"row", r.kernel.at(0)},
          {"column", r.kernel.at(1)}};
}
std::vector<config::Dimension> dimensions(const MatmulRequest& r) {
  return {{"row of W", r.rows_out}, {"column of W", r.inner}};
}
std::vector<config::Dimension> dimensions(const MatvecRequest& r) {
  return {{"row of W", r.outputs}, {"column of W", r.inputs}};
}

WeightSource source_of(const Common& c) {
  return c.source.value_or(c.values ? WeightSource::values : WeightSource::port);
}

// The source of the weights must be given exactly once, and no key about weights may be without
// use.
template <class R>
config::Violations check_source(const R& r) {
  if (!r.source && !r.values)
    return {{code::no_weights, "values", "is missing, so the layer has no weights",
             "give \"values\", or set \"weights_from\" to \"random\" or \"port\""}};
  const auto source = source_of(r);
  if (source == WeightSource::values && !r.values)
    return {{code::no_weights, "weights_from", "asks for \"values\", which are missing",
             "give \"values\", or set it to \"random\" or \"port\""}};
  if (source != WeightSource::values && r.values)
    return {{code::conflicting_keys, "values",
             "is given beside \"weights_from\", which asks for other weights",
             "give one or the other"}};
  if (source != WeightSource::random && r.seed)
    return {{code::key_without_use, "seed", "is given, but no weight is random",
             "remove it, or set \"weights_from\" to \"random\""}};
  return {};
}

config::Violations check_shape(const ConvRequest& r) {
  if (r.in_channels % r.groups != 0 || r.out_channels % r.groups != 0)
    return {{code::groups_do_not_divide, "groups",
             fmt::format("does not divide {} and {} channels", r.in_channels, r.out_channels),
             "must divide both"}};
  const auto reach = [&](std::size_t k) { return (r.kernel.at(k) - 1) * r.dilation + 1; };
  if (reach(0) > r.height + 2 * r.padding || reach(1) > r.width + 2 * r.padding)
    return {{code::kernel_beyond_map, "kernel",
             fmt::format("reaches over {} x {} pixels, but the padded map has {} x {}", reach(0),
                         reach(1), r.height + 2 * r.padding, r.width + 2 * r.padding),
             "use a smaller kernel or dilation, or more padding"}};
  return {};
}
template <class R>
config::Violations check_shape(const R&) {
  return {};
}

template <class R>
config::Violations check_weights(const R& r) {
  if (r.activations.values || r.weights.values)
    return {{code::values_of_operand, r.weights.values ? "weights/values" : "activations/values",
             "works for operands of a dot product only", "use \"values\" of the layer"}};
  if (auto wrong = check_shape(r); !wrong.empty()) return wrong;
  if (auto wrong = check_source(r); !wrong.empty()) return wrong;
  if (!r.values) return {};
  if (auto wrong = config::check_shape("values", *r.values, dimensions(r)); !wrong.empty())
    return wrong;
  const auto legal = dot::format_of(r.weights).interval();
  return config::check_range("values", *r.values, static_cast<std::int64_t>(legal.lo),
                             static_cast<std::int64_t>(legal.hi));
}

template <class R>
config::Violations check_beat(const R& request) {
  if (!request.beat || std::has_single_bit(static_cast<std::uint64_t>(*request.beat))) return {};
  return {{code::not_a_power_of_two, "words_a_clock", "is not a power of two",
           "must be 1, 2, 4, 8 or 16"}};
}

// Given rows and columns leave no slices to choose. On two clocks a slice has a row in each half.
template <class R>
config::Violations check_rows(const R& request) {
  if (request.slices && request.rows && request.columns)
    return {{code::key_without_use, "slices",
             "is given, but \"rows\" and \"columns\" say how many there are",
             "give \"slices\", or \"rows\" and \"columns\""}};
  if (request.clocking != dot::Clocking::twice || request.rows.value_or(2) % 2 == 0) return {};
  return {{code::no_matrix_fits, "rows", "is odd, but rows share their slices in pairs",
           "must be even with double clocking"}};
}

template <class R>
class TableWith : public config::TableOf<R> {
 public:
  TableWith(std::string name, std::string help, std::vector<config::FieldOf<R>> own)
      : config::TableOf<R>(std::move(name), std::move(help), joined(std::move(own)),
                           {check_beat<R>, check_rows<R>, check_weights<R>}) {}

 private:
  static std::vector<config::FieldOf<R>> joined(std::vector<config::FieldOf<R>> own) {
    for (auto& f : common_fields<R>()) own.push_back(std::move(f));
    return own;
  }
};

// A user of two clocks wants many products from a slice, and the logic behind a chain serves two
// products.
packing::Objective objective_of(const Common& c) {
  return c.objective.value_or(c.clocking == dot::Clocking::twice ? packing::Objective::LeastArea
                                                                 : packing::Objective::NoLut);
}

MatrixRequest common(const Common& c, const ConvShape& shape) {
  MatrixRequest r{.shape = shape,
                  .activations = dot::format_of(c.activations),
                  .weights = dot::format_of(c.weights),
                  .sharing = c.sharing,
                  .scheme = c.scheme,
                  .objective = objective_of(c),
                  .rows = c.rows,
                  .columns = c.columns,
                  .slices = c.slices.value_or(usual_slices),
                  .beat = c.beat,
                  .is_double = c.clocking == dot::Clocking::twice};
  const std::int64_t count = shape.weight_count();
  const auto source = source_of(c);
  if (source != WeightSource::port)
    ir::require_at_most(c.context.limits.weights, static_cast<std::uint64_t>(count), "the layer",
                        "weights", "--max-weights");
  if (source == WeightSource::random)
    r.values = random_weights(count, r.weights.interval(), c.seed.value_or(1));
  if (source == WeightSource::values) r.values = c.values->values;
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
