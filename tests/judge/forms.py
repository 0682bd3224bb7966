# SPDX-License-Identifier: Apache-2.0
"""The forms in which onnxruntime quantises the models of zoo/make.py and packages/make.py."""
import pathlib
import tempfile

import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quant_pre_process, quantize_static

# Format, activations, a scale for each channel.
FORMS = {
    "qdq-u8": (QuantFormat.QDQ, QuantType.QUInt8, True),
    "qdq-s8": (QuantFormat.QDQ, QuantType.QInt8, True),
    "qoperator": (QuantFormat.QOperator, QuantType.QUInt8, True),
    "tensor": (QuantFormat.QDQ, QuantType.QUInt8, False),
}


class Images(CalibrationDataReader):
    def __init__(self, batches):
        self.left = iter(batches)

    def get_next(self):
        return next(self.left, None)


def quantised(model, calibration, form, optimises):
    """Whether onnxruntime's optimiser goes before the quantiser: without it the model is as an exporter leaves it."""
    kind, activations, per_channel = FORMS[form]
    with tempfile.TemporaryDirectory() as folder:
        before, after = pathlib.Path(folder, "float.onnx"), pathlib.Path(folder, "quantised.onnx")
        onnx.save(model, before)
        if optimises:
            quant_pre_process(before, before, skip_symbolic_shape=True)
        quantize_static(before, after, Images(calibration), quant_format=kind, activation_type=activations,
                        weight_type=QuantType.QInt8, per_channel=per_channel)
        return onnx.load(after)
