# SPDX-License-Identifier: Apache-2.0
"""The stubs of the compiled part say what is there: every name, and how many arguments it takes."""

from __future__ import annotations

import ast
import importlib.resources
import re
from typing import Any

from kumiki import _core


def in_stubs() -> dict[str, int | None]:
    """Functions and methods with their arguments, and everything else."""
    text = importlib.resources.files("kumiki").joinpath("_core.pyi").read_text()
    found: dict[str, int | None] = {}

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body, node.name + ".")
            elif isinstance(node, ast.FunctionDef):
                found[prefix + node.name] = None if node.decorator_list else len(node.args.posonlyargs + node.args.args)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found[prefix + node.target.id] = None

    visit(ast.parse(text).body, "")
    # `self` of a function without others is in args, of the others too: all count it.
    return found


def at_run_time() -> dict[str, int | None]:
    found: dict[str, int | None] = {}

    def arguments(function: Any) -> int | None:
        signature = re.match(r"\w+\((.*)\) ->", (function.__doc__ or "").splitlines()[0])
        assert signature, function
        depth, count = 0, 0
        text = signature[1].removesuffix(", /")
        for letter in text:
            depth += letter in "[(" or -(letter in "])")
            count += letter == "," and depth == 0
        return count + bool(text)

    for name in (n for n in dir(_core) if not n.startswith("__")):
        value = getattr(_core, name)
        if isinstance(value, type):
            for member, one in vars(value).items():
                if member == "__init__" or not member.startswith("__"):
                    found[f"{name}.{member}"] = None if isinstance(one, property) else arguments(one)
        else:
            found[name] = arguments(value) if callable(value) else None
    return found


def test_stubs() -> None:
    assert in_stubs() == at_run_time()
