# SPDX-License-Identifier: Apache-2.0
"""Splits an ONNX model: what an engine computes exactly becomes programs for it, the rest stays with onnxruntime.

usage: partition.py MODEL.onnx --program KUMIKI --build BUILD.json --out DIR --report REPORT.json

`kumiki compile --partition` has the file inside and starts it. The model is cut at its tensors of 8 bits. Between two
cuts the program kumiki says whether the engine of BUILD.json computes onnxruntime's numbers.
"""

from __future__ import annotations

import argparse
import collections
import copy
import json
import pathlib
import re
import subprocess
import sys
from typing import Any, NoReturn

try:
    import numpy as np
    import onnx
    import onnx.numpy_helper
    import onnx.shape_inference
    import onnxruntime  # type: ignore[import-untyped]
except ImportError as missing:
    MISSING = str(missing)
else:
    MISSING = ""

DOMAIN = "kumiki"  # of the nodes that are parts
MOVES = ("Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "QuantizeLinear", "DequantizeLinear")
PRODUCTS = ("Conv", "ConvTranspose", "Gemm", "MatMul", "QLinearConv", "QLinearMatMul", "QGemm", "ConvInteger", "MatMulInteger")

MOST_REASONS = 10  # that are printed
MOST_MAKERS = 6  # results between the one tensor and a function of it
MOST_BEFORE_A_PRODUCT = 16  # results that are computed together with a product of two


class Refused(Exception):
    """What is wrong: a code for `kumiki explain`, and the exit status."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status, self.code = status, code


class Graph:
    """A model, and who makes and reads its tensors."""

    def __init__(self, model: Any) -> None:
        self.model = model
        graph = model.graph
        self.nodes = list(graph.node)
        self.maker = {name: i for i, node in enumerate(self.nodes) for name in node.output if name}
        self.readers: dict[str, list[int]] = collections.defaultdict(list)
        for i, node in enumerate(self.nodes):
            for name in node.input:
                self.readers[name].append(i)
        self.constants = {one.name for one in graph.initializer}
        # Weights may come from nodes as well, which are in order.
        self.computed = self.constants | {""}
        for node in self.nodes:
            if node.op_type == "Constant" or (node.input and self.computed.issuperset(node.input)):
                self.computed.update(node.output)
        self.outputs = [one.name for one in graph.output]
        self.info = {one.name: one for one in [*graph.value_info, *graph.input, *graph.output]}
        self.shapes = {one.name: tuple(one.dims) for one in graph.initializer}
        for name, one in self.info.items():
            if one.type.HasField("tensor_type"):
                self.shapes[name] = tuple(d.dim_value for d in one.type.tensor_type.shape.dim)

    def is_of_shapes(self, node: Any) -> bool:
        """It computes integers of 64 bits: a shape."""
        return all(name in self.info and self.info[name].type.tensor_type.elem_type == onnx.TensorProto.INT64
                   for name in node.output)

    @staticmethod
    def factors(node: Any) -> list[str]:
        return [node.input[0], node.input[3 if node.op_type.startswith("QLinear") or node.op_type == "QGemm" else 1]]

    def is_of_8_bits(self, name: str) -> bool:
        """A result that engines have, between nodes."""
        one = self.info.get(name)
        return (name in self.maker and one is not None and
                one.type.tensor_type.elem_type in (onnx.TensorProto.UINT8, onnx.TensorProto.INT8) and
                name not in self.computed)

    def products(self, nodes: set[int]) -> int:
        """Multiplications of an image, as far as shapes are known."""
        total = 0
        for i in nodes:
            node = self.nodes[i]
            if node.op_type not in PRODUCTS:
                continue
            made = self.shapes.get(node.output[0], ())
            # Behind a quantiser the weights have the shape of what it reads.
            weights = self.factors(node)[1]
            while weights not in self.shapes and weights in self.maker and self.nodes[self.maker[weights]].input:
                weights = self.nodes[self.maker[weights]].input[0]
            by = self.shapes.get(weights, ())
            inner = by[1:] if "Conv" in node.op_type else by[-2:-1]
            total += int(np.prod(made[1:], dtype=np.int64)) * int(np.prod(inner, dtype=np.int64))
        return total


TYPES = {"tensor(uint8)": "UINT8", "tensor(int8)": "INT8", "tensor(float)": "FLOAT", "tensor(int64)": "INT64",
         "tensor(int32)": "INT32"}


def read_model(path: str) -> Any:
    """With the types and shapes of all tensors, as onnxruntime and onnx find them: the one knows its own operators as well."""
    model = onnx.load(path)
    everything = onnx.ModelProto()
    everything.CopyFrom(model)
    del everything.graph.output[:]
    everything.graph.output.extend(onnx.ValueInfoProto(name=name) for node in model.graph.node for name in node.output if name)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(everything.SerializeToString(), options)
    known = {one.name: onnx.helper.make_tensor_value_info(one.name, getattr(onnx.TensorProto, TYPES[one.type]), one.shape)
             for one in session.get_outputs() if one.type in TYPES}
    # onnx follows the numbers of shapes through the model.
    for one in onnx.shape_inference.infer_shapes(model, data_prop=True).graph.value_info:
        if one.name in known and all(d.dim_value for d in one.type.tensor_type.shape.dim[1:]):
            known[one.name] = one
    del model.graph.value_info[:]
    model.graph.value_info.extend(known.values())
    return model


def without_shapes(model: Any) -> None:
    """Shapes of results become those that are known, with the number of images of the input. So nothing is computed for its
    shape alone."""
    graph = model.graph
    dims = {one.name: list(one.type.tensor_type.shape.dim) for one in [*graph.value_info, *graph.input, *graph.output]}
    first = graph.input[0].name
    nodes: list[Any] = []
    for node in graph.node:
        if node.op_type == "Reshape" and not node.attribute:
            before, after = ([d.dim_value for d in dims.get(name, [])][1:] for name in (node.input[0], node.output[0]))
            if before and after and np.prod(before) == np.prod(after) != 0:
                # As many images as before.
                shape = onnx.numpy_helper.from_array(np.array([0, *after], np.int64), f"{node.output[0]}/shape")
                graph.initializer.append(shape)
                node.input[1] = shape.name
        known = dims.get(node.input[0] if node.input else "", [])
        is_like_the_input = bool(known and dims[first]) and (
            (known[0].dim_param, known[0].dim_value) == (dims[first][0].dim_param, dims[first][0].dim_value))
        if (node.op_type != "Shape" or node.attribute or not is_like_the_input or node.input[0] == first or
                not all(d.dim_value for d in known[1:])):
            nodes.append(node)
            continue
        name = node.output[0]
        rest = onnx.numpy_helper.from_array(np.array([d.dim_value for d in known[1:]], np.int64), f"{name}/rest")
        index = onnx.numpy_helper.from_array(np.array([0], np.int64), f"{name}/index")
        graph.initializer.extend([rest, index])
        nodes += [onnx.helper.make_node("Shape", [first], [f"{name}/input"]),
                  onnx.helper.make_node("Gather", [f"{name}/input", index.name], [f"{name}/images"], axis=0),
                  onnx.helper.make_node("Concat", [f"{name}/images", rest.name], [name], axis=0)]
    del graph.node[:]
    graph.node.extend(nodes)


class Unit:
    """A tensor of 8 bits, with the nodes that make it from others of 8 bits. They may be nodes of other units, too."""

    def __init__(self, graph: Graph, tensor: str) -> None:
        self.tensor = tensor
        self.inputs: list[str] = []
        self.nodes: set[int] = set()
        self.is_whole = True  # it depends on nothing else
        pending = [graph.maker[tensor]]
        while pending:
            i = pending.pop()
            if i in self.nodes:
                continue
            self.nodes.add(i)
            for name in graph.nodes[i].input:
                if not name or name in graph.constants:
                    continue
                if graph.is_of_8_bits(name):
                    if name not in self.inputs:
                        self.inputs.append(name)
                elif name in graph.maker:
                    pending.append(graph.maker[name])
                else:
                    self.is_whole = False
        self.is_whole = self.is_whole and bool(self.inputs)

    def only_moves(self, graph: Graph) -> bool:
        """Its numbers are those of one other tensor."""
        return len(self.inputs) == 1 and all(
            graph.nodes[i].op_type in MOVES or graph.computed.issuperset(graph.nodes[i].output) or
            graph.is_of_shapes(graph.nodes[i]) for i in self.nodes)

    def multiplies_results(self, graph: Graph) -> bool:
        return any(graph.nodes[i].op_type in ("MatMul", "QLinearMatMul") and not any(
            name in graph.computed for name in graph.factors(graph.nodes[i])) for i in self.nodes)

    def with_maker(self, maker: Unit) -> Unit:
        """The same tensor, from what makes one of the inputs."""
        made = copy.copy(self)
        made.nodes = self.nodes | maker.nodes
        made.inputs = list(dict.fromkeys(name for name in (*self.inputs, *maker.inputs) if name != maker.tensor))
        return made


class Part:
    """Units that are computed together."""

    def __init__(self, graph: Graph, units: list[Unit]) -> None:
        self.units = units
        made = {u.tensor for u in units}
        self.nodes = set().union(*(u.nodes for u in units))
        self.inputs = list(dict.fromkeys(name for u in units for name in u.inputs if name not in made))
        self.outputs = [u.tensor for u in units if u.tensor in graph.outputs or self._leaves(graph, u.tensor)]

    def _leaves(self, graph: Graph, tensor: str) -> bool:
        """Whether a node outside reads it, perhaps behind nodes that others share."""
        return any(r not in self.nodes or any(not graph.is_of_8_bits(name) and self._leaves(graph, name)
                                              for name in graph.nodes[r].output) for r in graph.readers[tensor])

    def model(self, graph: Graph, name: str) -> Any:
        nodes = [graph.nodes[i] for i in sorted(self.nodes)]
        read = {n for node in nodes for n in node.input}
        made = onnx.GraphProto(name=name, node=nodes, input=[graph.info[n] for n in self.inputs],
                               output=[graph.info[n] for n in self.outputs],
                               initializer=[one for one in graph.model.graph.initializer if one.name in read])
        return onnx.ModelProto(ir_version=graph.model.ir_version, opset_import=graph.model.opset_import, graph=made)


class Compiler:
    """The program kumiki, on parts."""

    def __init__(self, graph: Graph, program: str, build: str, folder: pathlib.Path) -> None:
        self.graph, self.program, self.build, self.folder = graph, program, build, folder
        self.why: dict[str, str] = {}

    def takes(self, units: list[Unit], name: str = "trial", outputs: list[str] | None = None) -> bool:
        part = Part(self.graph, units)
        part.outputs = outputs or part.outputs
        file = self.folder / f"{name}.onnx"
        onnx.save(part.model(self.graph, name), file)
        done = subprocess.run([self.program, "compile", file, "--for", self.build, "-o", file.with_suffix(".engine"),
                               "--force", "--json"], capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise Refused(4, "tool-failed", f"kumiki compile {file.name}: exit {done.returncode}: {done.stderr.strip()}")
        # A note says what is left to a host, or may differ: then it is not the same part.
        why = json.loads(done.stdout)["notes"] if done.returncode == 0 else [
            re.sub(r"^kumiki: \S+: |^kumiki: \S+ on the engine of \S+: | \[[\w-]+\]$", "", line)
            for line in done.stderr.strip().splitlines() or ["it is refused"]]
        if why and len(units) == 1:
            self.why[units[0].tensor] = why[0]
        return not why

    def refused(self, units: list[Unit]) -> list[Unit]:
        """Those that are refused even alone: halves of what is refused are looked at."""
        if not units or self.takes(units):
            return []
        if len(units) == 1:
            return units
        middle = len(units) // 2
        return self.refused(units[:middle]) + self.refused(units[middle:])

    def from_one_tensor(self, unit: Unit, by_tensor: dict[str, Unit]) -> Unit | None:
        """A result of several tensors may be a function of one, as an activation that is written as a product is: from
        there it may be taken."""
        for _ in range(MOST_MAKERS):
            if len(unit.inputs) < 2:
                break
            last = max(unit.inputs, key=lambda name: self.graph.maker[name])
            if last not in by_tensor:
                break
            unit = unit.with_maker(by_tensor[last])
            if len(unit.inputs) == 1 and self.takes([unit]):
                self.why.pop(unit.tensor, None)
                return unit
        return None

    def products_of_results(self, units: list[Unit], refused: set[str]) -> None:
        """A product of two results may be taken with what makes them: then it is known which of their numbers are heads, and
        where these are. Changes units, and takes those from what is refused."""
        by_tensor = {u.tensor: i for i, u in enumerate(units) if u.is_whole}
        pending: set[str] = set()  # products that are not taken yet, and what is moved

        def is_joined(name: str) -> bool:
            return name in by_tensor and (name not in refused or name in pending)

        for i, unit in enumerate(units):
            if unit.tensor not in refused:
                continue
            moves = unit.only_moves(self.graph)
            if moves:
                pending.add(unit.tensor)
            if not (unit.multiplies_results(self.graph) or (moves and self.moves_a_product(units, by_tensor, refused, unit))):
                continue
            pending.add(unit.tensor)
            for _ in range(MOST_BEFORE_A_PRODUCT):
                able = [name for name in unit.inputs if is_joined(name)]
                if not able:
                    break
                unit = unit.with_maker(units[by_tensor[max(able, key=lambda name: self.graph.maker[name])]])
                if self.takes([unit]):
                    units[i] = unit
                    refused.remove(unit.tensor)
                    self.why.pop(unit.tensor, None)
                    break

    def moves_a_product(self, units: list[Unit], by_tensor: dict[str, int], refused: set[str], unit: Unit) -> bool:
        while unit.only_moves(self.graph) and unit.inputs[0] in by_tensor:
            unit = units[by_tensor[unit.inputs[0]]]
        return unit.tensor in refused and unit.multiplies_results(self.graph)

    def parts(self, units: list[Unit]) -> list[list[Unit]]:
        """Units that go together, in as few parts as halving finds."""
        if not units or not self.graph.products(Part(self.graph, units).nodes):
            return []
        if self.takes(units):
            return [units]
        if len(units) == 1:
            return []
        middle = len(units) // 2
        return self.parts(units[:middle]) + self.parts(units[middle:])


def grouped(units: list[Unit], taken: set[str]) -> list[list[Unit]]:
    """Those that are taken, in groups that nothing leaves and comes back to. What reads one tensor goes together, so that
    it enters the engine once."""
    groups: list[list[Unit]] = []
    group_of: dict[str, int] = {}
    readers: dict[str, set[int]] = collections.defaultdict(set)  # by tensor: groups that read it
    behind: dict[str, set[int]] = {}  # by tensor: groups that it depends on, its own left out

    def with_those_before(some: set[int]) -> set[int]:
        found: set[int] = set()
        pending = list(some)
        while pending:
            one = pending.pop()
            if one not in found:
                found.add(one)
                pending += [before for u in groups[one] for before in behind[u.tensor]]
        return found

    for u in units:
        before = with_those_before(set().union(*(behind.get(name, set()) for name in u.inputs)))
        own = {group_of[name] for name in u.inputs if name in group_of}
        if u.tensor not in taken:
            behind[u.tensor] = before | own
            continue
        # What reads a group through something outside of it cannot be of that group.
        beside = set().union(*(readers[name] for name in u.inputs)) - own
        able = [one for one in (*sorted(beside), *sorted(own)) if one not in before | with_those_before(own - {one})]
        chosen = able[-1] if able else len(groups)
        if not able:
            groups.append([])
        behind[u.tensor] = with_those_before(before | own | {chosen}) - {chosen}
        groups[chosen].append(u)
        group_of[u.tensor] = chosen
        for name in u.inputs:
            readers[name].add(chosen)
        # All of a group waits for what one of it waits for.
        for other in groups[chosen]:
            behind[other.tensor] |= behind[u.tensor]
    return groups


def needed(graph: Graph, parts: list[Part]) -> list[list[str]]:
    """The results of each part that an output of the model, or another part, depends on."""
    part_of = {u.tensor: i for i, part in enumerate(parts) for u in part.units}
    seen: set[str] = set()
    pending = list(graph.outputs)
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in part_of:
            pending += parts[part_of[name]].inputs
        elif name in graph.maker:
            pending += graph.nodes[graph.maker[name]].input
    return [[u.tensor for u in part.units if u.tensor in seen] for part in parts]


def with_parts(graph: Graph, parts: list[Part]) -> Any:
    """The model with a node for each part, and without what nobody reads any more."""
    made = onnx.ModelProto()
    made.CopyFrom(graph.model)
    nodes: list[tuple[Any, list[str]]] = []
    by_output: dict[str, int] = {}
    for i, part in enumerate(parts):
        node = onnx.helper.make_node(f"Part_{i}", part.inputs, part.outputs, name=f"part_{i}", domain=DOMAIN)
        node.attribute.extend(onnx.helper.make_attribute(f"shape_{o}", list(graph.shapes[name][1:]),
                                                         attr_type=onnx.AttributeProto.INTS)
                              for o, name in enumerate(part.outputs))
        by_output.update(dict.fromkeys(part.outputs, len(nodes)))
        nodes.append((node, part.inputs))
    for node in graph.nodes:
        for name in node.output:
            by_output.setdefault(name, len(nodes))
        nodes.append((node, list(node.input)))
    ordered: list[Any] = []
    seen: set[int] = set()

    def visit(first: int) -> None:
        pending = [(first, False)]
        while pending:
            i, is_ready = pending.pop()
            if is_ready:
                ordered.append(nodes[i][0])
            elif i not in seen:
                seen.add(i)
                pending.append((i, True))
                pending += [(by_output[name], False) for name in nodes[i][1] if name in by_output]

    for name in graph.outputs:
        if name in by_output:
            visit(by_output[name])
    del made.graph.node[:]
    made.graph.node.extend(ordered)
    read = {name for node in ordered for name in node.input} | set(graph.outputs)
    left = [one for one in made.graph.initializer if one.name in read]
    del made.graph.initializer[:]
    made.graph.initializer.extend(left)
    known = [one for one in made.graph.value_info if one.name in read]
    del made.graph.value_info[:]
    made.graph.value_info.extend(known)
    made.opset_import.append(onnx.helper.make_opsetid(DOMAIN, 1))
    return made


def ends(graph: Graph, names: list[str]) -> list[dict[str, Any]]:
    return [{"name": name, "signed": graph.info[name].type.tensor_type.elem_type == onnx.TensorProto.INT8,
             "shape": list(graph.shapes[name][1:])} for name in names]


def configuration(build: dict[str, Any], name: str) -> dict[str, Any]:
    """The engine of a build, with the graph of a part: for simulations."""
    engine = next(one for one in build["layers"] if one.get("type") == "engine" and one.get("ports") == "memory")
    return {**{key: build[key] for key in ("kumiki", "target") if key in build}, "name": name,
            "layers": [{**engine, "graph": f"{name}.graph"}]}


def partition(given: argparse.Namespace) -> dict[str, Any]:
    if MISSING:
        raise Refused(4, "tool-missing", f"{sys.executable}: {MISSING}; run: {sys.executable} -m pip install onnx onnxruntime")
    folder = pathlib.Path(given.out)
    print("reading the model", flush=True)
    try:
        model = read_model(given.model)
    except Exception as error:  # classes of errors differ from version to version
        raise Refused(4, "tool-failed",
                      f"onnxruntime could not read {given.model}: {str(error).strip().splitlines()[0]}") from error
    without_shapes(model)
    graph = Graph(model)
    units = [Unit(graph, name) for node in graph.nodes for name in node.output if graph.is_of_8_bits(name)]
    whole = [u for u in units if u.is_whole and u.tensor in graph.shapes and
             all(name in graph.shapes for name in u.inputs)]
    if not whole:
        raise Refused(3, "onnx-refused", f"{given.model} has no results of 8 bits between its nodes; quantise it first "
                                         "(kumiki import --calibrate)")
    compiler = Compiler(graph, given.program, given.build, folder)
    print(f"asking for {len(whole)} results of 8 bits", flush=True)
    refused = {u.tensor for u in compiler.refused(whole)}
    by_tensor = {u.tensor: u for u in whole if u.tensor not in refused}
    for i, u in enumerate(units):
        joined = compiler.from_one_tensor(u, by_tensor) if u.tensor in refused else None
        if joined:
            units[i] = joined
            refused.remove(u.tensor)
    compiler.products_of_results(units, refused)
    out = refused | ({u.tensor for u in units} - {u.tensor for u in whole})
    build = json.loads(pathlib.Path(given.build).read_text(encoding="utf-8"))
    groups = grouped(units, {u.tensor for u in units} - out)
    found: list[Part] = []
    for n, group in enumerate(groups):
        print(f"looking for parts in group {n + 1} of {len(groups)}", flush=True)
        found += [Part(graph, some) for some in compiler.parts(group)]
    parts: list[Part] = []
    for part, outputs in zip(found, needed(graph, found)):
        if not outputs:
            continue
        name = f"part_{len(parts)}"
        print(f"compiling {name}", flush=True)
        # A result that is needed inside alone may be one that cannot leave.
        if compiler.takes(part.units, name, outputs):
            part.outputs = outputs
        elif not compiler.takes(part.units, name):
            raise Refused(4, "tool-failed", f"{name} was taken before, and is refused now")
        subprocess.run([given.program, "import", folder / f"{name}.onnx", "-o", folder / f"{name}.graph"], check=True,
                       capture_output=True)
        (folder / f"{name}.json").write_text(json.dumps(configuration(build, name), indent=1) + "\n", encoding="utf-8")
        parts.append(part)
    for file in folder.glob("trial.*"):
        file.unlink()
    if not parts:
        raise Refused(3, "onnx-refused", f"the engine of {given.build} computes nothing of {given.model}: "
                                         f"{next(iter(compiler.why.values()), 'it has no products')}")
    result = with_parts(graph, parts)
    listed = [{"operator": f"Part_{i}", "file": f"part_{i}.engine", "inputs": ends(graph, p.inputs),
               "outputs": ends(graph, p.outputs)} for i, p in enumerate(parts)]
    onnx.helper.set_model_props(result, {"kumiki": json.dumps(listed)})
    onnx.save(result, folder / "model.onnx")
    return report(graph, parts, result, compiler)


def report(graph: Graph, parts: list[Part], result: Any, compiler: Compiler) -> dict[str, Any]:
    everything = graph.products(set(range(len(graph.nodes))))
    on_engine = [graph.products(p.nodes) for p in parts]
    left = collections.Counter(node.op_type for node in result.graph.node
                               if node.domain != DOMAIN and node.op_type not in ("QuantizeLinear", "DequantizeLinear"))
    lines = [f"part_{i}: {len(p.units)} results of 8 bits, {len(p.inputs)} in, {len(p.outputs)} out, {products:,} products"
             for i, (p, products) in enumerate(zip(parts, on_engine))]
    share = 100 * graph.products(set().union(*(p.nodes for p in parts))) / everything if everything else 0.0
    lines.append(f"on the engine: {share:.1f} % of {everything:,} products; with onnxruntime: " +
                 (", ".join(f"{n} {op}" for op, n in sorted(left.items())) or "quantisers only"))
    reasons = [f"not on the engine, {tensor}: {why}" for tensor, why in compiler.why.items()]
    lines += reasons[:MOST_REASONS]
    if len(reasons) > MOST_REASONS:
        lines.append(f"and {len(reasons) - MOST_REASONS} more, which --json lists")
    return {"parts": [{"file": f"part_{i}.engine", "results": len(p.units), "inputs": p.inputs, "outputs": p.outputs,
                       "products": products} for i, (p, products) in enumerate(zip(parts, on_engine))],
            "products": everything, "left": dict(sorted(left.items())), "refused": compiler.why, "text": "\n".join(lines)}


def main() -> NoReturn:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0], allow_abbrev=False)
    parser.add_argument("model")
    for option in ("--program", "--build", "--out", "--report"):
        parser.add_argument(option, required=True)
    given = parser.parse_args()
    try:
        status, told = 0, partition(given)
    except Refused as refused:
        status, told = refused.status, {"code": refused.code, "text": str(refused)}
    pathlib.Path(given.report).write_text(json.dumps(told), encoding="utf-8")
    sys.exit(status)


if __name__ == "__main__":
    main()
