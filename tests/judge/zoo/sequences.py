# SPDX-License-Identifier: Apache-2.0
"""Words, recurrent layers, attention."""
import numpy
from onnx import TensorProto

from classify import CLASSES
from net import VOCABULARY, topology

WORDS = 16


def embedded(net, name, size):
    ids = net.input(name, (WORDS,), TensorProto.INT64)
    table = net.reals(net.random.normal(size=(VOCABULARY, size)))
    return net.node("Gather", [table, ids], (WORDS, size), axis=0)


@topology("text-cnn")
def text_cnn(net):
    x = net.transpose(embedded(net, "x", 32), (1, 0))
    parts = [net.node("GlobalMaxPool", [net.relu(net.conv(x, 32, kernel, pads=[0, 0]))], (32, 1)) for kernel in (3, 4, 5)]
    return [net.dense(net.flat(net.concat(parts)), 4)]


def recurrent(net, op, gates):
    steps, features, hidden = 49, 10, 32
    x = net.image(steps, (features,))
    x = net.node("Transpose", [x], (), perm=[1, 0, 2])  # time comes first, images second
    weights = [net.weights((1, gates * hidden, n), 2 * n) for n in (features, hidden)]
    net.node(op, [x, *weights, net.bias((1, 2 * gates * hidden))], (), hidden_size=hidden)
    net.nodes[-1].output[:] = ["", "last"]
    state = net.node("Squeeze", ["last", net.literal([0])], (hidden,))
    return [net.dense(state, 12)]


@topology("lstm-keywords")
def lstm(net):
    return recurrent(net, "LSTM", 4)


@topology("gru-keywords")
def gru(net):
    return recurrent(net, "GRU", 3)


def normalised(net, x):
    size = net.shapes[x][-1]
    return net.node("LayerNormalization", [x, net.reals(net.random.uniform(0.5, 1.5, size)), net.bias(size)], net.shapes[x],
                    axis=-1)


def attention(net, x, heads=2, mask=None):
    words, size = net.shapes[x]
    split = lambda y: net.transpose(net.view(y, (words, heads, size // heads)), (1, 0, 2))
    q, k, v = (split(net.linear(x, size)) for _ in range(3))
    scores = net.node("MatMul", [q, net.transpose(k, (0, 2, 1))], (heads, words, words))
    scores = net.apply("Div", scores, net.literal((size // heads) ** 0.5, numpy.float32))
    if mask:
        scores = net.apply("Add", scores, mask)
    mixed = net.node("MatMul", [net.apply("Softmax", scores, axis=-1), v], (heads, words, size // heads))
    return net.linear(net.view(net.transpose(mixed, (1, 0, 2)), (words, size)), size)


def feed_forward(net, x):
    return net.linear(net.gelu(net.linear(x, 4 * net.shapes[x][-1])), net.shapes[x][-1])


@topology("vit-tiny", pixels=32)
def vit(net):
    size, patches = 48, (net.pixels // 8) ** 2
    x = net.conv(net.image(), size, 8, 8, [0] * 4)
    x = net.transpose(net.view(x, (size, patches)), (1, 0))
    x = net.apply("Add", x, net.bias((1, patches, size)))
    for _ in range(2):
        x = net.add(x, attention(net, normalised(net, x)))
        x = net.add(x, feed_forward(net, normalised(net, x)))
    x = net.node("ReduceMean", [normalised(net, x)], (size,), axes=[1], keepdims=0)
    return [net.dense(x, CLASSES)]


@topology("keyword-transformer")
def keyword_transformer(net):
    """Every moment of a spectrogram is a token; layers are normalised behind the sums."""
    x = net.linear(net.image(49, (10,)), 48)
    x = net.apply("Add", x, net.bias((1, 49, 48)))
    for _ in range(2):
        x = normalised(net, net.add(x, attention(net, x, heads=1)))
        x = normalised(net, net.add(x, feed_forward(net, x)))
    return [net.dense(net.node("ReduceMean", [x], (48,), axes=[1], keepdims=0), 12)]


@topology("bert-tiny")
def bert(net):
    x = embedded(net, "ids", 32)
    x = normalised(net, net.apply("Add", x, net.bias((1, WORDS, 32))))
    mask = net.input("mask", (WORDS,), TensorProto.INT64)
    mask = net.node("Unsqueeze", [mask, net.literal([1, 2])], (1, 1, WORDS))
    mask = net.node("Cast", [mask], (1, 1, WORDS), to=TensorProto.FLOAT)
    mask = net.apply("Mul", net.node("Sub", [net.literal(1, numpy.float32), mask], (1, 1, WORDS)),
                     net.literal(-10000, numpy.float32))
    for _ in range(2):
        x = normalised(net, net.add(x, attention(net, x, mask=mask)))
        x = normalised(net, net.add(x, feed_forward(net, x)))
    first = net.node("Gather", [x, net.literal(0)], (32,), axis=1)
    return [net.dense(net.tanh(net.dense(first, 32)), 2)]
