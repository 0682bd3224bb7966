// SPDX-License-Identifier: Apache-2.0
// What a block carries along for data that cross between two clocks; tests/cli has whole documents.
#include "backends/emit/project/component.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/text.h"

namespace kumiki::backends {
namespace project_component_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* crossing =
    "design ultrascale+ top m\n"
    "module m\n"
    "  input clk = %3\n"
    "  input clk2x = %4\n"
    "  input d = %5..6\n"
    "  output q = %24..25\n"
    "  %10 = FDRE \"toggle\" C=%3 D=%11\n"
    "  %11 = LUT1 I0=%10 INIT=1\n"
    "  %12 = FDSE \"seen\" C=%4 D=%10 CROSSING=each\n"
    "  %13 = LUT2 I0=%10 I1=%12 INIT=6\n"
    "  %14 = FDRE \"phase\" C=%4 D=%13 CROSSING=each\n"
    "  %20..21 = FDRE*2 \"late\" C=%4 CE=%14 D=%5..6 CROSSING=second\n"
    "  %22 = FDRE \"early\" C=%4 D=%21\n"
    "  %24 = FDRE \"back\" C=%3 D=%20 CROSSING=first\n"
    "  %25 = FDRE \"soon\" C=%3 D=%22 CROSSING=each\n";

OutputSet files_of(const char* text, const std::vector<BusInterface>& interfaces) {
  const auto design = ir::parse(text);
  OutputSet files;
  write_component(ir::Names(*design), {"m.v", "primitives/FDRE.v"}, interfaces, files,
                  {.description = "a < b & \"c\"", .version = "2.7.1"});
  return files;
}
std::string text_of(const OutputSet& files, const char* name) {
  const auto* file = files.find(name);
  return file ? std::string(file->text.view()) : std::string();
}

const std::vector<BusInterface> clocks{
    {.kind = BusInterface::Kind::clock, .name = "clk", .signals = {{"CLK", "clk"}}}};

// The exceptions of m_ooc.xdc, on whatever clocks arrive at the block, and read after them.
TEST(Component, ExceptionsGoWithTheBlock) {
  const auto files = files_of(crossing, clocks);
  EXPECT_THAT(
      text_of(files, "m_crossings.xdc"),
      HasSubstr(
          "\nset late [get_cells {late[*]}]\n"
          "set_multicycle_path -setup -end 2 -from [get_clocks -of_objects [get_ports clk]] -to "
          "$late\n"
          "set_multicycle_path -hold -end 1 -from [get_clocks -of_objects [get_ports clk]] -to "
          "$late\n"
          "set late [get_cells {back}]\n"
          "set_multicycle_path -setup -start 2 -from [get_clocks -of_objects [get_ports clk2x]] "
          "-to $late\n"
          "set_multicycle_path -hold -start 1 -from [get_clocks -of_objects [get_ports clk2x]] "
          "-to $late\n"));
  EXPECT_THAT(text_of(files, "m_package.tcl"),
              AllOf(HasSubstr("\n  component.xml\n  m.v\n  m_crossings.xdc\n}"),
                    HasSubstr("set_property processing_order LATE [ipx::get_files m_crossings.xdc "
                              "-of_objects [ipx::get_file_groups xilinx_anylanguagesynthesis "
                              "-of_objects $core]]\n")));
  // For synthesis and what follows, and once.
  const auto document = text_of(files, "component.xml");
  const auto at = document.find(
      "<spirit:name>m_crossings.xdc</spirit:name>\n"
      "        <spirit:userFileType>xdc</spirit:userFileType>\n"
      "        <spirit:userFileType>USED_IN_implementation<");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, document.find("<spirit:name>xilinx_anylanguagebehavioralsimulation_view_fileset<"));
  EXPECT_EQ(document.find("m_crossings", at + 20), std::string::npos);
}

TEST(Component, OneClockHasNoneAndTextsAreEscaped) {
  const auto files = files_of(
      "design 7series top m\nmodule m\ninput clk = %3\ninput d = %4\n"
      "output q = %5\n%5 = FDRE C=%3 D=%4\n",
      clocks);
  EXPECT_EQ(text_of(files, "m_crossings.xdc"), "");
  EXPECT_THAT(text_of(files, "m_package.tcl"), Not(HasSubstr("processing_order")));
  const auto document = text_of(files, "component.xml");
  EXPECT_THAT(document, HasSubstr(">a &lt; b &amp; &quot;c&quot;</spirit:description>"));
  EXPECT_THAT(document, HasSubstr("<spirit:version>2.7</spirit:version>"));
  EXPECT_THAT(document, HasSubstr("\">artix7<"));
  EXPECT_THAT(document, Not(HasSubstr("primitives/")));
  EXPECT_THAT(document, Not(HasSubstr("memoryMap")));
  EXPECT_TRUE(files_of(crossing, {}).files().empty());
}

}  // namespace project_component_test
}  // namespace kumiki::backends
