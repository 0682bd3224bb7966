# SPDX-License-Identifier: Apache-2.0
"""Engines behind one queue: a gRPC server for a model of `kumiki compile --partition`.

    pip install -r ../walkthrough/requirements.txt -r requirements.txt
    python server.py PARTS --engines 4

Every engine has a process of its own. Requests wait in one queue, and the first one goes to the engine that is free. An
engine whose process ends answers its request with UNAVAILABLE; the others go on.

`kumiki.Engines/Run` takes the inputs as an .npz file and returns the outputs as one. `kumiki.Engines/Count` says as JSON
how many requests each engine has answered, and how many clocks it took.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import io
import json
import multiprocessing
import pathlib
import sys
import threading
from typing import Any, Optional

import grpc
import numpy as np

MOST_BYTES = 1 << 28  # of a request or an answer
MOST_WAITING = 64  # requests with a thread of their own; gRPC holds those behind them


def engine_of(number: int, machine: str, program: str) -> Any:
    """The engine of a process. On a board: Engine.mapped(f"/dev/uio{number}", ...) of kumiki_engine."""
    import kumiki_session

    return kumiki_session.Simulated(machine, program)


def serve_engine(pipe: Any, parts: str, number: int, machine: str, program: str) -> None:
    """What the process of an engine does. Its answers are (what is wrong, outputs, clocks so far)."""
    sys.path.insert(0, parts)
    import kumiki_session

    try:
        engine = engine_of(number, machine, program)
        session = kumiki_session.Session(engine)
    except Exception as error:  # noqa: BLE001
        pipe.send((f"engine {number}: {error}", b"", 0))
        return
    pipe.send(("", b"", 0))
    while True:
        try:
            request = pipe.recv_bytes()
        except EOFError:  # the server has ended
            return
        wrong, answer = "", b""
        try:
            with np.load(io.BytesIO(request)) as feed:
                outputs = session.run(None, {name: feed[name] for name in feed.files})
            file = io.BytesIO()
            np.savez(file, **dict(zip(session.outputs, outputs)))
            answer = file.getvalue()
        except Exception as error:  # noqa: BLE001
            wrong = f"{type(error).__name__}: {error}"
        pipe.send((wrong, answer, engine.clocks))


class Ended(RuntimeError):
    """The process of an engine has ended, or no engine is left."""


class Worker:
    """An engine as the server sees it."""

    def __init__(self, number: int, *engine: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        parts, *others = engine
        self._process = context.Process(target=serve_engine, args=(theirs, parts, number, *others), daemon=True)
        self._process.start()
        theirs.close()
        self.number, self.frames, self.clocks, self.is_busy, self.is_alive = number, 0, 0, False, True

    def wait_until_ready(self) -> None:
        wrong = self._answer()[0]
        if wrong:
            raise Ended(wrong)

    def run(self, request: bytes) -> tuple[str, bytes]:
        try:
            self._pipe.send_bytes(request)
        except OSError:
            raise self._ended() from None
        wrong, answer, self.clocks = self._answer()
        self.frames += not wrong
        return wrong, answer

    def count(self) -> dict[str, Any]:
        return {"engine": self.number, "process": self._process.pid, "is_alive": self.is_alive, "requests": self.frames,
                "clocks": self.clocks}

    def _answer(self) -> Any:
        try:
            return self._pipe.recv()
        except (EOFError, OSError):
            raise self._ended() from None

    def _ended(self) -> Ended:
        self._process.join()
        return Ended(f"engine {self.number} has ended with exit code {self._process.exitcode}; send the request again")


class Queue:
    """Requests take numbers. The next one goes to the idle engine with the fewest clocks, unless a busy one has fewer: how
    fast a simulation is says nothing about its engine, so the clocks decide which would be free first. Engines that
    count no clocks have 0, and every idle one is free."""

    def __init__(self, workers: list[Worker]) -> None:
        self.workers = workers
        self._changed = threading.Condition()
        self._taken = self._next = 0

    def run(self, request: bytes) -> tuple[str, bytes]:
        worker = self._wait()
        try:
            return worker.run(request)
        except Ended:
            worker.is_alive = False
            raise
        finally:
            with self._changed:
                worker.is_busy = False
                self._changed.notify_all()

    def _wait(self) -> Worker:
        with self._changed:
            number, self._taken = self._taken, self._taken + 1
            self._changed.wait_for(lambda: number == self._next and (self._is_over() or self._free() is not None))
            self._next += 1
            self._changed.notify_all()
            worker = self._free()
            if worker is None:
                raise Ended("no engine is left; start the server again")
            worker.is_busy = True
            return worker

    def _is_over(self) -> bool:
        return not any(w.is_alive for w in self.workers)

    def _free(self) -> Optional[Worker]:
        alive = [w for w in self.workers if w.is_alive]
        first = min(alive, key=lambda w: (w.clocks, w.is_busy), default=None)
        return None if first is None or first.is_busy else first


def handler_of(queue: Queue) -> Any:
    def run(request: bytes, context: Any) -> bytes:
        try:
            wrong, answer = queue.run(request)
        except Ended as ended:
            context.abort(grpc.StatusCode.UNAVAILABLE, str(ended))
        if wrong:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, wrong)
        return answer

    def count(request: bytes, context: Any) -> bytes:
        return json.dumps([w.count() for w in queue.workers]).encode()

    return grpc.method_handlers_generic_handler(
        "kumiki.Engines", {"Run": grpc.unary_unary_rpc_method_handler(run),
                           "Count": grpc.unary_unary_rpc_method_handler(count)})


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", type=pathlib.Path, help="folder of kumiki compile --partition")
    parser.add_argument("--engines", type=int, default=1)
    parser.add_argument("--machine", default="native", choices=("native", "verilator", "model"),
                        help="what simulates the engines' netlists")
    parser.add_argument("--program", default="kumiki", help="the program that simulates")
    parser.add_argument("--port", type=int, default=0, help="on 127.0.0.1; 0: any free one")
    options = parser.parse_args()
    if options.engines < 1:
        parser.error("--engines must be at least 1")
    if not (options.parts / "model.onnx").is_file():
        parser.error(f"{options.parts} has no model.onnx; name a folder of kumiki compile --partition")
    workers = [Worker(i, str(options.parts.resolve()), options.machine, options.program) for i in range(options.engines)]
    try:
        for worker in workers:
            worker.wait_until_ready()
    except Ended as ended:
        sys.exit(f"server.py: {ended}")
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(MOST_WAITING), handlers=[handler_of(Queue(workers))],
                         options=[("grpc.max_receive_message_length", MOST_BYTES),
                                  ("grpc.max_send_message_length", MOST_BYTES)])
    port = server.add_insecure_port(f"127.0.0.1:{options.port}")
    server.start()
    print(f"{options.engines} engines on 127.0.0.1:{port}", flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main()
