# SPDX-License-Identifier: Apache-2.0
"""What is in a wheel: the package whole, and nothing that names the folder that it was built in.

usage: wheel.py WHEEL ROOT
"""
import pathlib
import sys
import zipfile

wheel, root = zipfile.ZipFile(sys.argv[1]), pathlib.Path(sys.argv[2])
there = {name for name in wheel.namelist() if ".dist-info/" not in name}
wanted = {f"kumiki/{f.name}" for f in (root / "gen/python/kumiki").iterdir() if f.suffix in (".py", ".pyi", ".typed")}
wanted |= {"kumiki/py.typed", "kumiki/_core.abi3.so"}
assert there == wanted, there ^ wanted
for name in wheel.namelist():
    assert str(root).encode() + b"/" not in wheel.read(name), f"{name} names {root}"
print(f"{len(there)} files")
