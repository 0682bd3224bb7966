# SPDX-License-Identifier: Apache-2.0
"""Long work leaves the interpreter to others, and Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import kumiki
import numpy as np
import pytest

# Long enough to be seen, whatever the machine: a search over minutes that nobody waits for.
LONG: dict[str, Any] = {"kumiki": 1, "name": "n", "layers": [
    {"type": "compressor", "name": "c", "operands": [{"count": 40, "bits": 9}], "effort": 5}]}


def interrupt_once_under_way(what: str, seen: list[str]) -> threading.Thread:
    """Ctrl-C as soon as the library says that it is at work; this thread runs meanwhile."""

    def watch() -> None:
        end = time.monotonic() + 60
        while what not in kumiki.activity() and time.monotonic() < end:
            time.sleep(0.005)
        seen.append(kumiki.activity())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_ctrl_c_ends_a_plan_and_what_comes_next_goes_on(tmp_path: Any) -> None:
    seen: list[str] = []
    for _ in range(2):
        thread = interrupt_once_under_way("planning", seen)
        with pytest.raises(KeyboardInterrupt):
            kumiki.load(LONG, cache=tmp_path)
        thread.join()
    assert len(seen) == 2
    assert kumiki.load({"kumiki": 1, "name": "n", "layers": [{"type": "popcount", "bits": 4}]}).counts.luts > 0


def test_a_handler_of_the_program_is_called() -> None:
    class Enough(Exception):
        pass

    def handler(*_: Any) -> None:
        raise Enough

    before = signal.signal(signal.SIGINT, handler)
    try:
        thread = interrupt_once_under_way("planning", [])
        with pytest.raises(Enough):
            kumiki.load(LONG)
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_go_on() -> None:
    """A counter in another thread of Python moves while the main thread is inside of a long call; a call that held the
    lock would let it move once at most, however long it is."""
    conv = kumiki.load({"kumiki": 1, "name": "n", "layers": [
        {"type": "conv2d", "name": "l", "in_channels": 8, "height": 8, "width": 8, "out_channels": 8,
         "kernel": [3, 3], "rows": 8, "columns": 2, "weights_from": "random", "seed": 1}]})
    layer = conv["l"]
    inside = threading.Event()
    counted = 0
    stop = False

    def count() -> None:
        nonlocal counted
        while not stop:
            if inside.is_set():
                counted += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        for call in (layer.predict, layer.run):
            sets = 16
            counted = 0
            while counted < 5:
                assert sets < 5000
                x = np.ones((sets, 8, 8, 8), np.int8)
                counted = 0
                inside.set()
                call(x)
                inside.clear()
                sets *= 2
    finally:
        stop = True
        thread.join()


def test_several_threads_at_once() -> None:
    layer = kumiki.load({"kumiki": 1, "name": "n", "layers": [
        {"type": "const_dot", "name": "d", "bits": 8, "effort": 0, "signed": False, "weights": [3, -5, 7]}]})["d"]
    x = np.random.default_rng(3).integers(0, 256, (400, 3))
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(layer.run(x))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 4
    for r in results:
        np.testing.assert_array_equal(r, x @ np.array([[3], [-5], [7]]))
