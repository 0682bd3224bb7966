# SPDX-License-Identifier: Apache-2.0
"""The module that `kumiki gen --driver` writes, from numpy arrays to numpy arrays on a board that is a program."""

from __future__ import annotations

import ast
import importlib
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from pynq_stand_in import DMA, Board, Pynq
from serial_line import Line

if TYPE_CHECKING:
    import n_host as host

WORK = pathlib.Path(os.environ["KUMIKI_WORK"])
RNG = np.random.default_rng(int(os.environ.get("KUMIKI_SEED", 1)))

# Two channels of 4 x 4; a convolution of 1 x 1 that is pooled, a dense layer.
KERNELS = np.array([[3, -2], [-5, 7], [6, 4]])
BIAS = np.array([40, -90, 5])
DENSE = np.array([[(5 * r + 3 * c) % 17 - 8 for c in range(12)] for r in range(5)])
DENSE_BIAS = np.array([1, -2, 3, -4, 5])
STEPS: list[tuple[str, list[float]]] = [("minus", [0.5, -0.25]), ("over", [0.375]), ("from", [1.0])]
NETWORK = f"""graph net
tensor x u8 2x4x4 scale 0x1.8p-4 zero 19
tensor y u8 3x4x4 scale 0x1p-3 zero 7
tensor p u8 3x2x2 scale 0x1p-3 zero 7
tensor f u8 12x1x1 scale 0x1p-3 zero 7
tensor z s8 5x1x1 scale 0x1.4p-1 zero -4
input x
output z
{chr(10).join(f"prepare {name} {' '.join(v.hex() for v in values)}" for name, values in STEPS)}
conv c x -> y kernel 1x1
  scales 0x1p-4
  bias {' '.join(map(str, BIAS))}
  weights {' '.join(map(str, KERNELS.ravel()))}
max_pool m y -> p kernel 2x2 stride 2x2
reshape r p -> f
conv d f -> z kernel 1x1
  scales 0x1p-6
  bias {' '.join(map(str, DENSE_BIAS))}
  weights {' '.join(map(str, DENSE.ravel()))}
"""


# The convolution alone, with all channels of a pixel in a word.
WIDE = """graph wide
tensor x u8 2x4x4 scale 0x1.8p-4 zero 19
tensor y u8 3x4x4 scale 0x1p-3 zero 7
input x
output y
""" + NETWORK[NETWORK.index("conv c"):NETWORK.index("max_pool")]


