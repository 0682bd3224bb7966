#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a network, quantises it and writes NAME.onnx beside this script.

usage: train.py digits_mlp|fashion_cnn|fashion_residual|fashion_w4a4|fashion_bnn [--out FOLDER]

The first three are quantised to INT8 by onnxruntime's quantiser; the others are trained with few bits (low_bits.py).

One thread, fixed seeds, deterministic kernels: on one kind of processor a second run writes the same bytes.
"""
import argparse
import logging
import pathlib
import tempfile
import warnings

import numpy
import onnx
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quant_pre_process, quantize_static
from torch import nn

import data
import judge
import low_bits


def conv(inputs, outputs, kernel, stride=1, groups=1):
    return [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]


def separable(inputs, outputs, stride=1):
    """A depthwise convolution and one of 1 x 1 behind it."""
    return [*conv(inputs, inputs, 3, stride, groups=inputs), nn.ReLU6(), *conv(inputs, outputs, 1)]


class Residual(nn.Module):
    """The sum of two branches; one of them may be the input itself."""

    def __init__(self, branch, shortcut=(), after=nn.Identity()):
        super().__init__()
        self.branch, self.shortcut, self.after = nn.Sequential(*branch), nn.Sequential(*shortcut), after

    def forward(self, x):
        return self.after(self.branch(x) + self.shortcut(x))


def digits_mlp():
    return nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 10))


def fashion_cnn():
    layers, channels = [], 1
    for outputs in (16, 32, 64):
        layers += [*conv(channels, outputs, 3), nn.ReLU(), nn.MaxPool2d(2)]
        channels = outputs
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(64 * 3 * 3, 10))


def fashion_residual():
    return nn.Sequential(
        *conv(1, 24, 3, stride=2), nn.ReLU(),
        Residual(separable(24, 24), after=nn.ReLU()),
        Residual(separable(24, 48, stride=2), conv(24, 48, 1, stride=2), nn.ReLU()),
        Residual([*conv(48, 96, 1), nn.ReLU6(), *separable(96, 48)]),
        Residual(separable(48, 96, stride=2), conv(48, 96, 1, stride=2), nn.ReLU()),
        Residual(separable(96, 96), after=nn.ReLU()),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(96, 10))


def fashion_w4a4():
    """The layers of fashion_cnn, with weights and activations of 4 bits."""
    layers, channels = [low_bits.Quantised(8, 2**-8)], 1
    for outputs in (16, 32, 64):
        layers += [low_bits.Conv(4, channels, outputs, 3), nn.BatchNorm2d(outputs), nn.ReLU(),
                   low_bits.Quantised(4, 2**-2), nn.MaxPool2d(2)]
        channels = outputs
    return nn.Sequential(*layers, nn.Flatten(), low_bits.Dense(4, 64 * 3 * 3, 10),
                         low_bits.Quantised(8, 2**-3, signed=True))


def fashion_bnn():
    """The shape of FINN's TFC: three layers of 64, weights and activations -1 and 1."""
    layers, inputs = [nn.Flatten(), low_bits.Quantised(8, 2**-8)], 28 * 28
    for _ in range(3):
        layers += [low_bits.Dense(1, inputs, 64), nn.BatchNorm1d(64), low_bits.Bipolar()]
        inputs = 64
    return nn.Sequential(*layers, low_bits.Dense(1, 64, 10))


# What each network is, how long it is trained and how it is quantised.
NETWORKS = {
    "digits_mlp": (digits_mlp, 60, {"activation_type": QuantType.QUInt8, "per_channel": False}),
    "fashion_cnn": (fashion_cnn, 8, {"activation_type": QuantType.QUInt8, "per_channel": True}),
    "fashion_residual": (fashion_residual, 10, {"activation_type": QuantType.QInt8, "per_channel": True}),
    "fashion_w4a4": (fashion_w4a4, 4, None),
    "fashion_bnn": (fashion_bnn, 20, None),
}
# What is trained in another way. Logits that are sums of -1 and 1 are made softer, or they would be too sure.
TRAINED = {"fashion_bnn": {"softer": 1 / 8, "batch": 256}}


class Calibration(CalibrationDataReader):
    def __init__(self, images):
        self.batches = iter(numpy.array_split(images, 8))

    def get_next(self):
        batch = next(self.batches, None)
        return None if batch is None else {"image": batch}


def train(network, images, labels, epochs, softer=1.0, batch=64):
    inputs, wanted = torch.from_numpy(data.network_input(images)), torch.from_numpy(labels.astype(numpy.int64))
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-2)
    steps = epochs * -(-len(inputs) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=8e-3, total_steps=steps)
    network.train()
    for epoch in range(epochs):
        total = 0.0
        for chosen in torch.randperm(len(inputs)).split(batch):
            x = inputs[chosen]
            if x.dim() == 4:  # half of the images mirrored
                mirrored = torch.rand(len(x), 1, 1, 1) < 0.5
                x = torch.where(mirrored, x.flip(3), x)
            loss = nn.functional.cross_entropy(softer * network(x), wanted[chosen], label_smoothing=0.05)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * len(x)
        print(f"epoch {epoch + 1} of {epochs}: loss {total / len(inputs):.4f}", flush=True)
    network.eval()


def export(network, shape, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The older exporter: the newer one writes a global average as ReduceMean, which the quantiser leaves in float.
        torch.onnx.export(network, (torch.zeros(1, *shape),), path, dynamo=False, opset_version=17,
                          input_names=["image"], output_names=["logits"],
                          dynamic_axes={"image": {0: "N"}, "logits": {0: "N"}})


def bare(model):
    """The model without what says where and by what its nodes were made."""
    graph = model.graph
    for part in (model, graph, *graph.node, *graph.input, *graph.output, *graph.initializer):
        part.doc_string = ""
        part.ClearField("metadata_props")
    graph.ClearField("value_info")
    return model


def quantise(float_path, out, images, choices):
    with tempfile.TemporaryDirectory() as folder:
        ready = pathlib.Path(folder, "ready.onnx")
        quant_pre_process(float_path, ready, skip_symbolic_shape=True)
        quantize_static(ready, out, Calibration(data.network_input(images)), quant_format=QuantFormat.QDQ,
                        weight_type=QuantType.QInt8, **choices)
    onnx.save(bare(onnx.load(out)), out)


def accuracy(path, images, labels):
    logits = judge.session(path).run(None, {"image": data.network_input(images)})[0]
    return 100 * float((logits.argmax(1) == labels).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", choices=NETWORKS)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    make, epochs, choices = NETWORKS[arguments.name]
    images, labels, test_images, test_labels = data.split(arguments.name)
    network = make()
    train(network, images, labels, epochs, **TRAINED.get(arguments.name, {}))
    out = arguments.out / f"{arguments.name}.onnx"
    before = None  # of few bits: there is no float network
    if choices is None:
        low_bits.write(network, images.shape[1:], out)
    else:
        with tempfile.TemporaryDirectory() as folder:
            float_path = pathlib.Path(folder, "float.onnx")
            export(network, images.shape[1:], float_path)
            quantise(float_path, out, images[:512], choices)
            before = accuracy(float_path, test_images, test_labels)
    weights = sum(m.weight.numel() for m in network.modules() if isinstance(m, (nn.Conv2d, nn.Linear)))
    after = accuracy(out, test_images, test_labels)
    in_float = "" if before is None else f"float {before:.2f} %, "
    print(f"{arguments.name}: {weights} weights, {in_float}quantised {after:.2f} % "
          f"of {len(test_labels)} test images, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
