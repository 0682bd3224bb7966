# SPDX-License-Identifier: Apache-2.0
"""Classifiers with depthwise convolutions."""
from classify import CLASSES, logits
from net import topology


@topology("mobilenet-v1", width=1 / 2, gain=1.2)
def mobilenet_v1(net):
    x = net.relu6(net.conv(net.image(), net.channels(32), 3, 2))
    for outs, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)):
        x = net.relu6(net.depthwise(x, 3, stride))
        x = net.relu6(net.conv(x, net.channels(outs), 1))
    return logits(net, x)


@topology("mobilenet-v1-quarter", width=1 / 4, gain=1.2)
def mobilenet_v1_quarter(net):
    return mobilenet_v1(net)


def inverted(net, x, wide, outs, kernel, stride, function, gate=lambda y: y):
    """Widens, filters each channel, narrows."""
    y = function(net.conv(x, wide, 1)) if wide != net.shapes[x][0] else x
    y = gate(function(net.depthwise(y, kernel, stride)))
    y = net.conv(y, outs, 1)
    return net.add(x, y) if net.shapes[x] == net.shapes[y] else y


def rows(net, x, table, function, gate=None):
    """table: factor, channels, how many, stride of the first, kernel."""
    for factor, outs, count, stride, kernel in table:
        for i in range(count):
            middle = max(8, net.shapes[x][0] // 4)
            of = (lambda y: gate(y, middle)) if gate else (lambda y: y)
            x = inverted(net, x, factor * net.shapes[x][0], net.channels(outs), kernel, 1 if i else stride, function, of)
    return x


@topology("mobilenet-v2", width=1 / 2)
def mobilenet_v2(net):
    x = net.relu6(net.conv(net.image(), net.channels(32), 3, 2))
    x = rows(net, x, ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 32, 3, 2, 3), (6, 64, 4, 2, 3), (6, 96, 3, 1, 3),
                      (6, 160, 3, 2, 3), (6, 320, 1, 1, 3)), net.relu6)
    x = net.relu6(net.conv(x, net.channels(1280), 1))
    return [net.dense(net.dropout(net.flat(net.global_average(x))), CLASSES)]


@topology("mnasnet-0.5", width=1 / 2)
def mnasnet(net):
    x = net.relu(net.conv(net.image(), net.channels(32), 3, 2))
    x = net.conv(net.relu(net.depthwise(x)), net.channels(16), 1)
    x = rows(net, x, ((3, 24, 3, 2, 3), (3, 40, 3, 2, 5), (6, 80, 3, 2, 5), (6, 96, 2, 1, 3), (6, 192, 4, 2, 5),
                      (6, 320, 1, 1, 3)), net.relu)
    return [net.dense(net.dropout(net.mean(net.relu(net.conv(x, net.channels(1280), 1)))), CLASSES)]


@topology("efficientnet-b0", width=1 / 2, gain=1.2)
def efficientnet(net):
    x = net.silu(net.conv(net.image(), net.channels(32), 3, 2))
    gate = lambda y, middle: net.gate(y, middle, net.silu, net.sigmoid)
    x = rows(net, x, ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5),
                      (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)), net.silu, gate)
    return logits(net, net.silu(net.conv(x, net.channels(1280), 1)))


def mobilenet_v3(net, table, last, hidden):
    """table: kernel, wide, channels, gated, with HardSwish, stride."""
    x = net.hard_swish(net.conv(net.image(), net.channels(16), 3, 2))
    for kernel, wide, outs, gated, swish, stride in table:
        gate = lambda y: net.gate(y, max(8, net.shapes[y][0] // 4), net.relu, net.hard_sigmoid) if gated else y
        function = net.hard_swish if swish else net.relu
        x = inverted(net, x, net.channels(wide), net.channels(outs), kernel, stride, function, gate)
    x = net.hard_swish(net.conv(x, net.channels(last), 1))
    x = net.hard_swish(net.dense(net.flat(net.global_average(x)), net.channels(hidden)))
    return [net.dense(net.dropout(x), CLASSES)]


@topology("mobilenet-v3-small", width=1 / 2, gain=1.1)
def mobilenet_v3_small(net):
    return mobilenet_v3(net, (
        (3, 16, 16, 1, 0, 2), (3, 72, 24, 0, 0, 2), (3, 88, 24, 0, 0, 1), (5, 96, 40, 1, 1, 2), (5, 240, 40, 1, 1, 1),
        (5, 240, 40, 1, 1, 1), (5, 120, 48, 1, 1, 1), (5, 144, 48, 1, 1, 1), (5, 288, 96, 1, 1, 2), (5, 576, 96, 1, 1, 1),
        (5, 576, 96, 1, 1, 1)), 576, 1024)


@topology("mobilenet-v3-large", width=1 / 2, gain=0.95)
def mobilenet_v3_large(net):
    return mobilenet_v3(net, (
        (3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 1, 0, 2), (5, 120, 40, 1, 0, 1),
        (5, 120, 40, 1, 0, 1), (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1),
        (3, 480, 112, 1, 1, 1), (3, 672, 112, 1, 1, 1), (5, 672, 160, 1, 1, 2), (5, 960, 160, 1, 1, 1),
        (5, 960, 160, 1, 1, 1)), 960, 1280)


@topology("shufflenet-v2")
def shufflenet(net):
    """At 0.5. Halves by Slice, the shuffle by shapes that are computed."""
    x = net.relu(net.conv(net.image(), 24, 3, 2))
    x = net.max_pool(x, 3, 2, 1)
    for outs, count in ((48, 4), (96, 8), (192, 4)):
        half = outs // 2
        for i in range(count):
            if i == 0:
                kept = net.relu(net.conv(net.depthwise(x, 3, 2), half, 1))
                y = x
            else:
                kept, y = net.slice(x, 0, half), net.slice(x, half, outs)
            y = net.depthwise(net.relu(net.conv(y, half, 1)), 3, 1 if i else 2)
            x = net.concat([kept, net.relu(net.conv(y, half, 1))])
            _, *size = net.shapes[x]
            x = net.view(net.transpose(net.view(x, (2, half, *size)), (1, 0, 2, 3)), (outs, *size))
    return [net.dense(net.mean(net.relu(net.conv(x, 256, 1))), CLASSES)]


@topology("ds-cnn")
def ds_cnn(net):
    """Keyword spotting on 49 x 10 coefficients, as MLPerf Tiny has it."""
    x = net.relu(net.conv(net.image(1, (49, 10)), 64, (10, 4), 2, [4, 1, 5, 1]))
    for _ in range(4):
        x = net.relu(net.conv(net.relu(net.depthwise(x)), 64, 1))
    return [net.dense(net.flat(net.global_average(net.dropout(x))), 12)]