def convolved(images: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """In numpy: sums of products, to the nearest with ties to even, clipped."""
    sums = np.einsum("oc,ncrs->nors", KERNELS, images.astype(np.int64) - 19) + BIAS[:, None, None]
    maps: npt.NDArray[np.int64] = np.clip(np.rint(sums * 2.0**-4) + 7, 0, 255).astype(np.int64)
    return maps


def defined(images: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The whole network."""
    pooled = convolved(images).reshape(-1, 3, 2, 2, 2, 2).max(axis=(3, 5)).reshape(-1, 12)
    logits = (pooled - 7) @ DENSE.T + DENSE_BIAS
    results: npt.NDArray[np.int64] = np.clip(np.rint(logits * 2.0**-6) - 4, -128, 127).astype(np.int64)
    return results.reshape(-1, 5, 1, 1)


def images(count: int) -> npt.NDArray[np.uint8]:
    return RNG.integers(0, 256, (count, 2, 4, 4), dtype=np.uint8)


def generated(name: str, layers: list[dict[str, Any]], **more: Any) -> Any:
    """The module that the program writes for these layers."""
    folder = WORK / name
    (WORK / f"{name}.json").write_text(json.dumps({"kumiki": 1, "name": name, "layers": layers, **more}))
    subprocess.run([os.environ["KUMIKI_PROGRAM"], "gen", f"{name}.json", "--axi-stream", "--driver", "-o", folder], cwd=WORK,
                   check=True, stdout=subprocess.DEVNULL)
    sys.path.insert(0, str(folder))
    return importlib.import_module(f"{name}_host")


PIPELINE = {"type": "dataflow", "name": "s", "graph": "net.graph", "clocks": 128, "input_last": True}


@pytest.fixture(scope="session", autouse=True)
def module() -> None:
    (WORK / "net.graph").write_text(NETWORK)
    globals()["host"] = generated("n", [PIPELINE])


@pytest.fixture
def board() -> Iterator[Board]:
    one = Board(os.environ["KUMIKI_BOARD"], str(WORK / "n.json"))
    yield one
    one.close()


def driver_dma(board: Board, size: int = 1 << 12, offset: int = 0, of: Any = None, **more: Any) -> host.DriverDma:
    """By the driver of a module. The program has a cache of the board's memory."""
    memory = np.full(size, 0xEE, np.uint8)

    def to_device(at: int, count: int) -> None:
        board.poke(offset + at, memory[at:at + count].tobytes())

    def from_device(at: int, count: int) -> None:
        memory[at:at + count] = np.frombuffer(board.peek(offset + at, count), np.uint8)

    settings: dict[str, Any] = {"alignment": 4, "looks": 400, "to_device": to_device, "from_device": from_device, **more}
    made: host.DriverDma = (of or host).DriverDma(board.read, board.write, memory, Board.base + offset, **settings)
    return made


def test_integers_through_the_driver(board: Board) -> None:
    network = host.Network(driver_dma(board))
    assert (network.input.shape, network.output.shape) == ((2, 4, 4), (5, 1, 1))
    x = images(7)
    results = network.run(x)
    assert results.dtype == np.int64
    np.testing.assert_array_equal(results, defined(x))
    assert len(np.unique(results)) > 8, "results that show something"
    # One frame without an axis of frames; none; any kind of integer, in any order in memory.
    np.testing.assert_array_equal(network.run(x[3]), defined(x)[3])
    assert network.run(x[:0]).shape == (0, 5, 1, 1)
    np.testing.assert_array_equal(network.run(np.asfortranarray(x.astype(np.int64))), defined(x))
    np.testing.assert_array_equal(network.run(x[::-2].tolist()), defined(x[::-2]))


def test_memory_for_two_frames_at_a_time(board: Board) -> None:
    frame = host.LAYERS["s"].input.frame_bytes
    strides = -(-frame // 4) * 4 + -(-host.LAYERS["s"].output.frame_bytes // 4) * 4
    x = images(5)
    np.testing.assert_array_equal(host.Network(driver_dma(board, 2 * strides + 3, 0x100)).run(x), defined(x))
    with pytest.raises(ValueError, match=rf"memory: {strides - 1} bytes, a frame and its result take {strides}"):
        host.Network(driver_dma(board, strides - 1)).run(x)


def quantised_by_onnx(x: npt.NDArray[np.float32], scale: float, zero: int) -> npt.NDArray[Any]:
    """Every step of the preparation and QuantizeLinear, by onnxruntime."""
    operators = {"plus": "Add", "minus": "Sub", "times": "Mul", "over": "Div"}
    nodes, values, at = [], [], "x"
    for i, (name, numbers) in enumerate(STEPS):
        shape = (-1, 1, 1) if len(numbers) > 1 else ()
        values.append(onnx.numpy_helper.from_array(np.array(numbers, np.float32).reshape(shape), f"by{i}"))
        inputs = [f"by{i}", at] if name == "from" else [at, f"by{i}"]
        nodes.append(onnx.helper.make_node("Sub" if name == "from" else operators[name], inputs, [f"t{i}"]))
        at = f"t{i}"
    values += [onnx.numpy_helper.from_array(np.array(scale, np.float32), "scale"),
               onnx.numpy_helper.from_array(np.array(zero, np.uint8), "zero")]
    nodes.append(onnx.helper.make_node("QuantizeLinear", [at, "scale", "zero"], ["q"]))
    graph = onnx.helper.make_graph(nodes, "g", [onnx.helper.make_tensor_value_info("x", 1, x.shape)],
                                   [onnx.helper.make_tensor_value_info("q", 2, x.shape)], values)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)], ir_version=9)
    answer: npt.NDArray[Any] = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    return answer


def test_real_numbers_are_those_of_onnxruntime(board: Board) -> None:
    network = host.Network(driver_dma(board))
    # Ties, the borders and far beyond them, and whatever comes.
    x = np.concatenate([RNG.normal(0, 3, (6, 2, 4, 4)), np.arange(-64, 64).reshape(4, 2, 4, 4) * 0.375 * 0.09375 / 2,
                        RNG.choice([-1e30, -40, 0, 40, 1e30], (2, 2, 4, 4))]).astype(np.float32)
    numbers = network.quantise(x)
    np.testing.assert_array_equal(numbers, quantised_by_onnx(x, 0.09375, 19))
    assert {0, 255} < set(numbers.ravel().tolist())
    answers = network.predict(x)
    assert answers.dtype == np.float32
    np.testing.assert_array_equal(answers, (defined(numbers) + 4).astype(np.float32) * np.float32(0.625))
    np.testing.assert_array_equal(network.predict(x[0]), answers[0])


