#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small CNN on 8x8 digits with PyTorch and writes it as ONNX in float32.

usage: train_torch.py FILE.onnx
"""
import sys
import warnings

import torch
from torch import nn

import digits


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    torch.manual_seed(1)
    torch.set_num_threads(1)
    images, labels, test_images, test_labels = (torch.from_numpy(part) for part in digits.split())
    network = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                            nn.Linear(8 * 4 * 4, 10))
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(25):
        for chosen in torch.randperm(len(images)).split(64):
            loss = nn.functional.cross_entropy(network(images[chosen]), labels[chosen].long())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    network.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the older exporter is the older one; it wants no further package
        torch.onnx.export(network, (images[:1],), sys.argv[1], dynamo=False, opset_version=17, input_names=["image"],
                          output_names=["logits"], dynamic_axes={"image": {0: "N"}, "logits": {0: "N"}})
    right = int((network(test_images).argmax(1) == test_labels).sum())
    print(f"{sys.argv[1]}: accuracy {100 * right / len(test_labels):.2f} % ({right} of {len(test_labels)})")


if __name__ == "__main__":
    main()
