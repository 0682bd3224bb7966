#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The networks in LUTs of `kumiki-bench pipeline` by da4ml, LUTs counted by Yosys: a table with both.

  network_beside_da4ml.py PROGRAM WORK [--row TEXT]

Both sides are the whole network, all layers with bias, requantisation and clamp, on the same weights and scales. Ours is the pipeline
with its streams: registers, valid and ready, room at its end. da4ml's is its combinational logic without a register, so that no
shift register counts: products by its solver, then a channel's sum times a factor, plus an offset, cut and saturated. Factor and shift
are those of the fewest signed digits that begin every result where onnxruntime's rule does, or, at the few sums where float32 rounds
twice and no factor is equal, where the exact product does: ours is exact there and pays for it. da4ml's logic is run on random
vectors against the rule before it is counted.
LUTs are counted as beside_da4ml.py counts them. Exit code 1 where ours has more than 0.9 of da4ml's.
"""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from beside_da4ml import begun, fit_adder, luts  # noqa: E402


def layers_of(text):
    """Dense layers of a graph in text form, with bits and zero point of what goes in and comes out."""
    tensors, layers = {}, []
    for words in (line.split() for line in text.splitlines()):
        if words[0] == "tensor":
            tensors[words[1]] = {"bits": int(words[2][1:]), "zero": int(words[7])}
            if not words[2].startswith("u"):
                raise SystemExit(f"{words[1]} has a sign: not read here")
        elif words[0] == "conv":
            layers.append({"in": tensors[words[2]], "out": tensors[words[4]], "scales": [], "bias": [], "weights": []})
        elif words[0] == "scales":
            layers[-1]["scales"] += [float.fromhex(w) for w in words[1:]]
        elif words[0] in ("bias", "weights"):
            layers[-1][words[0]] += [int(w) for w in words[1:]]
    return layers


def matrix_of(layer):
    import numpy as np
    return np.array(layer["weights"], dtype=np.int64).reshape(len(layer["bias"]), -1)


def requantised(sums, scale, zero, bits):
    import numpy as np
    product = sums.astype(np.float32) * np.float32(scale)
    return np.clip(np.rint(product).astype(np.int64) + zero, 0, 2**bits - 1)


def digits(factor):
    count = 0
    while factor:
        if factor & 1:
            factor -= 2 - (factor & 3)
            count += 1
        factor >>= 1
    return count


def line_of(row, bias, layer, scale):
    """Factor, offset and shift of a channel for sums without its bias."""
    import numpy as np
    bits, zero, most = layer["out"]["bits"], layer["out"]["zero"], 2 ** layer["in"]["bits"] - 1
    low, high = int(row[row < 0].sum()) * most, int(row[row > 0].sum()) * most
    sums = np.arange(low, high + 1)
    results = requantised(sums + bias, scale, zero, bits)
    exact = np.clip(np.floor((sums + bias) * np.float64(np.float32(scale)) + 0.5).astype(np.int64) + zero, 0, 2**bits - 1)
    for wanted in (results, exact):
        # The last sum of each result but the last; the next one begins behind it.
        ends = np.nonzero(np.diff(wanted))[0]
        if ends.size == 0:
            return {"factor": 0, "offset": int(wanted[0]), "shift": 0, "apart": 0}
        begin, after, before = sums[ends + 1], wanted[ends + 1], wanted[ends]
        best, first = None, None
        for shift in range(0, 36):
            middle = round(scale * 2**shift)
            for factor in range(max(1, middle - 40), middle + 41):
                least = int((after * 2**shift - begin * factor).max())
                last = int(((before + 1) * 2**shift - 1 - (begin - 1) * factor).min())
                if wanted[0] > 0:
                    least = max(least, int(wanted[0]) * 2**shift - low * factor)
                if wanted[-1] < 2**bits - 1:
                    last = min(last, (int(wanted[-1]) + 1) * 2**shift - 1 - high * factor)
                if least > last:
                    continue
                first = first if first is not None else shift
                unit = 1 << max(0, (last - least + 1).bit_length() - 1)
                offset = -(-least // unit) * unit
                key = (digits(factor), shift)
                if best is None or key < best[0]:
                    best = (key, {"factor": factor, "offset": offset if offset <= last else least, "shift": shift,
                                  "apart": int((wanted != results).sum())})
            if first is not None and shift >= first + 4:
                break
        if best:
            return best[1]
    raise SystemExit("a channel without a line")


def theirs(layers, folder):
    import numpy as np
    from da4ml.codegen import VerilogModel
    from da4ml.trace import FixedVariableArray, comb_trace

    first = layers[0]["in"]["bits"]
    count = matrix_of(layers[0]).shape[1]
    zeros = np.zeros(count)
    image = FixedVariableArray.from_lhs(zeros, zeros + 2**first - 1, zeros + 1)
    x, apart = image, 0
    for layer in layers:
        matrix = matrix_of(layer)
        lines = [line_of(row, bias, layer, scale) for row, bias, scale in zip(matrix, layer["bias"], layer["scales"])]
        apart += sum(line["apart"] for line in lines)
        factor = np.array([line["factor"] * 2.0 ** -line["shift"] for line in lines])
        offset = np.array([line["offset"] * 2.0 ** -line["shift"] for line in lines])
        sums = x @ np.ascontiguousarray(matrix.T, dtype=np.float64)
        x = (sums * factor + offset).quantize(0, layer["out"]["bits"], 0, "SAT", "TRN")
    logic = comb_trace(image, x)
    random = np.random.default_rng(1)
    images = random.integers(0, 2**first, (300, count))
    wanted = images
    for layer in layers:
        sums = wanted @ matrix_of(layer).T + np.array(layer["bias"])
        wanted = np.stack([requantised(sums[:, c], s, layer["out"]["zero"], layer["out"]["bits"])
                           for c, s in enumerate(layer["scales"])], axis=1)
    made = np.stack([np.array(logic(image), dtype=float) for image in images.astype(float)])
    wrong = int((made != wanted).any(axis=1).sum())
    if wrong > (len(images) // 20 if apart else 0):
        raise SystemExit(f"da4ml's logic is another network: {wrong} of {len(images)} vectors")
    VerilogModel(logic, "top", folder).write()
    fit_adder(folder)
    sources = [f for f in sorted(folder.glob("src/**/*.v")) if not f.name.endswith(("wrapper.v", "lookup_table.v"))]
    return {"luts": luts(sources, "top", folder), "depth": int(max(logic.latency)), "apart": apart, "wrong": wrong}


def ours(name, graph, program, folder):
    (folder / "net.graph").write_text(graph)
    (folder / "net.json").write_text(json.dumps({"kumiki": 1, "name": "net", "layers": [
        {"type": "dataflow", "name": name.replace("-", "_"), "graph": "net.graph", "clocks": 1, "in_luts": "all"}]}))
    subprocess.run([program, "gen", folder / "net.json", "-o", folder / "net", "--force"], check=True,
                   stdout=subprocess.DEVNULL)
    return luts(sorted((folder / "net").glob("*.v")), "net", folder)


def main():
    options = begun(__file__)
    graphs = options.work / "graphs"
    rows = json.loads(subprocess.run(
        [f"{options.program}-bench", "pipeline", "--json", "--network", "-luts", "--graphs", graphs, "--force"],
        check=True, stdout=subprocess.PIPE).stdout)
    print(f"{'network':16} {'LUTs':>6} {'by Yosys':>8} {'da4ml':>6} {'ratio':>6} {'latency':>7} {'da4ml adders':>12} {'interval':>8}"
          f" {'exact':>5} {'sums where da4ml is not':>23}", flush=True)
    missed = False
    for row in rows:
        name = row["network"]
        if options.row not in name:
            continue
        folder = options.work / name
        folder.mkdir(exist_ok=True)
        graph = (graphs / f"{name}.graph").read_text()
        other = theirs(layers_of(graph), folder / "da4ml")
        again = ours(name, graph, options.program, folder)
        most = max(row["luts"] + row["lutmem"], again)
        missed |= most > 0.9 * other["luts"] or not row["exact"] or row["measured_interval"] != 1
        print(f"{name:16} {row['luts'] + row['lutmem']:6} {again:8} {other['luts']:6} {most / other['luts']:6.3f} {row['latency']:7}"
              f" {other['depth']:12} {row['measured_interval']:8} {str(row['exact']):>5} {other['apart']:23}", flush=True)
    sys.exit(missed)


if __name__ == "__main__":
    main()
