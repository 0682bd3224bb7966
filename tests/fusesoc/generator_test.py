# SPDX-License-Identifier: Apache-2.0
"""The installed generator in cores that users write."""

from __future__ import annotations

import json
import os
import pathlib
import shutil

import pytest

from handed_over import KUMIKI, ROOT, this_time
from soc import GENERATOR, Soc


def core(parameters: str, *, target: str = "", name: str = "acme:own:own:2.1") -> str:
    """A core whose target `default` has a netlist for these parameters."""
    return f"""CAPI=2:
name: "{name}"
filesets:
  rtl: {{depend: ["kumiki:tools:generator"]}}
generate:
  net: {{generator: kumiki, parameters: {parameters}}}
targets:
  default: &default
    filesets: [rtl]
    generate: [net]
    toplevel: top
  sim:
    <<: *default
    flags: {{kumiki_models: true, top_bench: true}}
    toplevel: top_tb
    flow: sim
    flow_options: {{tool: icarus, iverilog_options: [-g2001]}}
{target}"""


@pytest.fixture
def users(soc: Soc) -> Soc:
    (soc.folder / "cores").mkdir()
    soc.library("kumiki", GENERATOR)
    soc.library("cores", "cores")
    return soc


def popcount(bits: int) -> str:
    return json.dumps({"kumiki": 1, "name": "top", "layers": [{"type": "popcount", "name": "ones", "bits": bits}]})


def test_the_example_sees_what_is_wrong_with_its_module(users: Soc) -> None:
    shutil.copytree(ROOT / "examples/fusesoc", users.folder / "cores", dirs_exist_ok=True)
    users.corrupt("cores/vote.v", "count > 15", "count > 16")
    status, said = users.fusesoc("run", "--target", "sim", "vote")
    assert status != 0 and "FAIL: " in said, said


def test_a_changed_file_is_a_changed_netlist(users: Soc) -> None:
    users.write("cores/own.core", core("{config: sub/net.json, vectors: 20}"))
    for bits in (20, 40):
        users.write("cores/sub/net.json", popcount(bits))
        status, said = users.fusesoc("run", "--target", "sim", "own")
        assert status == 0 and "PASS: 20 cycles" in said, said
        tops = list(users.folder.glob("build/**/src/**/top.v"))
        assert len(tops) == 1 and f"input wire [{bits - 1}:0] ones_x" in tops[0].read_text()


def test_a_configuration_in_the_core_finds_its_files(users: Soc) -> None:
    graph = ROOT / "examples/digits.graph"
    users.write("cores/nets/digits.graph", graph.read_text())
    layer = json.loads((ROOT / "examples/digits-dataflow.json").read_text())["layers"][0]
    config = {"name": "top", "layers": [{**layer, "graph": "nets/digits.graph"}]}
    users.write("cores/own.core", core(json.dumps({"config": config, "vectors": 30})))
    status, said = users.fusesoc("run", "--target", "sim", "own")
    assert status == 0 and "PASS: 30 cycles" in said, said
    assert sorted(p.name for p in (users.folder / "cores").iterdir()) == ["nets", "own.core"]


def test_streams_and_seed(users: Soc) -> None:
    vectors = []
    for seed in (3, 4):
        users.write("cores/own.core", core(
            "{config: {name: top, layers: [{type: dot, name: d, scheme: wp487-int8, terms: 3}]}, vectors: 40, "
            f"seed: {seed}, axi_stream: true}}"))
        status, said = users.fusesoc("run", "--setup", "--target", "sim", "own")
        assert status == 0, said
        text = next(users.folder.glob("build/**/sim/vectors/stimulus.hex")).read_text()
        assert "d_s_axis_in_tdata" in text
        vectors.append(text)
    assert vectors[0] != vectors[1]
    status, said = users.fusesoc("run", "--target", "sim", "own")
    assert status == 0 and "PASS: 40 cycles" in said, said


