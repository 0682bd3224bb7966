# SPDX-License-Identifier: Apache-2.0
"""What is raised: one class a kind of mistake, each with the code that `kumiki explain` knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _core

__all__ = [
    "ConfigurationError",
    "DesignError",
    "Error",
    "FileError",
    "Finding",
    "LimitError",
    "ToolError",
    "UsageError",
]


@dataclass(frozen=True)
class Finding:
    """One mistake of a configuration, at its place."""

    pointer: str
    """JSON pointer of the key or value, ``""`` for the whole file."""
    line: int
    column: int
    value: str
    """As it is written, shortened."""
    message: str
    required: str
    """What it must be, or what to do."""
    code: str


class Error(Exception):
    """A mistake of whoever calls, or of a file or a tool outside.

    ``code`` is the word in brackets at the end of the text. ``file``, ``pointer``, ``line``, ``column``, ``value`` and
    ``required`` are those of the first mistake of a configuration, and ``None`` everywhere else.
    """

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code
        self.file: str | None = None
        self.findings: tuple[Finding, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.code)

    @property
    def pointer(self) -> str | None:
        return self.findings[0].pointer if self.findings else None

    @property
    def line(self) -> int | None:
        return self.findings[0].line if self.findings else None

    @property
    def column(self) -> int | None:
        return self.findings[0].column if self.findings else None

    @property
    def value(self) -> str | None:
        return self.findings[0].value if self.findings else None

    @property
    def required(self) -> str | None:
        return self.findings[0].required if self.findings else None

    @property
    def meaning(self) -> str | None:
        """What the code means."""
        row = _core.explain(self.code)
        return row[0] if row else None

    @property
    def remedy(self) -> str | None:
        """What to do."""
        row = _core.explain(self.code)
        return row[2] if row else None


class ConfigurationError(Error):
    """A configuration is wrong: every mistake of it is in ``findings``, in the order of the file."""

    def __init__(self, text: str, file: str, findings: tuple[Finding, ...]) -> None:
        super().__init__(text, findings[0].code)
        self.file = file
        self.findings = findings

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.file, self.findings)


class DesignError(Error):
    """A netlist that is wrong, a model that is refused, or results that are not those of the definition."""


class LimitError(DesignError):
    """More was asked for than a limit allows; the text says which one."""


class UsageError(Error, ValueError):
    """An argument, or an array, that is not allowed here."""


class FileError(Error):
    """A file could not be read or written, or holds something else."""


class ToolError(Error):
    """A program that is started (Verilator, a compiler) is missing or has failed."""
