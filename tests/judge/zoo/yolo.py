# SPDX-License-Identifier: Apache-2.0
"""The small YOLOs, up to their heads: a host decodes boxes."""
from net import topology

CLASSES = 20
ANCHORS = 3


@topology("yolov3-tiny", width=1 / 4)
def yolov3_tiny(net):
    c = lambda x, outs, kernel=3: net.leaky(net.conv(x, net.channels(outs), kernel))
    head = lambda x: net.conv(x, ANCHORS * (5 + CLASSES), 1)
    x = net.image()
    for outs in (16, 32, 64, 128):
        x = net.max_pool(c(x, outs))
    fine = c(x, 256)
    x = c(net.max_pool(fine), 512)
    x = c(net.max_pool(net.pad(x, [0, 1, 0, 1]), 2, 1), 1024)
    x = c(x, 256, 1)
    up = net.concat([net.upsample(c(x, 128, 1)), fine])
    return [head(c(x, 512)), head(c(up, 256))]


def pooled(net, c, x, outs):
    """SPPF"""
    parts = [c(x, outs // 2, 1)]
    for _ in range(3):
        parts.append(net.max_pool(parts[-1], 5, 1, 2))
    return c(net.concat(parts), outs, 1)


def yolov5(net, function, upsamples):
    def c(x, outs, kernel=3, stride=1):
        return function(net.conv(x, outs, kernel, stride))

    def c3(x, outs, count, shortcut=True):
        y = c(x, outs // 2, 1)
        for _ in range(count):
            z = c(c(y, outs // 2, 1), outs // 2)
            y = net.add(y, z) if shortcut else z
        return c(net.concat([y, c(x, outs // 2, 1)]), outs, 1)

    a, b, d, e, f = (net.channels(n) for n in (16, 32, 64, 128, 256))
    x = c3(c(c(net.image(), a, 6, 2), b, 3, 2), b, 1)
    p3 = c3(c(x, d, 3, 2), d, 2)
    p4 = c3(c(p3, e, 3, 2), e, 3)
    p5 = pooled(net, c, c3(c(p4, f, 3, 2), f, 1), f)
    maps = [p3, p4, p5]
    if upsamples:
        n5 = c(p5, e, 1)
        n4 = c(c3(net.concat([net.upsample(n5), p4]), e, 1, False), d, 1)
        o3 = c3(net.concat([net.upsample(n4), p3]), d, 1, False)
        o4 = c3(net.concat([c(o3, d, 3, 2), n4]), e, 1, False)
        maps = [o3, o4, c3(net.concat([c(o4, e, 3, 2), n5]), f, 1, False)]
    return [net.conv(x, ANCHORS * (5 + CLASSES), 1) for x in maps]


@topology("yolov5n", gain=1.1)
def yolov5n(net):
    return yolov5(net, net.silu, True)


@topology("yolov5n-relu")
def yolov5n_relu(net):
    return yolov5(net, net.relu, False)


@topology("yolov8n", gain=1.15)
def yolov8n(net):
    def c(x, outs, kernel=3, stride=1):
        return net.silu(net.conv(x, outs, kernel, stride))

    def c2f(x, outs, count, shortcut=True):
        parts = list(net.chunk(c(x, outs, 1)))
        for _ in range(count):
            y = c(c(parts[-1], outs // 2), outs // 2)
            parts.append(net.add(parts[-1], y) if shortcut else y)
        return c(net.concat(parts), outs, 1)

    a, b, d, e, f = (net.channels(n) for n in (16, 32, 64, 128, 256))
    x = c2f(c(c(net.image(), a, 3, 2), b, 3, 2), b, 1)
    p3 = c2f(c(x, d, 3, 2), d, 2)
    p4 = c2f(c(p3, e, 3, 2), e, 2)
    p5 = pooled(net, c, c2f(c(p4, f, 3, 2), f, 1), f)
    n4 = c2f(net.concat([net.upsample(p5), p4]), e, 1, False)
    o3 = c2f(net.concat([net.upsample(n4), p3]), d, 1, False)
    o4 = c2f(net.concat([c(o3, d, 3, 2), n4]), e, 1, False)
    o5 = c2f(net.concat([c(o4, e, 3, 2), p5]), f, 1, False)
    head = lambda x, outs: net.conv(c(c(x, d), d), outs, 1)
    return [net.concat([head(x, 64), head(x, CLASSES)]) for x in (o3, o4, o5)]
