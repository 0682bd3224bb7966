# SPDX-License-Identifier: Apache-2.0
"""Classifiers of images, from LeNet to Inception."""
from net import topology

CLASSES = 100


def logits(net, x):
    return [net.dense(net.flat(net.global_average(x)), CLASSES)]


@topology("lenet", pixels=28)
def lenet(net, function="relu", pool="max_pool"):
    function, pool = getattr(net, function), getattr(net, pool)
    x = pool(function(net.conv(net.image(1), 6, 5)))
    x = net.flat(pool(function(net.conv(x, 16, 5, pads=[0] * 4))))
    return [net.dense(function(net.dense(function(net.dense(x, 120)), 84)), 10)]


@topology("lenet-tanh", pixels=28)
def lenet_tanh(net):
    return lenet(net, "tanh", "average_pool")


@topology("vgg-11", width=1 / 8)
def vgg(net):
    x = net.image()
    for group in ([64], [128], [256, 256], [512, 512], [512, 512]):
        for outs in group:
            x = net.relu(net.conv(x, net.channels(outs)))
        x = net.max_pool(x)
    x = net.flat(x)
    for _ in range(2):
        x = net.dropout(net.relu(net.dense(x, net.channels(4096))))
    return [net.dense(x, CLASSES)]


def stem(net):
    return net.max_pool(net.relu(net.conv(net.image(), net.channels(64), 7, 2)), 3, 2, 1)


def shortcut(net, x, y, stride, finish):
    if net.shapes[x] != net.shapes[y]:
        x = finish(net.conv(x, net.shapes[y][0], 1, stride))
    return net.relu(net.add(y, x))


def basic(net, x, outs, stride, finish=lambda y: y, gate=lambda y: y):
    """finish: what follows each convolution."""
    y = net.relu(finish(net.conv(x, outs, 3, stride)))
    return shortcut(net, x, gate(finish(net.conv(y, outs))), stride, finish)


def bottleneck(net, x, outs, stride, groups=1, ratio=4, finish=lambda y: y, gate=lambda y: y):
    y = net.relu(finish(net.conv(x, outs, 1)))
    y = gate(net.relu(finish(net.conv(y, outs, 3, stride, groups=groups))))
    return shortcut(net, x, finish(net.conv(y, ratio * outs, 1)), stride, finish)


def stages(net, x, counts, block, **more):
    for i, count in enumerate(counts):
        for j in range(count):
            x = block(net, x, net.channels(64 << i), 2 if i and not j else 1, **more)
    return x


@topology("resnet-8", pixels=32)
def resnet_8(net):
    """MLPerf Tiny's, with its batch normalisations left as nodes."""
    x = net.relu(net.normalised(net.conv(net.image(), 16)))
    for outs, stride in ((16, 1), (32, 2), (64, 2)):
        x = basic(net, x, outs, stride, net.normalised)
    return logits(net, x)


@topology("resnet-18", width=1 / 4)
def resnet_18(net):
    return logits(net, stages(net, stem(net), (2, 2, 2, 2), basic))


@topology("resnet-50", width=1 / 8, gain=0.95)
def resnet_50(net):
    return logits(net, stages(net, stem(net), (3, 4, 6, 3), bottleneck))


