#!/usr/bin/env python3
"""Builds quantised models with other people's tools and says what their runtimes make of them.

    make.py FOLDER [NAME...]             NAME: only these models; without: all
    make.py FOLDER --given FILE...       references for files that are there already
    make.py --list                       the models' names

TensorFlow's own converter writes the .tflite files, tf2onnx and ONNX Runtime's quantiser the .onnx
files. Weights are random, pictures small. Beside each model lie its inputs and, from LiteRT's
reference kernels or ONNX Runtime, its outputs: NAME.input0.npy, NAME.output0.npy, ...
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np  # noqa: E402

SAMPLES = 4
CLASSES = 16


def keras():
    import keras as k

    return k


# Networks ---------------------------------------------------------------------------------------


def application(name, size, **options):
    def build():
        k = keras()
        return getattr(k.applications, name)(
            weights=None, input_shape=(size, size, 3), classes=CLASSES, **options)

    return build


def pruned(build, share=0.8):
    """Without the weights of products that are nearest to zero, as magnitude pruning leaves a network."""

    def built():
        model = build()
        for layer in model.layers:
            weights = layer.get_weights()
            if type(layer).__name__ in ("Conv2D", "Dense"):
                size = np.abs(weights[0])
                layer.set_weights([np.where(size < np.quantile(size, share), 0, weights[0]), *weights[1:]])
        return model

    return built


def conv(x, filters, kernel=3, stride=1, activation="relu", **options):
    k = keras()
    x = k.layers.Conv2D(filters, kernel, stride, padding="same", use_bias=False, **options)(x)
    x = k.layers.BatchNormalization()(x)
    return k.layers.Activation(activation)(x) if activation else x


def separable(x, filters, stride=1, dilation=1):
    k = keras()
    x = k.layers.DepthwiseConv2D(3, stride, padding="same", dilation_rate=dilation)(x)
    x = k.layers.ReLU(6.0)(x)
    return conv(x, filters, 1)


def ssd():
    k = keras()
    image = k.Input((96, 96, 3))
    x = conv(image, 16, stride=2)
    heads = []
    for filters in (32, 48, 64):
        x = separable(x, filters, stride=2)
        boxes = k.layers.Conv2D(3 * 4, 3, padding="same")(x)
        scores = k.layers.Conv2D(3 * 5, 3, padding="same")(x)
        heads.append((k.layers.Reshape((-1, 4))(boxes), k.layers.Reshape((-1, 5))(scores)))
    boxes = k.layers.Concatenate(axis=1)([h[0] for h in heads])
    scores = k.layers.Concatenate(axis=1)([h[1] for h in heads])
    return k.Model(image, [boxes, k.layers.Activation("sigmoid")(scores)])


def unet():
    import tensorflow as tf

    k = keras()
    image = k.Input((48, 48, 1))
    skips = []
    x = image
    for filters in (8, 16, 24):
        x = conv(conv(x, filters), filters)
        skips.append(x)
        x = k.layers.MaxPooling2D()(x)
    x = conv(x, 32)
    for i, skip in enumerate(reversed(skips)):
        filters = skip.shape[-1]
        if i == 0:
            x = k.layers.Conv2DTranspose(filters, 2, 2, padding="same")(x)
        elif i == 1:
            x = k.layers.Lambda(lambda t: tf.compat.v1.image.resize_nearest_neighbor(
                t, (24, 24)))(x)
        else:
            x = k.layers.UpSampling2D(interpolation="bilinear")(x)
        x = conv(k.layers.Concatenate()([x, skip]), filters)
    return k.Model(image, k.layers.Conv2D(2, 1, activation="sigmoid")(x))


def segmentation():
    import tensorflow as tf

    k = keras()
    image = k.Input((65, 65, 3))
    x = conv(image, 16, stride=2)
    x = separable(x, 24, stride=2)
    x = separable(x, 24, dilation=2)
    x = separable(x, 32, dilation=4)
    pooled = k.layers.GlobalAveragePooling2D(keepdims=True)(x)
    pooled = conv(pooled, 16, 1)
    pooled = k.layers.Lambda(lambda t: tf.compat.v1.image.resize_bilinear(
        t, (17, 17), align_corners=True))(pooled)
    x = conv(k.layers.Concatenate()([pooled, conv(x, 16, 1)]), 16, 1)
    x = k.layers.Conv2D(5, 1)(x)
    x = k.layers.Lambda(lambda t: tf.compat.v1.image.resize_bilinear(
        t, (65, 65), align_corners=True))(x)
    return k.Model(image, k.layers.Lambda(lambda t: tf.argmax(t, -1))(x))


def segmentation_scores():
    full = segmentation()
    k = keras()
    return k.Model(full.input, full.layers[-2].output)


def keyword_spotter():
    k = keras()
    sound = k.Input((49, 10, 1))
    x = conv(sound, 32, (10, 4), stride=2)
    for _ in range(3):
        x = separable(x, 32)
    x = k.layers.GlobalAveragePooling2D()(x)
    return k.Model(sound, k.layers.Dense(12, activation="softmax")(x))


def keyword_spotter_1d():
    k = keras()
    sound = k.Input((64, 8))
    x = k.layers.Conv1D(16, 9, 2, padding="same", activation="relu")(sound)
    x = k.layers.MaxPooling1D(2)(x)
    x = k.layers.Conv1D(24, 5, padding="same", activation="relu")(x)
    x = k.layers.GlobalAveragePooling1D()(x)
    return k.Model(sound, k.layers.Dense(12, activation="softmax")(x))


def autoencoder():
    k = keras()
    x = sound = k.Input((128,))
    for units in (64, 64, 8, 64, 64):
        x = k.layers.Dense(units, use_bias=False)(x)
        x = k.layers.BatchNormalization()(x)
        x = k.layers.ReLU()(x)
    return k.Model(sound, k.layers.Dense(128)(x))


def squeeze_excite():
    k = keras()
    image = k.Input((32, 32, 3))
    x = conv(image, 16, stride=2, activation="hard_swish")
    gate = k.layers.GlobalAveragePooling2D(keepdims=True)(x)
    gate = conv(gate, 8, 1)
    gate = k.layers.Conv2D(16, 1, activation="hard_sigmoid")(gate)
    x = k.layers.Multiply()([x, gate])
    x = conv(x, 24, stride=2, activation="silu")
    x = k.layers.PReLU(shared_axes=[1, 2])(x)
    x = k.layers.ELU()(x)
    x = k.layers.GlobalAveragePooling2D()(x)
    return k.Model(image, k.layers.Dense(CLASSES, activation="softmax")(x))


# Transformers: one sample at a time, so that reshapes have no open dimension.


def learned(*shape):
    """Values of a weight that no layer of Keras has: class tokens, positions."""
    return np.random.default_rng(shape).normal(0, 0.5, shape).astype(np.float32)


def norm(x):
    k = keras()
    uniform = k.initializers.RandomUniform
    return k.layers.LayerNormalization(epsilon=1e-6, gamma_initializer=uniform(0.5, 1.5),
                                       beta_initializer=uniform(-0.3, 0.3))(x)


def with_class_token(x):
    k = keras()
    x = k.ops.concatenate([learned(1, 1, x.shape[-1]), x], axis=1)
    return x + learned(1, *x.shape[1:])


def gelu(x):
    """Keras' own has ERFC, which ONNX lacks."""
    return 0.5 * x * (1.0 + keras().ops.erf(x * 0.5 ** 0.5))


