# SPDX-License-Identifier: Apache-2.0
"""The module for engines that `kumiki gen --driver` writes, from numpy arrays to numpy arrays on the netlist of an engine."""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import pytest
from pynq_stand_in import Board, Pynq

if TYPE_CHECKING:
    import kumiki_engine as host

WORK = pathlib.Path(os.environ["KUMIKI_WORK"])
HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parents[1] / "examples" / "models"
sys.path.insert(0, str(MODELS))
exact: Any = importlib.import_module("exact")  # onnxruntime as it is defined, also without VNNI
TOKENS = MODELS.parents[1] / "tests" / "gen" / "onnx" / "operators" / "tokens_u8"
RNG = np.random.default_rng(int(os.environ.get("KUMIKI_SEED", 1)))
BUILD = {"type": "engine", "name": "e", "rows": 16, "columns": 8, "places": 1024, "ring": 64, "ports": "memory"}


def kumiki(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([os.environ["KUMIKI_PROGRAM"], *arguments], cwd=WORK, capture_output=True, text=True)


@pytest.fixture(scope="session", autouse=True)
def module() -> None:
    (WORK / "build.json").write_text(json.dumps({"kumiki": 1, "name": "build", "layers": [BUILD]}))
    made = [kumiki("gen", "build.json", "--driver", "-o", "build")]
    made += [kumiki("compile", str(MODELS / f"{name}.onnx"), "--for", "build.json", "-o", f"{name}.engine")
             for name in ("digits_mlp", "fashion_cnn")]
    assert not any(one.returncode for one in made), made
    sys.path.insert(0, str(WORK / "build"))
    globals()["host"] = importlib.import_module("kumiki_engine")


@pytest.fixture
def board() -> Iterator[Board]:
    one = Board(os.environ["KUMIKI_BOARD"], str(WORK / "build.json"))
    yield one
    one.close()


def engine(board: Board, size: int = 1 << 18, **more: Any) -> host.Engine:
    """The program has a cache of the board's memory."""
    memory = np.full(size, 0xEE, np.uint8)

    def to_device(at: int, count: int) -> None:
        board.poke(at, memory[at:at + count].tobytes())

    def from_device(at: int, count: int) -> None:
        memory[at:at + count] = np.frombuffer(board.peek(at, count), np.uint8)

    settings: dict[str, Any] = {"looks": 5000, "to_device": to_device, "from_device": from_device, **more}
    return host.Engine(board.read, board.write, memory, Board.base, **settings)


def judged(name: str, images: Any) -> Any:
    session = exact.session(str(MODELS / f"{name}.onnx"))
    return session.run(None, {session.get_inputs()[0].name: images})[0]


def test_real_numbers_are_those_of_onnxruntime(board: Board) -> None:
    one = engine(board)
    digits, clothes = one.load(WORK / "digits_mlp.engine"), one.load(WORK / "fashion_cnn.engine")
    assert (digits.inputs[0].shape, digits.outputs[0].shape, clothes.inputs[0].shape) == ((64,), (10,), (1, 28, 28))
    for turn in range(3):  # they take turns
        x = RNG.random((5, 64), np.float32)
        np.testing.assert_array_equal(digits.predict(x), judged("digits_mlp", x))
        if turn == 1:
            x = RNG.random((1, 1, 28, 28), np.float32)
            np.testing.assert_array_equal(clothes.predict(x), judged("fashion_cnn", x))
    counts = one.counts()
    assert counts.clocks > counts.words_read > counts.words_written > 0
    # One image without an axis of images; numbers as they are.
    x = RNG.random(64, np.float32)
    np.testing.assert_array_equal(digits.predict(x), judged("digits_mlp", x[None])[0])
    numbers = digits.run(digits.quantise(x))
    assert numbers.dtype == np.int64
    np.testing.assert_array_equal(digits.dequantise(numbers), judged("digits_mlp", x[None])[0])
    assert digits.run(np.zeros((0, 64), int)).shape == (0, 10)


def test_several_images_at_once(board: Board) -> None:
    """Runs of four images; the last one is not full."""
    made = kumiki("compile", str(MODELS / "digits_mlp.onnx"), "--for", "build.json", "--batch", "4", "-o", "four.engine")
    assert made.returncode == 0, made.stderr
    one = engine(board)
    four = one.load(WORK / "four.engine")
    assert (four.images, four.inputs[0].shape, four.outputs[0].shape) == (4, (64,), (10,))
    x = RNG.random((6, 64), np.float32)
    np.testing.assert_array_equal(four.predict(x), judged("digits_mlp", x))
    np.testing.assert_array_equal(four.predict(x[0]), judged("digits_mlp", x[:1])[0])
    assert four.run(np.zeros((0, 64), int)).shape == (0, 10)
    # Each run takes hardly more than one of a single image.
    single = one.load(WORK / "digits_mlp.engine")
    clocks = one.counts().clocks
    four.predict(x[:4])
    at_once = one.counts().clocks - clocks
    single.predict(x[:1])
    assert at_once < 2 * (one.counts().clocks - clocks - at_once)


def test_another_program_finds_the_module(board: Board) -> None:
    """And not the library, which has been compiled beside it."""
    engine(board)
    subprocess.run([sys.executable, "-c", "import kumiki_engine; kumiki_engine.library()"], cwd=WORK / "build", check=True)


def test_tokens_are_rows(board: Board) -> None:
    """The engine has 5 tokens as 5 pixels; what the program reads and gets are rows of channels."""
    made = kumiki("compile", f"{TOKENS}.onnx", "--for", "build.json", "-o", "tokens.engine")
    assert made.returncode == 0, made.stderr
    tokens = engine(board).load(WORK / "tokens.engine")
    assert (tokens.inputs[0].shape, tokens.outputs[0].shape) == ((5, 1, 7), (5, 1, 4))
    x, wanted = np.load(f"{TOKENS}.in.npy")[:6], np.load(f"{TOKENS}.out.npy")[:6]  # onnxruntime's
    np.testing.assert_array_equal(tokens.predict(x.reshape(6, 5, 1, 7)).reshape(6, 5, 4), wanted)


def test_through_pynq(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    pynq = Pynq(board)
    monkeypatch.setitem(sys.modules, "pynq", pynq)
    x = RNG.random((2, 64), np.float32)
    with host.Engine.pynq(board, 1 << 14, looks=5000) as one:
        np.testing.assert_array_equal(one.load(WORK / "digits_mlp.engine").predict(x), judged("digits_mlp", x))
    assert pynq.freed == pynq.taken


def test_what_is_left_runs_under_onnxruntime(board: Board) -> None:
    """A model in parts: a convolution on the engine, a softmax that no engine has, and a dense layer on the engine."""
    model = half_a_model(WORK / "half.onnx")
    made = kumiki("compile", "half.onnx", "--for", "build.json", "--partition", "-o", "half")
    assert made.returncode == 0, made.stderr
    assert "on the engine: 100.0 %" in made.stdout and "1 Softmax" in made.stdout
    sys.path.insert(0, str(WORK / "half"))
    parts = importlib.import_module("kumiki_session")
    x = RNG.random((3, 2, 4, 4), np.float32)
    wanted = exact.session(model).run(None, {"x": x})
    session = parts.Session(engine(board))
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], wanted[0])
    board.ask("stall")
    with pytest.raises(host.EngineError):
        session.run(None, {"x": x})
    one = parts.Session(parts.Simulated("native", os.environ["KUMIKI_PROGRAM"]))
    np.testing.assert_array_equal(one.run(None, {"x": x})[0], wanted[0])


