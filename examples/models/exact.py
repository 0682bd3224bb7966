# SPDX-License-Identifier: Apache-2.0
"""Sessions of onnxruntime whose integers are those of its definition, on every processor."""
import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as NoKernel


def session(model, library=None, **entries):
    """MODEL: a file's name, or its bytes. LIBRARY: of operators, with entries of the session's configuration for it."""
    # Without VNNI, products of u8 and s8 are added in pairs of 16 bits, which saturate, unless x64quantprecision is set.
    # Of s8 activations, whose products do not saturate, the option makes operators that do not exist.
    try:
        return opened(model, "1", library, entries)
    except NoKernel:
        return opened(model, "0", library, entries)


def opened(model, precision, library, entries):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # Without it s8 activations are summed in float wherever a tensor has several readers: a step here and there.
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    options.add_session_config_entry("session.x64quantprecision", precision)
    for key, value in entries.items():
        options.add_session_config_entry(f"kumiki.{key}", str(value))
    if library is not None:
        options.register_custom_ops_library(str(library))
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