def feed_forward(x, units, activation=gelu):
    k = keras()
    return k.layers.Dense(x.shape[-1])(k.layers.Dense(units, activation=activation)(x))


def self_attention(x, heads, **options):
    k = keras()
    layer = k.layers.MultiHeadAttention(heads, x.shape[-1] // heads, flash_attention=False)
    return layer(x, x, **options)


def fused_attention(x, heads, mask=None):
    """Queries, keys and values from one layer, as timm and DeiT have them."""
    k = keras()
    _, tokens, width = x.shape
    qkv = k.ops.reshape(k.layers.Dense(3 * width)(x), (1, tokens, 3, heads, width // heads))
    q, key, v = k.ops.unstack(k.ops.transpose(qkv, (2, 0, 3, 1, 4)), axis=0)
    scores = k.ops.matmul(q * (width // heads) ** -0.5, k.ops.transpose(key, (0, 1, 3, 2)))
    if mask is not None:
        scores = scores + mask
    x = k.ops.matmul(k.ops.softmax(scores), v)
    x = k.ops.reshape(k.ops.transpose(x, (0, 2, 1, 3)), (1, tokens, width))
    return k.layers.Dense(width)(x)


def causal_mask(tokens):
    return np.triu(np.full((1, 1, tokens, tokens), -8.0, np.float32), 1)


def keyword_transformer():
    """As KWT: normalised behind each sum."""
    k = keras()
    sound = k.Input((26, 16), batch_size=1)
    x = with_class_token(k.layers.Dense(32)(sound))
    for _ in range(2):
        x = norm(x + self_attention(x, 1))
        x = norm(x + feed_forward(x, 64))
    return k.Model(sound, k.layers.Dense(12, activation="softmax")(x[:, 0]))


def vision_transformer():
    k = keras()
    image = k.Input((32, 32, 3), batch_size=1)
    x = k.layers.Conv2D(48, 8, 8)(image)
    x = with_class_token(k.layers.Reshape((-1, 48))(x))
    for _ in range(2):
        x = x + fused_attention(norm(x), 3)
        x = x + feed_forward(norm(x), 96)
    return k.Model(image, k.layers.Dense(CLASSES, activation="softmax")(norm(x)[:, 0]))


def mobile_vit():
    """A block of MobileViT: pixels of the same place in all patches look at each other."""
    k = keras()
    image = k.Input((32, 32, 3), batch_size=1)
    x = skip = conv(separable(conv(image, 12, stride=2, activation="silu"), 16, stride=2), 16, activation="silu")
    x = k.layers.Conv2D(24, 1, use_bias=False)(x)
    x = k.ops.transpose(k.ops.reshape(x, (4, 2, 8, 24)), (0, 2, 1, 3))
    x = k.ops.reshape(k.ops.transpose(k.ops.reshape(x, (16, 4, 24)), (1, 0, 2)), (4, 16, 24))
    for _ in range(2):
        x = x + self_attention(norm(x), 2)
        x = x + feed_forward(norm(x), 48, "silu")
    x = k.ops.reshape(k.ops.transpose(norm(x), (1, 0, 2)), (4, 8, 2, 24))
    x = k.ops.reshape(k.ops.transpose(x, (0, 2, 1, 3)), (1, 8, 8, 24))
    x = conv(k.layers.Concatenate()([skip, conv(x, 16, 1, activation="silu")]), 16, activation="silu")
    return k.Model(image, k.layers.Dense(CLASSES, activation="softmax")(k.layers.GlobalAveragePooling2D()(x)))


def grouped(x, groups):
    """Keras' own layer compiles a part of its graph, which tf2onnx does not read."""
    import tensorflow as tf

    k = keras()
    channels = x.shape[-1]
    weights = learned(1, 1, channels // groups, channels)
    return k.layers.Lambda(lambda t: tf.nn.conv2d(t, weights, 1, "SAME"))(x)


def divided(q, key, v):
    """A column of ones beside the values gives the divisors."""
    k = keras()
    v = k.ops.pad(v, ((0, 0), (0, 0), (0, 0), (0, 1)), constant_values=1.0)
    y = k.ops.matmul(q, k.ops.matmul(k.ops.transpose(key, (0, 1, 3, 2)), v))
    return y[..., :-1] / (y[..., -1:] + 0.5)


def normalised(q, key, v):
    """No divisors: a norm has the same effect, and bytes cannot divide everywhere."""
    k = keras()
    return norm(k.ops.matmul(q, k.ops.matmul(k.ops.transpose(key, (0, 1, 3, 2)), v)))


def efficient_vit(product=divided):
    """Linear attention as EfficientViT has it."""
    k = keras()
    image = k.Input((32, 32, 3), batch_size=1)
    x = conv(separable(conv(image, 16, stride=2, activation="hard_swish"), 32, stride=2), 32, activation="hard_swish")
    qkv = k.layers.Conv2D(96, 1, use_bias=False)(x)
    wider = k.layers.DepthwiseConv2D(5, padding="same", use_bias=False)(qkv)
    wider = grouped(wider, 12)
    heads = k.ops.concatenate([k.ops.reshape(t, (1, 64, 4, 24)) for t in (qkv, wider)], axis=2)
    q, key, v = k.ops.split(k.ops.transpose(heads, (0, 2, 1, 3)), 3, axis=-1)
    y = product(k.ops.relu(q), k.ops.relu(key), v)
    y = k.ops.reshape(k.ops.transpose(y, (0, 2, 1, 3)), (1, 8, 8, 64))
    x = x + conv(y, 32, 1, activation=None)
    y = k.layers.DepthwiseConv2D(3, padding="same", activation="hard_swish")(
        k.layers.Conv2D(64, 1, activation="hard_swish")(x))
    x = x + conv(y, 32, 1, activation=None)
    return k.Model(image, k.layers.Dense(CLASSES)(k.layers.GlobalAveragePooling2D()(x)))


WORDS = 96


def bert():
    k = keras()
    tokens = k.Input((16,), batch_size=1, dtype="int32")
    x = norm(k.layers.Embedding(WORDS, 32)(tokens) * 16.0 + learned(1, 16, 32))
    for _ in range(2):
        x = norm(x + self_attention(x, 2))
        x = norm(x + feed_forward(x, 64))
    return k.Model(tokens, [x, k.layers.Dense(32, activation="tanh")(x[:, 0])])


def embedded_bert():
    """The encoder alone: what embeds runs elsewhere."""
    k = keras()
    x = embedded = k.Input((16, 32), batch_size=1)
    for _ in range(2):
        x = norm(x + self_attention(x, 4))
        x = norm(x + feed_forward(x, 64))
    return k.Model(embedded, x)


def decoder():
    """As GPT: no token sees those behind it."""
    k = keras()
    embedded = k.Input((20, 32), batch_size=1)
    x = embedded + learned(1, 20, 32)
    for _ in range(2):
        x = x + fused_attention(norm(x), 2, causal_mask(20))
        x = x + feed_forward(norm(x), 64)
    return k.Model(embedded, k.layers.Dense(WORDS, use_bias=False)(norm(x)))


def masked_decoder():
    """Keras' own causal mask: a number that drowns the scores' steps."""
    k = keras()
    embedded = k.Input((12, 32), batch_size=1)
    x = norm(embedded + self_attention(embedded, 2, use_causal_mask=True))
    return k.Model(embedded, norm(x + feed_forward(x, 64)))


def rotary_decoder():
    """As LLaMA: turned queries and keys, roots of mean squares, a gate; queries share keys."""
    k = keras()
    tokens, width, heads, groups = 16, 32, 4, 2
    depth = width // heads
    angles = np.arange(tokens)[:, None] * 10000.0 ** (-np.arange(0, depth, 2) / depth)
    cos, sin = (np.concatenate([f(angles)] * 2, -1).astype(np.float32) for f in (np.cos, np.sin))
    sin[:, :depth // 2] *= -1.0

    def scaled(x):
        return x * k.ops.rsqrt(k.ops.mean(x * x, axis=-1, keepdims=True) + 1e-5) * (1.0 + learned(width))

    def split(x, count):
        x = k.layers.Dense(count * depth, use_bias=False)(x)
        return k.ops.transpose(k.ops.reshape(x, (1, tokens, count, depth)), (0, 2, 1, 3))

    def turned(x):
        first, second = k.ops.split(x, 2, axis=-1)
        return x * cos + k.ops.concatenate([second, first], axis=-1) * sin

    x = embedded = k.Input((tokens, width), batch_size=1)
    for _ in range(2):
        y = scaled(x)
        q = k.ops.reshape(turned(split(y, heads)), (1, groups, heads // groups, tokens, depth))
        key, v = (k.ops.expand_dims(t, 2) for t in (turned(split(y, groups)), split(y, groups)))
        scores = k.ops.matmul(q, k.ops.transpose(key, (0, 1, 2, 4, 3))) * depth ** -0.5
        y = k.ops.matmul(k.ops.softmax(scores + causal_mask(tokens)), v)
        y = k.ops.reshape(k.ops.transpose(k.ops.reshape(y, (1, heads, tokens, depth)), (0, 2, 1, 3)), (1, tokens, width))
        x = x + k.layers.Dense(width, use_bias=False)(y)
        y = scaled(x)
        y = k.layers.Dense(64, "silu", use_bias=False)(y) * k.layers.Dense(64, use_bias=False)(y)
        x = x + k.layers.Dense(width, use_bias=False)(y)
    return k.Model(embedded, scaled(x))


def function(inputs, body):
    """A model of single operators, as a TensorFlow function."""

    def build():
        import tensorflow as tf

        specs = [tf.TensorSpec((1,) + shape, tf.float32) for shape in inputs]
        return tf.function(lambda *xs: body(tf, *xs), input_signature=specs)

    return build


def elementwise(tf, a, b):
    x = tf.minimum(a, b)
    y = tf.maximum(a, 0.25 * b)
    z = tf.math.squared_difference(x, y)
    w = tf.abs(a - b)
    where = tf.where(tf.greater(a, b), z, w)
    return where, tf.nn.relu(-z), tf.tanh(w), tf.math.rsqrt(w + 1.0), tf.nn.leaky_relu(x, 0.1)


def reductions(tf, a):
    return (tf.reduce_sum(a, [1, 2]), tf.reduce_max(a, [1, 2]), tf.reduce_min(a, 3),
            tf.reduce_mean(a, [1]), tf.reduce_mean(a, [1, 3]),
            tf.argmax(a, -1, output_type=tf.int32), tf.argmin(a, 2, output_type=tf.int32))


def arrangements(tf, a):
    parts = tf.split(a, [2, 4, 2], -1)
    rows = tf.unstack(a, axis=1)
    return (tf.nn.space_to_depth(a, 2), tf.nn.depth_to_space(a, 2),
            tf.pad(a, [[0, 0], [1, 2], [2, 1], [0, 0]], "REFLECT"), tf.tile(parts[0], [1, 1, 2, 3]),
            tf.gather(a, [3, 0, 5], axis=2), tf.stack([rows[0], rows[2]], axis=2),
            tf.transpose(parts[1], [0, 2, 1, 3]), a[:, 1:7:2, ::3, :],
            tf.concat([parts[2], parts[0]], -1))


def rows(tf, a, b):
    return (tf.matmul(a, b), tf.matmul(a, b, transpose_b=False) * 0.5, tf.nn.l2_normalize(a, -1),
            tf.nn.softmax(b), tf.nn.log_softmax(a))


def resizes(tf, a):
    v1 = tf.compat.v1.image
    return (v1.resize_bilinear(a, (13, 9)), v1.resize_bilinear(a, (20, 20), align_corners=True),
            tf.image.resize(a, (5, 12)), tf.image.resize(a, (12, 16), "nearest"))


def old_functions(tf, a, b):
    x = tf.nn.sigmoid(a)
    y = tf.tanh(b)
    z = a * tf.nn.relu6(a + 3.0) * (1.0 / 6.0)
    mean = tf.reduce_mean(a, [1, 2])
    return (x, y, z, mean, tf.nn.softmax(b), tf.nn.leaky_relu(a, 0.2), tf.nn.relu6(x + y),
            tf.nn.avg_pool2d(a, 2, 2, "SAME"), tf.nn.max_pool2d(a, 3, 1, "VALID"), a - b,
            tf.concat([a, b], 3), tf.compat.v1.image.resize_bilinear(a, (9, 7)),
            tf.argmax(b, -1), tf.pad(a, [[0, 0], [1, 1], [0, 2], [0, 0]]), tf.minimum(a, b))


# What is made of them ----------------------------------------------------------------------------

PER_TENSOR = {"per_channel": False}
TFLITE, QDQ, QOPERATOR = "tflite", "qdq", "qoperator"


def zoo():
    """name: (network, writer, type, options)."""
    models = {}

    def add(name, build, *variants):
        for variant in variants or [(TFLITE, "int8", {})]:
            writer, type_, options = variant
            parts = [name, writer if writer != TFLITE else "", type_]
            parts.append("tensor" if options.get("per_channel") is False else "")
            models["_".join(p for p in parts if p)] = (build,) + variant

    t8, tu8 = (TFLITE, "int8", {}), (TFLITE, "uint8", {})
    # Reference kernels round rows of FULLY_CONNECTED once, which adds up behind norms.
    r8 = (TFLITE, "int8", {"numerics": "litert"})
    tf32 = (TFLITE, "float32", {})
    q8, qu8 = (QDQ, "int8", {}), (QDQ, "uint8", PER_TENSOR)
    o8, ou8 = (QOPERATOR, "int8", PER_TENSOR), (QOPERATOR, "uint8", {})
    add("elementwise", function([(6, 5, 8), (6, 5, 8)], elementwise), t8)
    # LiteRT's reference kernel of SUM on int8 is off by much; its others and Micro's agree.
    add("reductions", function([(6, 5, 8)], reductions), (TFLITE, "int8", {"micro": True}),
        (TFLITE, "uint8", {"micro": True}))
    add("arrangements", function([(8, 8, 8)], arrangements), t8, tu8)
    # As converters wrote before int8: every tensor unsigned.
    add("old_functions", function([(6, 5, 8), (6, 5, 8)], old_functions),
        (TFLITE, "uint8", {"all_unsigned": True}))
    add("rows", function([(6, 10), (10, 7)], rows), t8)
    add("resizes", function([(10, 8, 3)], resizes), t8)
    add("squeeze_excite", squeeze_excite, t8, q8, ou8)
    add("keyword_spotter", keyword_spotter, t8, tf32, q8, qu8, o8)
    add("keyword_spotter_1d", keyword_spotter_1d, t8, q8)
    add("autoencoder", autoencoder, t8, q8, o8)
    add("unet", unet, t8, q8)
    add("ssd", ssd, t8, qu8)
    add("segmentation", segmentation, t8)
    add("segmentation_scores", segmentation_scores, q8)
    add("mobilenet_v1", application("MobileNet", 96, alpha=0.25), t8, tu8, q8, qu8, o8)
    add("mobilenet_v1_pruned", pruned(application("MobileNet", 96, alpha=0.25)), t8, q8)
    add("mobilenet_v2", application("MobileNetV2", 96, alpha=0.35), t8, q8, ou8)
    add("mobilenet_v3_small", application("MobileNetV3Small", 96), t8, q8)
    add("mobilenet_v3_large", application("MobileNetV3Large", 64, alpha=0.75), t8)
    add("efficientnet_b0", application("EfficientNetB0", 64), t8)
    add("efficientnet_v2_b0", application("EfficientNetV2B0", 64), t8)
    add("nasnet_mobile", application("NASNetMobile", 64), t8)
    add("densenet_121", application("DenseNet121", 64), t8)
    add("inception_v3", application("InceptionV3", 75), t8)
    add("xception", application("Xception", 71), t8)
    # Rounding twice, as TensorFlow Lite does, adds up over fifty layers: two steps, not one.
    add("resnet_50", application("ResNet50", 64), t8, (QDQ, "int8", {"most_steps": 2}))
    add("resnet_50_v2", application("ResNet50V2", 64), tu8)
    add("vgg_16", application("VGG16", 32), t8)
    add("convnext_tiny", application("ConvNeXtTiny", 64), t8)
    add("keyword_transformer", keyword_transformer, r8, q8)
    add("vision_transformer", vision_transformer, r8, q8)
    add("mobile_vit", mobile_vit, r8)
    # The import refuses DIV of bytes.
    add("efficient_vit", efficient_vit, q8)
    add("efficient_vit_normalised", lambda: efficient_vit(normalised), r8)
    add("bert", bert, r8)
    add("embedded_bert", embedded_bert, r8)
    add("decoder", decoder, r8)
    add("masked_decoder", masked_decoder, r8)
    add("rotary_decoder", rotary_decoder, r8)
    return models


def randomise(model):
    """Statistics as training leaves them, so that no layer is the identity."""
    rng = np.random.default_rng(1)
    for layer in model.layers:
        weights = layer.get_weights()
        if type(layer).__name__ == "BatchNormalization":
            layer.set_weights([rng.uniform(0.5, 1.5, w.shape) if i in (0, len(weights) - 1)
                               else rng.uniform(-0.3, 0.3, w.shape)
                               for i, w in enumerate(weights)])


class Network:
    """A network of Keras or a function, with samples of its inputs."""

    def __init__(self, build):
        k = keras()
        k.backend.clear_session()
        k.utils.set_random_seed(1)
        self.model = build()
        self.is_function = not isinstance(self.model, k.Model)
        if self.is_function:
            self.shapes = [tuple(s.shape) for s in self.model.input_signature]
        else:
            randomise(self.model)
            self.shapes = [(1,) + tuple(i.shape[1:]) for i in self.model.inputs]
        self.types = [np.float32 if self.is_function else np.dtype(i.dtype).type
                      for i in (self.shapes if self.is_function else self.model.inputs)]
        rng = np.random.default_rng(2)
        self.samples = [[drawn(s, t, rng) for s, t in zip(self.shapes, self.types)]
                        for _ in range(SAMPLES)]

    def concrete(self):
        import tensorflow as tf

        if self.is_function:
            return self.model.get_concrete_function()
        specs = [tf.TensorSpec(s, t) for s, t in zip(self.shapes, self.types)]
        call = tf.function(lambda *xs: self.model(list(xs) if len(xs) > 1 else xs[0],
                                                  training=False))
        return call.get_concrete_function(*specs)


def write_tflite(network, path, type_):
    import tensorflow as tf

    converter = tf.lite.TFLiteConverter.from_concrete_functions([network.concrete()])
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: iter(network.samples)
    if type_ != "float32":
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8,
                                               tf.lite.OpsSet.TFLITE_BUILTINS]
        converter.inference_input_type = getattr(tf, type_)
        converter.inference_output_type = getattr(tf, type_)
    with open(path, "wb") as out:
        out.write(converter.convert())


def make_unsigned(path):
    """The same real values in uint8, tensor by tensor."""
    import flatbuffers
    from tensorflow.lite.python import schema_py_generated as schema

    with open(path, "rb") as file:
        model = schema.ModelT.InitFromPackedBuf(file.read(), 0)
    for tensor in model.subgraphs[0].tensors:
        if tensor.type != schema.TensorType.INT8:
            continue
        tensor.type = schema.TensorType.UINT8
        tensor.quantization.zeroPoint = [z + 128 for z in tensor.quantization.zeroPoint]
        data = model.buffers[tensor.buffer].data
        if data is not None and len(data):
            model.buffers[tensor.buffer].data = np.frombuffer(
                bytes(bytearray(data)), np.uint8) ^ 0x80
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    with open(path, "wb") as file:
        file.write(builder.Output())


def write_onnx(network, path, writer, type_, per_channel=True, most_steps=1):
    import onnx
    import tensorflow as tf
    import tf2onnx
    from onnxruntime import quantization as q
    from onnxruntime.quantization.shape_inference import quant_pre_process

    float_path = path + ".float"
    specs = [tf.TensorSpec(s, tf.float32, name=f"x{i}") for i, s in enumerate(network.shapes)]
    call = tf.function(lambda *xs: network.model(list(xs) if len(xs) > 1 else xs[0],
                                                 training=False), input_signature=specs)
    proto, _ = tf2onnx.convert.from_function(
        call, input_signature=specs, opset=17,
        inputs_as_nchw=[s.name for s in specs if len(s.shape) == 4])
    onnx.save(proto, float_path)
    quant_pre_process(float_path, float_path, skip_symbolic_shape=True)
    # Constants count as inputs in some writers' files.
    graph = onnx.load(float_path).graph
    constants = {i.name for i in graph.initializer}
    names = [i.name for i in graph.input if i.name not in constants]

    class Reader(q.CalibrationDataReader):
        def __init__(self):
            self.samples = iter(network.samples)

        def get_next(self):
            sample = next(self.samples, None)
            return None if sample is None else {
                n: np.ascontiguousarray(x.transpose(0, 3, 1, 2)) if x.ndim == 4 else x
                for n, x in zip(names, sample)}

    kind = q.QuantType.QInt8 if type_ == "int8" else q.QuantType.QUInt8
    q.quantize_static(
        float_path, path, Reader(),
        quant_format=q.QuantFormat.QDQ if writer == QDQ else q.QuantFormat.QOperator,
        activation_type=kind, weight_type=q.QuantType.QInt8 if writer == QDQ else kind,
        per_channel=per_channel)
    os.remove(float_path)


def drawn(shape, type_, rng):
    if type_ == np.float32:
        return rng.uniform(-1, 1, shape).astype(type_)
    if type_ == np.int32:  # words
        return rng.integers(WORDS, size=shape).astype(type_)
    limits = np.iinfo(type_)
    return rng.integers(limits.min, limits.max + 1, shape).astype(type_)


def run_micro(path):
    """TensorFlow Lite for Microcontrollers."""
    from ai_edge_litert.interpreter import Interpreter
    from tflite_micro.python.tflite_micro import runtime

    details = Interpreter(model_path=path)
    interpreter = runtime.Interpreter.from_file(path)
    rng = np.random.default_rng(3)
    inputs = [drawn(d["shape"], d["dtype"], rng) for d in details.get_input_details()]
    for i, value in enumerate(inputs):
        interpreter.set_input(value, i)
    interpreter.invoke()
    outputs = [np.array(interpreter.get_output(i))
               for i in range(len(details.get_output_details()))]
    return "TensorFlow Lite Micro", inputs, outputs, [0.0] * len(outputs)


def interpreter_of(path):
    """With the reference kernels; where those lack an operator, with the plain built-in ones."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    for kind, resolver in (("LiteRT reference kernels", OpResolverType.BUILTIN_REF),
                           ("LiteRT built-in kernels",
                            OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)):
        try:
            return kind, Interpreter(model_path=path, experimental_op_resolver_type=resolver)
        except ValueError as error:
            if "Didn't find op" not in str(error) or kind.endswith("in kernels"):
                raise


def run_tflite(path):
    kind, interpreter = interpreter_of(path)
    interpreter.allocate_tensors()
    rng = np.random.default_rng(3)
    inputs = [drawn(d["shape"], d["dtype"], rng) for d in interpreter.get_input_details()]
    for detail, value in zip(interpreter.get_input_details(), inputs):
        interpreter.set_tensor(detail["index"], value)
    interpreter.invoke()
    outputs = [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]
    return kind, inputs, outputs, [0.0] * len(outputs)


def step_of(model, name):
    """What one step of an output is worth: a float one's scale, 1 for integers."""
    from onnx import numpy_helper

    constants = {i.name: i for i in model.graph.initializer}
    for node in model.graph.node:
        if name in node.output and node.op_type == "DequantizeLinear":
            return float(numpy_helper.to_array(constants[node.input[1]]))
    return 1.0


def run_onnx(path):
    import onnx
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    types = {"tensor(float)": np.float32, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8}
    rng = np.random.default_rng(3)
    inputs = [drawn([d if isinstance(d, int) else 1 for d in i.shape], types[i.type], rng)
              for i in session.get_inputs()]
    outputs = session.run(None, {i.name: x for i, x in zip(session.get_inputs(), inputs)})
    model = onnx.load(path)
    return "ONNX Runtime", inputs, outputs, [step_of(model, o.name) for o in session.get_outputs()]


def write_reference(folder, name, path, most_steps, results, **more):
    reference, inputs, outputs, steps = results
    for kind, values in (("input", inputs), ("output", outputs)):
        for i, value in enumerate(values):
            np.save(os.path.join(folder, f"{name}.{kind}{i}.npy"), value)
    with open(os.path.join(folder, name + ".json"), "w") as out:
        json.dump({"model": path, "reference": reference, "inputs": len(inputs),
                   "outputs": len(outputs), "steps": steps, "most_steps": most_steps, **more}, out)


def make(folder, name):
    build, writer, type_, options = zoo()[name]
    network = Network(build)
    file = name + (".tflite" if writer == TFLITE else ".onnx")
    path = os.path.join(folder, file)
    if writer == TFLITE:
        write_tflite(network, path, "int8" if options.get("all_unsigned") else type_)
        if options.get("all_unsigned"):
            make_unsigned(path)
        run = run_micro if options.get("micro") else run_tflite
        more = {key: options[key] for key in ("numerics",) if key in options}
        write_reference(folder, name, file, 0, run(path), **more)
    else:
        write_onnx(network, path, writer, type_, **options)
        write_reference(folder, name, file, options.get("most_steps", 1), run_onnx(path))


def given(folder, path):
    name = os.path.splitext(os.path.basename(path))[0]
    tflite = path.endswith(".tflite")
    write_reference(folder, name, os.path.abspath(path), 0 if tflite else 1,
                    run_tflite(path) if tflite else run_onnx(path))


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(zoo()))
        return
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    failed = []
    files = sys.argv[3:] if sys.argv[2:3] == ["--given"] else None
    for name in files or sys.argv[2:] or zoo():
        try:
            given(folder, name) if files else make(folder, name)
            print("made", name, flush=True)
        except Exception as error:  # the others are made all the same
            failed.append(name)
            print("FAILED", name, f"{type(error).__name__}: {error}"[:600], flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