def test_through_pynq(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    pynq = Pynq(board)
    monkeypatch.setitem(sys.modules, "pynq", pynq)
    dma = DMA(board)
    x = images(7)
    network = host.Network(host.PynqDma(dma, alignment=4, together=3))
    np.testing.assert_array_equal(network.run(x), defined(x))
    np.testing.assert_array_equal(network.run(x[2]), defined(x)[2])
    assert network.run(x[:0]).shape == (0, 5, 1, 1)
    assert sorted(pynq.freed) == pynq.taken, "every buffer was given back"
    # Another allocation; a frame that does not begin where the DMA wants it.
    other = Pynq(board)
    np.testing.assert_array_equal(host.Network(host.PynqDma(dma, allocate=other.allocate)).run(x), defined(x))
    assert len(other.taken) == 2
    assert host.LAYERS["s"].output.frame_bytes % 4, "the next line needs it"
    with pytest.raises(RuntimeError, match="unaligned"):
        host.Network(host.PynqDma(dma, alignment=1)).run(x)
    assert sorted(pynq.freed) == pynq.taken


def test_pynq_that_gives_too_little(board: Board) -> None:
    class Short:
        def __init__(self) -> None:
            self.transferred = 3

        def transfer(self, array: Any, start: int = 0, nbytes: int = 0) -> None: ...
        def wait(self) -> None: ...

    class Both:
        sendchannel, recvchannel = Short(), Short()

    pynq = Pynq(board)
    with pytest.raises(host.DmaError, match="the result has 3 bytes; it must have 5"):
        host.Network(host.PynqDma(Both(), allocate=pynq.allocate)).run(images(1))
    assert sorted(pynq.freed) == pynq.taken
    for alignment, together in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="must be at least 1"):
            host.PynqDma(Both(), alignment=alignment, together=together)


def test_numbers_that_cannot_be(board: Board) -> None:
    network = host.Network(driver_dma(board))
    before = board.reads
    for wrong, message in ((np.zeros((2, 4, 5), int), r"shape is \(2, 4, 5\); it must be \(2, 4, 4\), or \(n, 2, 4, 4\)"),
                           (np.zeros((1, 1, 2, 4, 4), int), "shape"), (np.zeros((2, 4, 4)), "must be integers"),
                           (np.full((2, 4, 4), 256), "must be 0 to 255"), (np.full((2, 4, 4), -1), "must be 0 to 255")):
        with pytest.raises(ValueError, match=message):
            network.run(wrong)
    with pytest.raises(ValueError, match="not a number"):
        network.predict(np.full((2, 4, 4), np.nan))
    with pytest.raises(ValueError, match="unknown layer other; use s"):
        host.Network(network.dma, "other")
    assert board.reads == before, "nothing has moved"
    with pytest.raises(ValueError, match="bytes in one piece"):
        host.DriverDma(board.read, board.write, np.zeros((2, 2), np.uint8), 0)


KERNEL = RNG.integers(-128, 128, (3, 2, 3, 3))
CONV = {"type": "conv2d", "name": "c", "in_channels": 2, "out_channels": 3, "height": 4, "width": 5, "kernel": [3, 3],
        "padding": 1, "slices": 16, "values": KERNEL.tolist()}


def test_a_layer_that_is_no_network_has_integers_only() -> None:
    conv = generated("conv", [CONV])
    board = Board(os.environ["KUMIKI_BOARD"], str(WORK / "conv.json"))
    network = conv.Network(driver_dma(board, 1 << 14, of=conv))
    assert (network.input.shape, network.output.shape) == ((2, 4, 5), (3, 4, 5))
    x = RNG.integers(-128, 128, (4, 2, 4, 5))
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), axis=(2, 3))
    np.testing.assert_array_equal(network.run(x), np.einsum("ncrsij,ocij->nors", windows, KERNEL))
    with pytest.raises(ValueError, match="the input has no scale"):
        network.predict(x)
    board.close()


