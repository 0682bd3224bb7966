#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the interpreter runs quantised models, beside onnxruntime on the same models; both on one thread.

usage: interpreter_beside_onnxruntime.py KUMIKI_BENCH MODEL...

Of both the fastest of ten images counts. "default" is onnxruntime's default session, whose products saturate on x86
processors without VNNI; "exact" is the session of examples/models/exact.py. Needs numpy and onnxruntime from PyPI
(examples/walkthrough/requirements.txt).
"""
import json
import pathlib
import subprocess
import sys
import time

import numpy

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/models"))
import exact

IMAGES = 10


def images_per_second(session):
    random, inputs = numpy.random.default_rng(1), {}
    for i in session.get_inputs():
        shape = [n if isinstance(n, int) else 1 for n in i.shape]
        inputs[i.name] = random.uniform(-1, 1, shape).astype(numpy.float32)
    seconds = []
    for _ in range(IMAGES):
        start = time.perf_counter()
        session.run(None, inputs)
        seconds.append(time.perf_counter() - start)
    return 1 / min(seconds)


def main():
    program, *models = sys.argv[1:]
    print(f"{'model':32} {'kumiki':>8} {'default':>8} {'exact':>8}   kumiki/default kumiki/exact")
    for model in models:
        said = subprocess.run([program, "interpreter", model, "--images", str(IMAGES), "--json"],
                              check=True, capture_output=True, text=True).stdout
        ours = json.loads(said)[0]["images_per_second"]
        default, exactly = images_per_second(exact.opened(model, "0")), images_per_second(exact.session(model))
        print(f"{pathlib.Path(model).stem:32} {ours:8.1f} {default:8.1f} {exactly:8.1f}   {ours / default:14.2f} "
              f"{ours / exactly:12.2f}", flush=True)


main()
