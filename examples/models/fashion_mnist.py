#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The test images of Fashion-MNIST as .npy files, from Debian's package dataset-fashion-mnist; no numpy needed.

usage: fashion_mnist.py OUTDIR     writes images.npy (10000 x 1 x 28 x 28, uint8) and labels.npy (10000, uint8)
"""
import gzip
import pathlib
import struct
import sys

FOLDER = pathlib.Path("/usr/share/datasets/fashion-mnist")


def read(name):
    """The shape and the bytes of one of the package's IDX files."""
    with gzip.open(FOLDER / f"{name}-ubyte.gz") as file:
        zero, kind, axes = struct.unpack(">HBB", file.read(4))
        if (zero, kind) != (0, 8):
            raise ValueError(f"{name}: not an IDX file of bytes")
        shape = struct.unpack(f">{axes}I", file.read(4 * axes))
        return shape, file.read()


def write_npy(path, shape, numbers):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + numbers)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: fashion_mnist.py OUTDIR")
    if not FOLDER.is_dir():
        sys.exit(f"fashion_mnist.py: no {FOLDER}: apt-get install dataset-fashion-mnist")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (count, *size), images = read("t10k-images-idx3")
    write_npy(folder / "images.npy", (count, 1, *size), images)
    write_npy(folder / "labels.npy", *read("t10k-labels-idx1"))


if __name__ == "__main__":
    main()
