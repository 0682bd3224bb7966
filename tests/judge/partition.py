# SPDX-License-Identifier: Apache-2.0
"""Runs a model in parts, and onnxruntime alone: every number must be equal.

usage: partition.py KUMIKI FOLDER MODEL.onnx IMAGES [MACHINE]
"""

from __future__ import annotations

import pathlib
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
    for end, one, parts in zip(alone.get_outputs(), alone.run(None, feed), session.run(None, feed)):
        different = int((one != parts).sum())
        print(f"{pathlib.Path(model).stem}: {end.name} {one.shape}: {different} of {one.size} numbers differ")
        if different:
            sys.exit(1)


if __name__ == "__main__":
    main()