def test_two_layers_of_a_netlist_have_names() -> None:
    both = generated("both", [PIPELINE, CONV])
    sent: list[npt.NDArray[np.uint8]] = []

    class Kept:
        def frames(self, frames: npt.NDArray[np.uint8], bytes_out: int) -> npt.NDArray[np.uint8]:
            sent.append(frames)
            return np.zeros((len(frames), bytes_out), np.uint8)

    with pytest.raises(ValueError, match="layer is missing; give one of s, c"):
        both.Network(Kept())
    assert both.Network(Kept(), "s").run(images(3)).shape == (3, 5, 1, 1)
    assert both.Network(Kept(), "c").run(np.ones((2, 4, 5), int)).shape == (3, 4, 5)
    assert [f.shape for f in sent] == [(3, both.LAYERS["s"].input.frame_bytes), (1, both.LAYERS["c"].input.frame_bytes)]


def test_without_a_scale_there_are_no_real_numbers(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = host.Tensor((2, 4, 4), 0, 255, 32)
    monkeypatch.setitem(host.LAYERS, "bare", host.Layer("n_s", tensor, tensor))
    network = host.Network(driver_dma(board), "bare")
    with pytest.raises(ValueError, match="the input has no scale"):
        network.quantise(np.zeros((2, 4, 4)))
    with pytest.raises(ValueError, match="the output has no scale"):
        network.dequantise(np.zeros((2, 4, 4), int))


def test_what_the_driver_says_is_an_error(board: Board) -> None:
    # Enough looks for a reset, and too few for a frame.
    dma = driver_dma(board, looks=5)
    with pytest.raises(host.DmaError, match="a time-out") as late:
        host.Network(dma).run(images(1))
    assert late.value.status == 16
    with pytest.raises(host.DmaError, match="a transfer is under way"):
        host.Network(dma).run(images(1))
    dma.reset()
    assert dma._driver.sent == dma._driver.received == 0
    with pytest.raises(host.DmaError, match="an address that is not aligned"):
        host.Network(driver_dma(board, offset=2)).run(images(1))
    with pytest.raises(host.DmaError, match="an argument that makes no sense"):
        driver_dma(board, alignment=3)
    board.ask("stall 0")
    with pytest.raises(host.DmaError, match="a time-out"):
        driver_dma(board)


def test_an_exception_of_a_register_passes_through_c(board: Board) -> None:
    calls = 0

    def read(offset: int) -> int:
        nonlocal calls
        calls += 1
        if calls > 40:
            raise KeyError("the bus is gone")
        return board.read(offset)

    network = host.Network(host.DriverDma(read, board.write, np.zeros(4096, np.uint8), Board.base, alignment=4, looks=10_000))
    with pytest.raises(KeyError, match="the bus is gone"):
        network.run(images(3))
    assert calls == 41, "nothing more is asked"


def test_registers_in_pages_of_files(tmp_path: pathlib.Path) -> None:
    registers, memory = tmp_path / "registers", tmp_path / "memory"
    registers.write_bytes(bytes(0x3000))
    memory.write_bytes(bytes(0x3000))
    # Nobody answers: the reset that was asked for never ends.
    with pytest.raises(host.DmaError, match="a time-out"):
        host.DriverDma.mapped(str(registers), str(memory), 0x1000, 0x1000, registers_at=0x1000, looks=10)
    assert registers.read_bytes()[0x1000:0x1004] == b"\4\0\0\0"
    with pytest.raises(OSError, match="cannot be mapped") as gone:
        host.DriverDma.mapped(str(tmp_path / "nothing"), str(memory), 0, 16)
    assert gone.value.errno == 2


SMALL = {"family": "7series"}  # which has boards without a processor


@pytest.fixture(scope="session")
def behind() -> Any:
    """The module of a netlist that has a serial line."""
    return generated("m", [PIPELINE], target=SMALL)


@pytest.fixture
def line(behind: Any) -> Iterator[Line]:
    one = Line(WORK / "m", "m", "-f", "m_sim.f")
    yield one
    one.close()


def test_a_serial_line(behind: Any, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    dma = behind.SerialDma(line)
    network = behind.Network(dma)
    given = images(2)
    assert np.array_equal(network.run(given), defined(given))
    # A frame that was cut, before a break and before the button.
    for again in (dma.reset, line.press):
        line.write(bytes(7))
        again()
        assert np.array_equal(network.run(given[0]), defined(given[:1])[0])
    assert not line.lost()
    with pytest.raises(behind.DmaError, match=r"the board has sent 5 of 6 bytes, and then none for 2.0 s; check the name"):
        dma.frames(given[:1].reshape(1, -1), 6)
    # pyserial opens a line by its name.
    opened = []

    class Serial:
        def Serial(self, name: str, baud: int) -> Line:
            opened.append((name, baud))
            return line

    monkeypatch.setitem(sys.modules, "serial", Serial())
    assert np.array_equal(behind.Network(behind.SerialDma("COM3", baud=9600)).run(given[1]), defined(given[1:])[0])
    assert opened == [("COM3", 9600)]


@pytest.mark.parametrize("period", [970, 1030])
def test_a_serial_line_of_another_clock(behind: Any, period: int) -> None:
    line, given = Line(WORK / "m", "m", "-f", "m_sim.f", period=period), images(1)
    assert np.array_equal(behind.Network(behind.SerialDma(line)).run(given), defined(given))
    assert not line.lost()
    line.close()


def test_a_serial_line_of_wide_words() -> None:
    (WORK / "wide.graph").write_text(WIDE)
    wide = generated("w", [{"type": "dataflow", "name": "s", "graph": "wide.graph", "clocks": 16}], target=SMALL)
    text = (WORK / "w" / "w_serial.v").read_text()
    assert "IN_BYTES = 16 / 8, OUT_BYTES = 24 / 8;" in text and "in_last" not in text
    assert not (WORK / "w" / "w_dma.tcl").exists(), "a DMA has no words of 3 bytes"
    line, given = Line(WORK / "w", "w", "-f", "w_sim.f"), images(2)
    assert np.array_equal(wide.Network(wide.SerialDma(line)).run(given), convolved(given))
    assert not line.lost()
    line.close()


def test_a_serial_line_loses_no_byte_in_silence(behind: Any, tmp_path: pathlib.Path) -> None:
    """A network that takes no word: the frame waits, and a byte more turns the light on."""
    (tmp_path / "m_serial.v").write_text((WORK / "m" / "m_serial.v").read_text())
    (tmp_path / "m.v").write_text(
        "module m(input clk, s_aresetn, s_s_axis_in_tvalid, s_s_axis_in_tlast, s_m_axis_out_tready,\n"
        "  input [7:0] s_s_axis_in_tdata, output s_s_axis_in_tready, s_m_axis_out_tvalid, s_m_axis_out_tlast, s_in_error,\n"
        "  output [7:0] s_m_axis_out_tdata);\n"
        "  assign s_s_axis_in_tready = 0, s_m_axis_out_tvalid = 0;\nendmodule\n")
    line = Line(tmp_path, "m", "m.v")
    dma = behind.SerialDma(line)
    line.write(bytes(32 + 2))  # in the memory, behind it, and as a word
    assert not line.lost()
    line.write(b"\1")
    assert line.lost()
    with pytest.raises(behind.DmaError, match="the board has sent 0 of 1 bytes"):
        dma.frames(np.zeros((1, 0), np.uint8), 1)
    assert line.lost()
    dma.reset()
    assert not line.lost()
    line.cut(1)
    assert line.lost()
    line.send_break(1)
    assert not line.lost()
    line.close()


def test_it_is_python_of_pynqs_images() -> None:
    ast.parse((WORK / "n" / "n_host.py").read_text(), feature_version=(3, 8))


def test_the_library_is_compiled_when_it_has_to_be(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = WORK / "n" / "libn_host.so"
    host.load()
    made = shared.stat().st_mtime_ns
    host.load()
    assert shared.stat().st_mtime_ns == made
    # A library of the module's own name would be taken for the module by the next program.
    subprocess.run([sys.executable, "-c", "import n_host; n_host.load()"], cwd=shared.parent, check=True)
    os.utime(WORK / "n" / "kumiki_dma.c", ns=(made + 1, made + 1))
    host.load()
    assert shared.stat().st_mtime_ns > made
    other = host.build(tmp_path / "other.so")
    host.load(other)
    with pytest.raises(RuntimeError, match="false -std=c99.*: exit 1"):
        host.build(tmp_path / "none.so", compiler="false")
    monkeypatch.setattr(host, "_Buffer", host._Mapping)
    monkeypatch.setattr(host, "_Mapping", host._Driver)
    with pytest.raises(RuntimeError, match="compiled for another machine"):
        host.load(other)
