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


def blocks(net, published):
    """All of them only with all of the channels."""
    return range(published if net.width == 1 else 2)


def patches(net, size, pixels):
    x = net.conv(net.image(), size, pixels, pixels, [0] * 4)
    count = (net.pixels // pixels) ** 2
    return net.transpose(net.view(x, (size, count)), (1, 0))


def encoded(net, x, heads, depth):
    x = net.apply("Add", x, net.bias((1, *net.shapes[x])))
    for _ in blocks(net, depth):
        x = net.add(x, attention(net, normalised(net, x), heads))
        x = net.add(x, feed_forward(net, normalised(net, x)))
    return normalised(net, x)


@topology("vit-tiny", pixels=32, width=1 / 4)
def vit(net):
    """The mean of all tokens decides."""
    size = net.channels(192)
    x = encoded(net, patches(net, size, 8), 3, 12)
    x = net.node("ReduceMean", [x], (size,), axes=[1], keepdims=0)
    return [net.dense(x, CLASSES)]


@topology("deit-tiny", pixels=64, width=1 / 4)
def deit(net, published=192, heads=3):
    """A class token decides; it is the same for every image."""
    size = net.channels(published)
    x = patches(net, size, 16)
    count = net.shapes[x][0]
    dims = [net.size_of(x, 0), net.literal([1]), net.literal([size])]
    token = net.node("Expand", [net.bias((1, 1, size)), net.node("Concat", dims, (3,), axis=0)], (1, size))
    x = encoded(net, net.node("Concat", [token, x], (count + 1, size), axis=1), heads, 12)
    return [net.dense(net.node("Gather", [x, net.literal(0)], (size,), axis=1), CLASSES)]


@topology("vit-small", pixels=64, width=1 / 8)
def vit_small(net):
    return deit(net, 384, 6)


@topology("keyword-transformer", width=3 / 4)
def keyword_transformer(net):
    """Every moment of a spectrogram is a token; layers are normalised behind the sums."""
    moments, size = 49, net.channels(64)
    x = net.linear(net.image(moments, (10,)), size)
    x = net.apply("Add", x, net.bias((1, moments, size)))
    for _ in blocks(net, 12):
        x = normalised(net, net.add(x, attention(net, x, heads=1)))
        x = normalised(net, net.add(x, feed_forward(net, x)))
    return [net.dense(net.node("ReduceMean", [x], (size,), axes=[1], keepdims=0), 12)]


@topology("bert-tiny", width=1 / 4)
def bert(net):
    size = net.channels(128)
    x = embedded(net, "ids", size)
    x = normalised(net, net.apply("Add", x, net.bias((1, WORDS, size))))
    mask = net.input("mask", (WORDS,), TensorProto.INT64)
    mask = net.node("Unsqueeze", [mask, net.literal([1, 2])], (1, 1, WORDS))
    mask = net.node("Cast", [mask], (1, 1, WORDS), to=TensorProto.FLOAT)
    mask = net.apply("Mul", net.node("Sub", [net.literal(1, numpy.float32), mask], (1, 1, WORDS)),
                     net.literal(-10000, numpy.float32))
    for _ in range(2):
        x = normalised(net, net.add(x, attention(net, x, mask=mask)))
        x = normalised(net, net.add(x, feed_forward(net, x)))
    first = net.node("Gather", [x, net.literal(0)], (size,), axis=1)
    return [net.dense(net.tanh(net.dense(first, size)), 2)]
