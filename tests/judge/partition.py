# SPDX-License-Identifier: Apache-2.0
"""Runs a model in parts, by Python and as operators of a library, and onnxruntime alone: every number must be equal.

usage: partition.py KUMIKI FOLDER MODEL.onnx IMAGES [MACHINE]
"""

from __future__ import annotations

import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/models"))
import exact


def main() -> None:
    kumiki, folder, model, images, *machine = sys.argv[1:]
    sys.path.insert(0, folder)
    import kumiki_session  # type: ignore[import-not-found]

    alone = exact.session(model)
    feed = {}
    for n, end in enumerate(alone.get_inputs()):
        file = pathlib.Path(f"{images}.in{n if n else ''}.npy")
        feed[end.name] = np.load(file)
        if machine or end.shape[0] == 1:
            feed[end.name] = feed[end.name][:1]
    session = kumiki_session.Session(kumiki_session.Simulated(*machine, program=kumiki))
    library = pathlib.Path(folder, "libkumiki_parts.so")
    subprocess.run(["cc", "-std=c99", "-O2", "-shared", "-fPIC", "-o", library.name, "kumiki_parts.c", "kumiki_engine.c",
                    "kumiki_map.c"], cwd=folder, check=True)
    operators = exact.session(f"{folder}/model.onnx", library.resolve(), program=kumiki,
                              simulate=machine[0] if machine else "definition")
    wanted = alone.run(None, feed)
    for by, parts in (("Session", session.run(None, feed)), ("library", operators.run(None, feed))):
        for end, one, other in zip(alone.get_outputs(), wanted, parts):
            different = int((one != other).sum())
            print(f"{pathlib.Path(model).stem}, {by}: {end.name} {one.shape}: {different} of {one.size} numbers differ")
            if different:
                sys.exit(1)


if __name__ == "__main__":
    main()