@topology("se-resnet-18", width=1 / 4)
def se_resnet(net):
    gate = lambda y: net.gate(y, max(8, net.shapes[y][0] // 16), net.relu, net.sigmoid)
    return logits(net, stages(net, stem(net), (2, 2, 2, 2), basic, gate=gate))


@topology("regnetx-400", width=1 / 2, gain=0.8)
def regnetx(net):
    return logits(net, regnet(net, (1, 2, 7, 12), (32, 64, 160, 400), max(8, net.channels(16)), net.normalised, lambda y: y))


@topology("regnety-400", width=1 / 2)
def regnety(net):
    gate = lambda y: net.gate(y, max(8, net.shapes[y][0] // 4), net.relu, net.sigmoid)
    return logits(net, regnet(net, (1, 3, 6, 6), (48, 104, 208, 440), 8, lambda y: y, gate))


def regnet(net, counts, widths, of_group, finish, gate):
    x = net.relu(finish(net.conv(net.image(), net.channels(32), 3, 2)))
    for count, outs in zip(counts, widths):
        outs = net.channels(outs)
        for i in range(count):
            x = bottleneck(net, x, outs, 1 if i else 2, outs // of_group, 1, finish, gate)
    return x


@topology("densenet-121", width=1 / 4)
def densenet(net):
    """Normalisation comes first, so that it cannot be a part of a convolution."""
    growth, x = net.channels(32), stem(net)
    first = lambda y: net.relu(net.normalised(y))
    for i, count in enumerate((6, 12, 24, 16)):
        if i:
            x = net.average_pool(net.conv(first(x), net.shapes[x][0] // 2, 1))
        for _ in range(count):
            y = net.conv(first(x), 4 * growth, 1)
            x = net.concat([x, net.conv(first(y), growth)])
    return logits(net, first(x))


@topology("googlenet", width=1 / 4)
def googlenet(net):
    c = lambda x, outs, kernel=1, stride=1: net.relu(net.conv(x, net.channels(outs), kernel, stride))
    x = net.max_pool(c(net.image(), 64, 7, 2), 3, 2, ceil=True)
    x = net.max_pool(c(c(x, 64), 192, 3), 3, 2, ceil=True)
    rows = ((64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), None, (192, 96, 208, 16, 48, 64),
            (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64), (112, 144, 288, 32, 64, 64),
            (256, 160, 320, 32, 128, 128), None, (256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128))
    for row in rows:
        if row is None:
            x = net.max_pool(x, 3, 2, ceil=True)
            continue
        one, before3, three, before5, five, pooled = row
        x = net.concat([c(x, one), c(c(x, before3), three, 3), c(c(x, before5), five, 3), c(net.max_pool(x, 3, 1, 1), pooled)])
    return [net.dense(net.dropout(net.flat(net.global_average(x))), CLASSES)]


@topology("inception-v3", pixels=96, width=1 / 8)
def inception(net):
    """One block of each kind."""
    def c(x, outs, kernel=1, stride=1, pads=None):
        return net.relu(net.conv(x, net.channels(outs), kernel, stride, pads))
    none = [0] * 4
    x = c(c(c(net.image(), 32, 3, 2, none), 32, 3, 1, none), 64, 3)
    x = net.max_pool(c(c(net.max_pool(x, 3, 2), 80), 192, 3, 1, none), 3, 2)
    for pooled in (32, 64):
        x = net.concat([c(x, 64), c(c(x, 48), 64, 5), c(c(c(x, 64), 96, 3), 96, 3), c(net.average_pool(x, 3, 1, 1), pooled)])
    x = net.concat([c(x, 384, 3, 2, none), c(c(c(x, 64), 96, 3), 96, 3, 2, none), net.max_pool(x, 3, 2)])
    long = c(c(c(c(c(x, 128), 128, (7, 1)), 128, (1, 7)), 128, (7, 1)), 192, (1, 7))
    x = net.concat([c(x, 192), c(c(c(x, 128), 128, (1, 7)), 192, (7, 1)), long, c(net.average_pool(x, 3, 1, 1), 192)])
    middle = c(x, 384)
    split = net.concat([c(middle, 384, (1, 3)), c(middle, 384, (3, 1))])
    return logits(net, net.concat([c(x, 320), split, c(net.average_pool(x, 3, 1, 1), 192)]))


@topology("squeezenet", width=1 / 2)
def squeezenet(net):
    x = net.max_pool(net.relu(net.conv(net.image(), net.channels(64), 3, 2, [0] * 4)), 3, 2, ceil=True)
    for i, (middle, outs) in enumerate(((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))):
        if i in (2, 4):
            x = net.max_pool(x, 3, 2, ceil=True)
        s = net.relu(net.conv(x, net.channels(middle), 1))
        x = net.concat([net.relu(net.conv(s, net.channels(outs), k)) for k in (1, 3)])
    x = net.relu(net.conv(net.dropout(x), CLASSES, 1))
    return [net.flat(net.global_average(x))]