FLAGS = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-O2", "-shared", "-fPIC")
START, STATUS = 16, 20  # registers


def test_parts_are_operators(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same model as one session of onnxruntime: a library has the parts, simulated and on the netlist of the engine."""
    model = half_a_model(WORK / "whole.onnx")
    made = kumiki("compile", "whole.onnx", "--for", "build.json", "--partition", "-o", "whole")
    assert made.returncode == 0, made.stderr
    parts = WORK / "whole"
    library = parts / "libkumiki_parts.so"
    sources = [str(parts / f"kumiki_{name}.c") for name in ("parts", "engine", "map")]
    subprocess.run(["cc", *FLAGS, "-o", str(library), *sources], check=True)
    pages = parts / "libpages.so"
    subprocess.run(["cc", *FLAGS, f"-I{parts}", "-Wl,--allow-multiple-definition", "-o", str(pages),
                    str(HERE / "board_pages.c"), *sources], check=True)
    x = RNG.random((3, 2, 4, 4), np.float32)
    wanted = exact.session(model).run(None, {"x": x})[0]

    def session(of: pathlib.Path = library, **entries: Any) -> Any:
        return exact.session(str(parts / "model.onnx"), of, **entries)

    def refused(message: str, of: pathlib.Path = library, **entries: Any) -> None:
        with pytest.raises(Exception, match=message):
            session(of, **entries)

    (WORK / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(WORK / "temporary"))
    for machine in ("definition", "native"):
        one = session(simulate=machine, program=os.environ["KUMIKI_PROGRAM"])
        np.testing.assert_array_equal(one.run(None, {"x": x})[0], wanted)
        assert one.run(None, {"x": x[:0]})[0].shape == (0, 5)
    assert not list((WORK / "temporary").glob("kumiki_parts_*")), "files of a simulation are left"
    lost = session(simulate="native", program="./none")
    with pytest.raises(Exception, match="Part_0: ./none run has failed: it cannot be started"):
        lost.run(None, {"x": x})
    refused("nothing runs the parts: add kumiki.registers.* or kumiki.simulate; before the library")
    refused("nothing runs the parts", registers="r", memory="m", bytes=4096)
    refused('kumiki.simulate: "nativ"; write definition, native, verilator or model', simulate="nativ")

    on_board = behind_pages(pages, board)
    np.testing.assert_array_equal(session(pages, **on_board).run(None, {"x": x})[0], wanted)
    refused('kumiki.address: "0x4z" is no number up to', pages, **{**on_board, "address": "0x4z"})
    refused("kumiki.looks: .* up to 4294967295", pages, **{**on_board, "looks": 1 << 32})
    refused(r"kumiki.bytes: the memory has 4096 bytes; up to \S+part_0.engine it needs", pages, **{**on_board, "bytes": 4096})
    refused("kumiki.registers: registers: No such file", pages, **{**on_board, "interrupt": 5})
    refused("kumiki.registers: 4096 bytes of registers cannot be mapped: No such file", **on_board)
    one = session(pages, **on_board)
    board.ask("stall")
    with pytest.raises(Exception, match="Part_0: the engine: a network is under way|Part_0: the engine: the reset"):
        one.run(None, {"x": x})

    # A model that is older than its parts, a part that is damaged, and none.
    simulated: dict[str, Any] = {"simulate": "definition", "program": os.environ["KUMIKI_PROGRAM"]}
    older = onnx.load(str(parts / "model.onnx"))
    node = next(n for n in older.graph.node if n.domain == "kumiki")
    node.attribute[0].ints[0] += 1
    with pytest.raises(Exception, match="shape_0 of model.onnx has 64 numbers, part_0.engine has 48; compile the model again"):
        exact.session(older.SerializeToString(), library, **simulated)
    (parts / "part_1.engine").write_bytes((parts / "part_1.engine").read_bytes()[:-1])
    refused("part_1.engine: .*damaged", **simulated)
    (parts / "part_0.engine").unlink()
    refused("part_0.engine: No such file or directory; this library stays beside the parts", **simulated)


def behind_pages(library: pathlib.Path, board: Board) -> dict[str, Any]:
    """The board behind what the library maps: entries of a session. The memory goes there when the engine starts, and
    comes back when it has ended."""
    stand_in = ctypes.CDLL(str(library))
    memory = np.full(1 << 16, 0xEE, np.uint8)

    def read(offset: int) -> int:
        value = board.read(offset)
        if offset == STATUS and value & 6:
            memory[:] = np.frombuffer(board.peek(0, memory.size), np.uint8)
        return value

    def write(offset: int, value: int) -> None:
        if offset == START and value & 1:
            board.poke(0, memory.tobytes())
        board.write(offset, value)

    called: tuple[Any, ...] = (ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(read),
                               ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)(write))
    KEPT.extend([memory, *called])
    for name, value in (("board_read", called[0]), ("board_write", called[1])):
        ctypes.c_void_p.in_dll(stand_in, name).value = ctypes.cast(value, ctypes.c_void_p).value
    ctypes.c_void_p.in_dll(stand_in, "board_memory").value = memory.ctypes.data
    ctypes.c_uint64.in_dll(stand_in, "board_bytes").value = memory.size
    return {"registers": "registers", "memory": "memory", "address": hex(Board.base), "bytes": memory.size, "looks": 5000}


KEPT: list[Any] = []  # what C has addresses of


def half_a_model(file: pathlib.Path) -> str:
    """Quantised by hand: conv, softmax, dense."""
    constants: list[Any] = []

    def constant(name: str, value: Any) -> str:
        constants.append(onnx.numpy_helper.from_array(np.asarray(value), name))
        return name

    def quantised(nodes: list[Any], name: str, scale: float, zero: int) -> str:
        ends = [constant(f"{name}_s", np.float32(scale)), constant(f"{name}_z", np.uint8(zero))]
        nodes += [onnx.helper.make_node("QuantizeLinear", [name, *ends], [f"{name}_q"]),
                  onnx.helper.make_node("DequantizeLinear", [f"{name}_q", *ends], [f"{name}_d"])]
        return f"{name}_d"

    def weights(nodes: list[Any], name: str, shape: tuple[int, ...]) -> str:
        nodes.append(onnx.helper.make_node("DequantizeLinear", [
            constant(name, RNG.integers(-128, 128, shape, dtype=np.int8)), constant(f"{name}_s", np.float32(1 / 128)),
            constant(f"{name}_z", np.int8(0))], [f"{name}_d"]))
        return f"{name}_d"

    nodes: list[Any] = []
    x = quantised(nodes, "x", 1 / 255, 0)
    nodes.append(onnx.helper.make_node("Conv", [x, weights(nodes, "k", (3, 2, 3, 3))], ["maps"], pads=[1, 1, 1, 1]))
    nodes.append(onnx.helper.make_node("Softmax", [quantised(nodes, "maps", 1 / 32, 128)], ["soft"], axis=1))
    nodes.append(onnx.helper.make_node("Flatten", [quantised(nodes, "soft", 1 / 255, 0)], ["flat"]))
    flat = quantised(nodes, "flat", 1 / 255, 0)
    nodes.append(onnx.helper.make_node("MatMul", [flat, weights(nodes, "d", (48, 5))], ["made"]))
    y = quantised(nodes, "made", 1 / 16, 128)
    graph = onnx.helper.make_graph(nodes, "half", [onnx.helper.make_tensor_value_info("x", 1, ["n", 2, 4, 4])],
                                   [onnx.helper.make_tensor_value_info(y, 1, ["n", 5])], constants)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)], ir_version=9), file)
    return str(file)


def test_mapped_files() -> None:
    """Registers that are a file: they are no engine's."""
    (WORK / "registers").write_bytes(bytes(4096))
    (WORK / "memory").write_bytes(bytes(1 << 16))
    with pytest.raises(host.EngineError, match="not those of an engine"):
        host.Engine.mapped(str(WORK / "registers"), str(WORK / "memory"), 0x1000, 1 << 16)
    with pytest.raises(OSError, match="cannot be mapped"):
        host.Engine.mapped(str(WORK / "none"), str(WORK / "memory"), 0x1000, 1 << 16)


def test_what_cannot_be(board: Board) -> None:
    small = engine(board, 1 << 13)
    with pytest.raises(ValueError, match="the memory has 8192 bytes; with this network it needs"):
        small.load(WORK / "fashion_cnn.engine")
    digits = small.load(WORK / "digits_mlp.engine")
    before = board.reads
    for wrong, message in ((np.zeros(63, int), r"the shape of \S+ is \(63,\); it must be \(64,\), or of n images \(n, 64\)"),
                           (np.zeros(64), "must be integers"), (np.full(64, 256), "must be 0 to 255"),
                           (np.full(64, -1), "must be 0 to 255")):
        with pytest.raises(ValueError, match=message):
            digits.run(wrong)
    with pytest.raises(ValueError, match="2 inputs are given; the network has 1"):
        digits.run(np.zeros(64, int), np.zeros(64, int))
    with pytest.raises(ValueError, match="not a number"):
        digits.predict(np.full(64, np.nan))
    assert board.reads == before, "nothing has moved"
    (WORK / "damaged.engine").write_bytes((WORK / "digits_mlp.engine").read_bytes()[:-1])
    with pytest.raises(host.EngineError, match="damaged"):
        small.load(WORK / "damaged.engine")
    with pytest.raises(host.EngineError, match="no program"):
        small.load(WORK / "build.json")
    with pytest.raises(ValueError, match="bytes in one piece"):
        host.Engine(board.read, board.write, np.zeros((2, 2), np.uint8), 0)


def test_a_program_for_another_build(board: Board) -> None:
    (WORK / "other.json").write_text(json.dumps({"kumiki": 1, "name": "o", "layers": [{**BUILD, "places": 2048}]}))
    assert kumiki("compile", str(MODELS / "digits_mlp.onnx"), "--for", "other.json", "-o", "other.engine").returncode == 0
    with pytest.raises(host.EngineError, match="compile it for this one"):
        engine(board).load(WORK / "other.engine")


def test_what_the_driver_says_is_an_error(board: Board) -> None:
    one = engine(board, looks=40)
    digits = one.load(WORK / "digits_mlp.engine")
    board.ask("stall")
    with pytest.raises(host.EngineError, match="a network is under way"):
        digits.run(np.zeros(64, int))
    with pytest.raises(host.EngineError, match="that of its pin"):
        one.reset()


def test_an_error_of_the_program_comes_through_c(board: Board) -> None:
    def broken(offset: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        host.Engine(broken, board.write, np.zeros(4096, np.uint8), 0)
