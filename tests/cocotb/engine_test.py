# SPDX-License-Identifier: Apache-2.0
"""An engine, its driver, and a foreign AXI4 memory and AXI4-Lite master (engine_bench.py), under Icarus."""

from __future__ import annotations

import os
import pathlib

import numpy as np
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from bench import Written
from handed_over import KUMIKI, ROOT

HERE = pathlib.Path(__file__).resolve().parent
MODEL = ROOT / "tests/gen/onnx/operators/tokens_u8"  # a dense layer on five tokens
ENGINE = {"type": "engine", "name": "e", "rows": 8, "columns": 4, "places": 1024, "ring": 64, "ports": "memory"}
IMAGES = 6 if os.environ.get("KUMIKI_LONG") else 1


def test_between_foreign_ports(written: Written) -> None:
    written.generate({"name": "build", "layers": [ENGINE]}, "--driver")
    status, said = written.run(KUMIKI, "compile", f"{MODEL}.onnx", "--for", "out.json", "-o", "net.engine")
    assert status == 0, said
    images, wanted = np.load(f"{MODEL}.in.npy")[:IMAGES], np.load(f"{MODEL}.out.npy")[:IMAGES]  # onnxruntime's
    np.save(written.folder / "images.npy", images.reshape(IMAGES, 5, 1, 7))
    np.save(written.folder / "wanted.npy", wanted.reshape(IMAGES, 5, 1, 4))

    out = written.folder / "out"
    sources = [out / line for line in (out / "build_sim.f").read_text().split()]
    runner = get_runner("icarus")
    build = written.folder / "build"
    runner.build(sources=[*sources, HERE / "engine_pins.v"], hdl_toplevel="engine_pins", build_dir=build,
                 timescale=("1ns", "1ps"))
    settings = {"KUMIKI_ENGINE": str(written.folder), "PYTHONPATH": str(HERE),
                "KUMIKI_SEED": os.environ.get("KUMIKI_SEED", "1")}
    results = runner.test(hdl_toplevel="engine_pins", test_module="engine_bench", build_dir=build,
                          test_dir=written.folder, extra_env=settings)
    assert get_results(results) == (3, 0)
