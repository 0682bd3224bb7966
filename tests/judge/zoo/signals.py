# SPDX-License-Identifier: Apache-2.0
"""Sound, heart beats, vectors: one dimension, or none."""
from net import topology


@topology("kws-1d", width=1 / 2)
def keywords(net):
    """M5 on the samples themselves."""
    x = net.relu(net.normalised(net.conv(net.image(1, (2048,)), net.channels(32), 80, 4, [0, 0])))
    for outs in (32, 64, 64):
        x = net.relu(net.normalised(net.conv(net.max_pool(x, 4), net.channels(outs), 3, pads=[0, 0])))
    return [net.dense(net.flat(net.average_pool(x, net.shapes[x][1])), 35)]


@topology("tcn-2d")
def tcn_2d(net):
    """One row of 64 steps; a result knows what came before it."""
    x = net.image(16, (1, 64))
    for dilation in (1, 2, 4, 8):
        y = net.relu(net.conv(x, 32, (1, 3), pads=[0, 2 * dilation, 0, 0], dilation=(1, dilation)))
        y = net.relu(net.conv(y, 32, (1, 3), pads=[0, 2 * dilation, 0, 0], dilation=(1, dilation)))
        x = net.relu(net.add(y, x if net.shapes[x][0] == 32 else net.conv(x, 32, 1)))
    return [net.conv(x, 10, 1)]


@topology("tcn-1d")
def tcn_1d(net):
    x = net.image(16, (64,))
    for dilation in (1, 2, 4, 8):
        y = x
        for _ in range(2):
            y = net.relu(net.conv(net.pad(y, [2 * dilation, 0]), 32, pads=[0, 0], dilation=dilation))
        x = net.relu(net.add(y, x if net.shapes[x][0] == 32 else net.conv(x, 32, 1)))
    return [net.conv(x, 10, 1)]


@topology("ecg-resnet")
def ecg(net):
    x = net.relu(net.conv(net.image(2, (256,)), 16, 7, 2))
    for outs in (16, 32, 64):
        y = net.conv(net.relu(net.conv(x, outs, 5, 2)), outs, 5)
        x = net.relu(net.add(y, net.conv(net.max_pool(x), outs, 1)))
    return [net.dense(net.flat(net.global_average(x)), 5)]


@topology("autoencoder-dense")
def autoencoder(net):
    """MLPerf Tiny's, of machine sounds."""
    x = net.image(640, ())
    for outs in (128, 128, 128, 128, 8, 128, 128, 128, 128):
        x = net.relu(net.dense(x, outs))
    return [net.dense(x, 640)]


@topology("autoencoder-conv", pixels=32)
def autoencoder_conv(net):
    x = net.image()
    for outs in (16, 32, 64):
        x = net.leaky(net.conv(x, outs, 3, 2))
    for outs in (32, 16):
        x = net.leaky(net.deconv(x, outs, 4, 2, 1))
    return [net.sigmoid(net.deconv(x, 3, 4, 2, 1))]
