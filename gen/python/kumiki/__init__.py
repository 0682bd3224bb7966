# SPDX-License-Identifier: Apache-2.0
"""Kumiki from Python: configurations and trained networks, planned, generated and run with numpy arrays.

>>> project = load("examples/quickstart.json")
>>> print(project.plan().layers[0].latency)
12
"""

from ._core import activity, version
from .errors import (
    ConfigurationError,
    DesignError,
    Error,
    FileError,
    Finding,
    LimitError,
    ToolError,
    UsageError,
)
from .network import Network, import_model, quantise
from .project import Layer, Project, load
from .reports import Check, CheckFinding, Counts, LayerPlan, Operand, Picture, Plan, Report, Tensor, Timing

__version__ = version()

__all__ = [
    "Check",
    "CheckFinding",
    "ConfigurationError",
    "Counts",
    "DesignError",
    "Error",
    "FileError",
    "Finding",
    "Layer",
    "LayerPlan",
    "LimitError",
    "Network",
    "Operand",
    "Picture",
    "Plan",
    "Project",
    "Report",
    "Tensor",
    "Timing",
    "ToolError",
    "UsageError",
    "activity",
    "import_model",
    "load",
    "quantise",
]
