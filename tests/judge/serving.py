# SPDX-License-Identifier: Apache-2.0
"""Simulated engines behind one queue, on loopback: answers are onnxruntime's, N engines take a part of N of the clocks
each, and an engine that dies takes one request with it.

usage: serving.py KUMIKI PARTS MODEL.onnx
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Iterator

import grpc
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/models"))
import exact  # type: ignore[import-not-found]  # noqa: E402

REQUESTS = 12
LIMIT = 300  # seconds


class Client:
    def __init__(self, address: str) -> None:
        self._channel = grpc.insecure_channel(address, [("grpc.enable_http_proxy", 0)])  # it is this machine
        self._run = self._channel.unary_unary("/kumiki.Engines/Run")
        self._count = self._channel.unary_unary("/kumiki.Engines/Count")

    def send(self, feed: dict[str, Any]) -> Any:
        file = io.BytesIO()
        np.savez(file, **feed)
        return self._run.future(file.getvalue(), timeout=LIMIT)

    def count(self) -> list[dict[str, Any]]:
        counts: list[dict[str, Any]] = json.loads(self._count(b"", timeout=LIMIT))
        return counts


def answer_of(future: Any) -> dict[str, Any]:
    with np.load(io.BytesIO(future.result())) as file:
        return {name: file[name] for name in file.files}


@contextlib.contextmanager
def served(kumiki: str, parts: str, engines: int) -> Iterator[Client]:
    command = [sys.executable, str(ROOT / "examples/serving/server.py"), parts, "--program", kumiki, "--engines", str(engines)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            first = server.stdout.readline()
            expect(first.startswith(f"{engines} engines on 127.0.0.1:"), f"the server says {first!r}")
            yield Client(first.split()[-1])
        finally:
            server.terminate()


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        sys.exit(f"serving.py: {otherwise}")


class Judge:
    def __init__(self, model: str) -> None:
        self._session = exact.session(model)
        inputs = self._session.get_inputs()
        random = np.random.default_rng(int(os.environ.get("KUMIKI_SEED", "1")))
        self.feeds = [{i.name: random.random((1, *i.shape[1:]), np.float32) for i in inputs} for _ in range(REQUESTS)]
        self._wanted = [dict(zip([o.name for o in self._session.get_outputs()], self._session.run(None, f)))
                        for f in self.feeds]

    def expect_equal(self, number: int, answer: dict[str, Any]) -> None:
        wanted = self._wanted[number]
        expect(answer.keys() == wanted.keys(), f"the outputs are {list(answer)}; they must be {list(wanted)}")
        for name, numbers in wanted.items():
            expect(np.array_equal(answer[name], numbers), f"request {number}: {name} is not onnxruntime's")


def clocks_of(kumiki: str, parts: str, judge: Judge, engines: int) -> int:
    """The clocks of each engine, which are the same for all."""
    with served(kumiki, parts, engines) as client:
        for number, future in enumerate([client.send(feed) for feed in judge.feeds]):
            judge.expect_equal(number, answer_of(future))
        counts = client.count()
    expect(len(counts) == engines, f"{len(counts)} engines count")
    for one in counts:
        expect(one["requests"] == REQUESTS // engines, f"of {REQUESTS} requests, engine {one['engine']} of {engines} answered "
                                                       f"{one['requests']}")
    clocks = {one["clocks"] for one in counts}
    expect(len(clocks) == 1 and min(clocks) > 0, f"the engines took {sorted(clocks)} clocks")
    print(f"{engines} engines: {REQUESTS} requests in {min(clocks):,} simulated clocks of each")
    return int(min(clocks))


def expect_death_of_one(kumiki: str, parts: str, judge: Judge) -> None:
    with served(kumiki, parts, 2) as client:
        process = client.count()[1]["process"]
        os.kill(process, signal.SIGSTOP)  # so that it has a request when it dies
        futures = [client.send(feed) for feed in judge.feeds]
        answered = threading.Event()  # by engine 0, whichever request it was given; requests may overtake each other
        for future in futures:
            future.add_done_callback(lambda _: answered.set())
        try:
            expect(answered.wait(LIMIT), f"no request is answered within {LIMIT} seconds")
        finally:
            os.kill(process, signal.SIGKILL)
        lost = []
        for number, future in enumerate(futures):
            if future.exception() is None:
                judge.expect_equal(number, answer_of(future))
                continue
            expect(future.code() == grpc.StatusCode.UNAVAILABLE, f"request {number}: {future.code()}")
            expect("engine 1 has ended with exit code -9; send the request again" in future.details(), future.details())
            lost.append(number)
        expect(len(lost) == 1, f"the engine that died took the requests {lost} with it; it must be one")
        judge.expect_equal(lost[0], answer_of(client.send(judge.feeds[lost[0]])))
        # What a session refuses is the client's; the engine goes on.
        name = next(iter(judge.feeds[0]))
        refused = client.send({name: judge.feeds[0][name][:, :1]})
        expect(refused.exception() is not None and refused.code() == grpc.StatusCode.INVALID_ARGUMENT,
               "an image of another shape is answered")
        judge.expect_equal(1, answer_of(client.send(judge.feeds[1])))
        alive, dead = client.count()
        expect(alive["is_alive"] and not dead["is_alive"], f"one engine must be alive: {alive}, {dead}")
        expect(alive["requests"] + dead["requests"] == REQUESTS + 1, f"answers are missing: {alive}, {dead}")
        # Nobody waits for engines that are gone.
        os.kill(alive["process"], signal.SIGKILL)
        begun = time.monotonic()
        for text in ("engine 0 has ended with exit code -9", "no engine is left"):
            last = client.send(judge.feeds[0])
            expect(last.exception() is not None and last.code() == grpc.StatusCode.UNAVAILABLE and text in last.details(),
                   f"without an engine: {last.exception()}")
        expect(time.monotonic() - begun < LIMIT / 2, "the refusals took too long")
    print(f"an engine that dies: request {lost[0]} failed and was sent again, {REQUESTS - 1} others were answered")


def main() -> None:
    kumiki, parts, model = sys.argv[1:]
    judge = Judge(model)
    alone = clocks_of(kumiki, parts, judge, 1)
    for engines in (2, 4):
        clocks = clocks_of(kumiki, parts, judge, engines)
        expect(clocks * engines == alone, f"{engines} engines took {clocks} clocks each; one alone took {alone}")
    expect_death_of_one(kumiki, parts, judge)


if __name__ == "__main__":
    main()
