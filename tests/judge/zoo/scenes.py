# SPDX-License-Identifier: Apache-2.0
"""Detection, segmentation, enlarging, comparison: networks whose results are maps, or that read two images."""
from classify import basic, stem
from net import topology

BOX, CLASSES = 4, 20


# U-Net, with the three ways back to the size of the image.
def unet(net, enlarge):
    def pair(x, outs):
        for _ in range(2):
            x = net.relu(net.conv(x, net.channels(outs)))
        return x
    x, skipped = net.image(), []
    for outs in (64, 128, 256):
        x = pair(x, outs)
        skipped.append(x)
        x = net.max_pool(x)
    x = pair(x, 512)
    for outs, other in zip((256, 128, 64), reversed(skipped)):
        x = pair(net.concat([other, enlarge(x, net.channels(outs))]), outs)
    return [net.conv(x, CLASSES, 1)]


@topology("unet-nearest", width=1 / 8)
def unet_nearest(net):
    return unet(net, lambda x, outs: net.conv(net.upsample(x), outs, 1))


@topology("unet-bilinear", width=1 / 8)
def unet_bilinear(net):
    return unet(net, lambda x, outs: net.conv(net.upsample(x, "linear"), outs, 1))


@topology("unet-transposed", width=1 / 8)
def unet_transposed(net):
    return unet(net, net.deconv)


def backbone(net):
    """Maps at an eighth, a sixteenth and a thirty-second of the image."""
    x, maps = stem(net), []
    for outs in (128, 256, 512):
        x = basic(net, x, net.channels(outs), 2)
        maps.append(x)
    return maps


@topology("fpn-detector", width=1 / 8)
def fpn(net):
    outs = net.channels(256)
    sides = [net.conv(x, outs, 1) for x in backbone(net)]
    for i in (1, 0):
        sides[i] = net.add(sides[i], net.resized_as(sides[i + 1], sides[i], "nearest"))
    results = []
    for x in sides:
        x = net.relu(net.conv(x, outs))
        results += [net.conv(x, CLASSES), net.conv(x, BOX)]
    return results


@topology("ssd", width=1 / 8)
def ssd(net):
    anchors, results = 3, []
    for x in backbone(net):
        results += [net.conv(x, anchors * CLASSES), net.conv(x, anchors * BOX)]
    return results


@topology("deeplab", width=1 / 8)
def deeplab(net):
    image, outs = "x", net.channels(256)
    x = basic(net, basic(net, stem(net), net.channels(128), 2), net.channels(256), 1)
    x = net.relu(net.conv(x, net.channels(512), dilation=2))
    pooled = net.relu(net.conv(net.global_average(x), outs, 1))
    parts = [net.relu(net.conv(x, outs, 1)), *(net.relu(net.conv(x, outs, dilation=d)) for d in (2, 4, 6)),
             net.resized_as(pooled, x)]
    x = net.relu(net.conv(net.dropout(net.relu(net.conv(net.concat(parts), outs, 1))), outs))
    return [net.resized_as(net.conv(x, CLASSES, 1), image)]


@topology("espcn", width=1 / 2, pixels=32)
def espcn(net):
    x = net.relu(net.conv(net.image(1), net.channels(64), 5))
    x = net.conv(net.relu(net.conv(x, net.channels(32))), 9)
    return [net.node("DepthToSpace", [x], (1, 3 * net.pixels, 3 * net.pixels), blocksize=3, mode="CRD")]


@topology("srcnn", width=1 / 4)
def srcnn(net):
    x = net.relu(net.conv(net.image(1), net.channels(64), 9))
    return [net.conv(net.relu(net.conv(x, net.channels(32), 1)), 1, 5)]


@topology("siamese", width=1 / 4)
def siamese(net):
    """Two images through the same weights; PRelu with a slope for each channel."""
    weights = net.random.bit_generator.state
    features = []
    for name in ("x", "other"):
        net.random.bit_generator.state = weights
        x = net.image(name=name)
        for outs in (32, 64, 128):
            x = net.max_pool(net.prelu(net.conv(x, net.channels(outs))))
        features.append(net.dense(net.flat(net.global_average(x)), net.channels(128)))
    return [net.dense(net.relu(net.two("Sub", *features)), 2)]