def test_a_core_that_depends_on_ours_by_name(users: Soc) -> None:
    """On one that was written before, and on one that is generated for another core."""
    users.generate({"name": "two", "layers": [{"type": "popcount", "name": "ones", "bits": 33}]}, out="cores/two")
    shutil.copytree(ROOT / "examples/fusesoc", users.folder / "cores/voting")
    users.write("cores/both.v", """module both (input wire [32:0] x, output wire [5:0] n, input wire clk,
    input wire [30:0] votes, output wire yes);
  two a (.ones_x(x), .ones_sum(n));
  vote b (.clk(clk), .votes(votes), .yes(yes));
endmodule
""")
    users.write("cores/both_tb.v", """`timescale 1ps / 1ps
module both_tb;
  reg [32:0] x; wire [5:0] n; reg clk; reg [30:0] votes; wire yes;
  both dut (x, n, clk, votes, yes);
  initial begin
    clk = 0; votes = 31'h7fff0001; x = 33'h1ffffffff;
    #5000 clk = 1; #5000 clk = 0; #5000 clk = 1; #5000 clk = 0; #5000;
    if (n === 33 && yes === 1) $display("right");
    $finish;
  end
endmodule
""")
    users.write("cores/both.core", """CAPI=2:
name: "acme:own:both:1"
filesets:
  rtl: {files: [both.v: {file_type: verilogSource}], depend: ["::two", "acme:voting:vote"]}
  bench: {files: [both_tb.v: {file_type: verilogSource}]}
targets:
  default: &default {filesets: [rtl], toplevel: both}
  sim:
    <<: *default
    filesets: [rtl, bench]
    flags: {kumiki_models: true}
    toplevel: both_tb
    flow: sim
    flow_options: {tool: icarus, iverilog_options: [-g2001]}
""")
    status, said = users.fusesoc("run", "--target", "sim", "both")
    assert status == 0 and "right" in said, said


@pytest.mark.parametrize("parameters, message", this_time([
    ("{config: net.json, vector: 20}",
     "unknown parameters: vector; use axi_stream, config, program, seed, vectors"),
    ("{vectors: 20}", "the parameter config names no configuration file, nor is it a configuration"),
    ("{config: net.json, vectors: many}", 'parameter vectors: "many" is not a whole number'),
    ("{config: net.json, axi_stream: 1}", "parameter axi_stream: 1 is not true or false"),
    ("{config: other.json}", "other.json"),
    ("{config: net.json, program: no/such}", "no/such"),
    ("{config: {name: top, layers: [{type: popcont, bits: 3}]}}",
     '/layers/0/type: "popcont" is not known (did you mean "popcount"?)'),
], 2))
def test_mistakes_end_the_run_with_their_reason(users: Soc, parameters: str, message: str) -> None:
    users.write("cores/net.json", popcount(9))
    users.write("cores/own.core", core(parameters))
    status, said = users.fusesoc("run", "--target", "sim", "own")
    assert status != 0 and message in said, said
    assert "Traceback" not in said, said
    assert not list(users.folder.glob("build/**/*.v"))


def test_the_program_of_the_installation_or_of_the_path(users: Soc, monkeypatch: pytest.MonkeyPatch) -> None:
    users.write("cores/own.core", core("{config: net.json, vectors: 20}"))
    users.write("cores/net.json", popcount(9))
    # A library that was copied out of the installation asks the path.
    users.write("alone/readme", "")
    for file in GENERATOR.iterdir():
        shutil.copy(file, users.folder / "alone" / file.name)
    text = (users.folder / "fusesoc.conf").read_text()
    users.write("fusesoc.conf", text.replace(str(GENERATOR), str(users.folder / "alone")))
    status, said = users.fusesoc("run", "--target", "sim", "own")
    assert status != 0 and "cannot start kumiki: No such file or directory" in said, said
    programs = users.folder / "programs"
    programs.mkdir()
    pathlib.Path(programs / "kumiki").symlink_to(KUMIKI)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    status, said = users.fusesoc("run", "--target", "sim", "own")
    assert status == 0 and "PASS: 20 cycles" in said, said
