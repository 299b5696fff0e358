#!/usr/bin/env python3
"""Small quantised ONNX models, drawn at random, against ONNX Runtime.

    drawn_onnx.py COSIM [--count 500] [--seed 1] [--only KIND] [--keep FOLDER] [--finer]

Each has one operator, or a few, between DequantizeLinear and QuantizeLinear. What ONNX Runtime
computes without optimisations, the operators as they are defined, is right. No byte is off by more
than one, and one in 2000 at most is off by that: ties of averages, which single precision decides by
the order of its additions, and biases that are no multiple of what a sum counts in. With --finer the outputs have
steps that are up to 10^12 times finer: most values saturate, and what no 32 bits hold may be refused.
"""
import os
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper, numpy_helper

import drawn


class Model:
    """A model that grows node by node. Values are float names between the quantisers."""

    def __init__(self, rng, opset):
        self.rng = rng
        self.opset = opset
        self.nodes = []
        self.constants = []
        self.count = 0

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def constant(self, value):
        name = self.name()
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind, inputs, **attributes):
        out = self.name()
        attributes = {k: v for k, v in attributes.items() if v is not None}
        self.nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return out

    def dequantized(self, name, scale, zero):
        return self.node("DequantizeLinear", [name, self.constant(np.float32(scale)), self.constant(zero)])

    def quantized(self, name, scale, zero):
        return self.node("QuantizeLinear", [name, self.constant(np.float32(scale)), self.constant(zero)])

    def weights(self, shape, axis, scale=0.01):
        """Per channel or per tensor; now and then a channel that has learnt nothing, or four bits."""
        if self.opset >= 21 and self.rng.integers(2):
            return self.packed_weights(shape, axis, 8 * scale)
        w = self.constant(self.rng.integers(-127, 128, shape).astype(np.int8))
        if self.rng.integers(2):
            scales = (scale * self.rng.uniform(0.5, 2, shape[axis])).astype(np.float32)
            if self.rng.integers(6) == 0:
                scales[self.rng.integers(len(scales))] = 1e-11
            zeros = np.zeros(shape[axis], np.int8)
            return self.node("DequantizeLinear", [w, self.constant(scales), self.constant(zeros)], axis=axis), scales
        return (self.node("DequantizeLinear", [w, self.constant(np.float32(scale)), self.constant(np.int8(0))]),
                np.float32(scale))

    def packed_weights(self, shape, axis, scale):
        """Two in a byte, around zero or with a zero point."""
        code, low = [(T.INT4, -8), (T.UINT4, 0)][self.rng.integers(2)]
        per_channel = bool(self.rng.integers(2))
        scales = (scale * self.rng.uniform(0.5, 2, shape[axis] if per_channel else ())).astype(np.float32)

        def constant(dims, values):
            name = self.name()
            self.constants.append(helper.make_tensor(name, code, dims, [int(v) for v in np.ravel(values)]))
            return name

        w = constant(shape, self.rng.integers(low, low + 16, int(np.prod(shape))))
        zeros = constant(scales.shape, np.full(scales.shape, 0 if low else 8))
        return self.node("DequantizeLinear", [w, self.constant(scales), zeros], axis=axis if per_channel else None), scales

    def real(self, value):
        """A constant of floats, or one that a quantiser has made bytes of: scales that divide its values evenly, too."""
        if self.opset < 13 or self.rng.integers(3):
            return self.constant(np.asarray(value, np.float32))
        span = float(np.max(np.abs(value))) or 1.0
        kind = [np.int8, np.uint8][self.rng.integers(2)]
        zero = kind(0 if kind is np.int8 or np.min(value) >= 0 else 128)
        scale = np.float32(span / (255 if kind is np.uint8 and zero == 0 else 127))
        stored = np.clip(np.rint(np.asarray(value) / scale) + int(zero), np.iinfo(kind).min, np.iinfo(kind).max).astype(kind)
        return self.dequantized(self.constant(stored), scale, zero)

    def bias(self, outputs, unit):
        """As int32 in units of the sums, as float, or none."""
        kind = self.rng.integers(3)
        if kind == 0:
            return []
        if kind == 1:
            return [self.constant(self.rng.normal(0, 0.5, outputs).astype(np.float32))]
        units = np.broadcast_to(unit, outputs).astype(np.float32)
        values = self.constant(self.rng.integers(-2000, 2000, outputs).astype(np.int32))
        return [self.node("DequantizeLinear", [values, self.constant(units), self.constant(np.zeros(outputs, np.int32))],
                          axis=0)]


def draw_shape(rng, rank=4, most=9):
    batches = int(rng.integers(2, 4)) if rng.integers(6) == 0 else 1
    return [batches, int(rng.integers(1, 6))] + [int(rng.integers(3, most)) for _ in range(rank - 2)]


def draw_pads(rng, kernel, spatial):
    if rng.integers(2):
        return None
    return [int(rng.integers(0, k)) for _ in range(2) for k in kernel[:spatial]]


def draw_wide_pads(rng, kernel, spatial):
    """Now and then as wide as a kernel and more."""
    more = int(rng.integers(1, 4)) if rng.integers(5) == 0 else 0
    pads = draw_pads(rng, kernel, spatial)
    return [p + more for p in pads] if pads else pads


def conv(m, x, shape, scale):
    rng = m.rng
    groups = int(rng.choice([g for g in range(1, shape[1] + 1) if shape[1] % g == 0]))
    kernel = [int(rng.integers(1, 4)) for _ in shape[2:]]
    outputs = groups * int(rng.integers(1, 4))
    w, scales = m.weights([outputs, shape[1] // groups, *kernel], 0)
    return m.node("Conv", [x, w, *m.bias(outputs, scales * scale)], group=groups, kernel_shape=kernel,
                  strides=[int(rng.integers(1, 3)) for _ in kernel], pads=draw_wide_pads(rng, kernel, len(kernel)))


def conv_transpose(m, x, shape, scale):
    rng = m.rng
    kernel = [int(rng.integers(1, 4)) for _ in shape[2:]]
    groups = int(rng.choice([g for g in range(1, shape[1] + 1) if shape[1] % g == 0]))
    outputs = int(rng.integers(1, 5))
    w, scales = m.weights([shape[1], outputs, *kernel], 1)
    scales = np.tile(scales, groups) if np.size(scales) > 1 else scales
    rule = str(rng.choice(["NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"]))
    return m.node("ConvTranspose", [x, w, *m.bias(outputs * groups, scales * scale)], kernel_shape=kernel, group=groups,
                  strides=[int(rng.integers(1, 3)) for _ in kernel], auto_pad=rule,
                  pads=draw_pads(rng, [min(k, 2) for k in kernel], len(kernel)) if rule == "NOTSET" else None)


def gemm(m, x, shape, scale):
    flat = m.node("Flatten", [x])
    inputs = int(np.prod(shape))
    outputs = int(m.rng.integers(1, 9))
    w, scales = m.weights([outputs, inputs], 0, 0.004)
    bias = m.bias(outputs, scales * scale)
    if m.rng.integers(4) == 0:  # one value for all outputs, in any of its shapes
        bias = [m.constant(np.full([[], [1], [1, 1]][m.rng.integers(3)], m.rng.normal(), np.float32))]
    return m.node("Gemm", [flat, w, *bias], transB=1)


def dynamic(m, x, shape, _):
    """What ONNX Runtime's dynamic quantisation makes of a product or of a convolution."""
    rng = m.rng
    names = [m.name() for _ in range(3)]
    m.nodes.append(helper.make_node("DynamicQuantizeLinear", [x], names))
    values, scale, zero = names
    signed = bool(rng.integers(2))
    byte = np.int8 if signed else np.uint8
    weight_zero = m.constant(byte(0 if signed else rng.integers(100, 150)))
    limits = np.iinfo(byte)

    def weights(size):
        return m.constant(rng.integers(limits.min, limits.max + 1, size).astype(byte))

    if rng.integers(2):
        kernel = [int(v) for v in rng.integers(1, 4, len(shape) - 2)]
        groups = int(rng.choice([g for g in range(1, shape[1] + 1) if shape[1] % g == 0]))
        sums = m.node("ConvInteger", [values, weights([2 * groups, shape[1] // groups, *kernel]), zero, weight_zero], kernel_shape=kernel,
                      strides=[int(v) for v in rng.integers(1, 3, len(kernel))], pads=draw_pads(rng, kernel, len(kernel)), group=groups)
    else:
        sums = m.node("MatMulInteger", [values, weights([shape[-1], int(rng.integers(1, 7))]), zero, weight_zero])
    real = m.node("Cast", [sums], to=T.FLOAT)
    return m.node("Mul", [real, m.node("Mul", [scale, m.constant(np.float32(0.01))])])


def activations(m, x, shape, _):
    """A product of two computed matrices, as attention has it."""
    turn = list(range(len(shape)))
    turn[-2:] = turn[-1], turn[-2]
    return m.node("MatMul", [x, m.node("Transpose", [x], perm=turn)])


def average_pool(m, x, shape, _):
    rng = m.rng
    kernel = [int(rng.integers(1, 4)) for _ in shape[2:]]
    return m.node("AveragePool", [x], kernel_shape=kernel, strides=[int(rng.integers(1, 4)) for _ in kernel],
                  pads=draw_pads(rng, kernel, len(kernel)), ceil_mode=int(rng.integers(2)),
                  count_include_pad=int(rng.integers(2)))


def max_pool(m, x, shape, _):
    rng = m.rng
    kernel = [int(rng.integers(1, 4)) for _ in shape[2:]]
    dilations = [int(rng.integers(1, 3)) if rng.integers(3) == 0 and (k - 1) * 2 + 1 <= s else 1
                 for k, s in zip(kernel, shape[2:])]
    return m.node("MaxPool", [x], kernel_shape=kernel, strides=[int(rng.integers(1, 4)) for _ in kernel],
                  pads=draw_pads(rng, kernel, len(kernel)), dilations=dilations, ceil_mode=int(rng.integers(2)))


def global_pool(m, x, *_):
    return m.node(str(m.rng.choice(["GlobalAveragePool", "GlobalMaxPool"])), [x])


def reduce_mean(m, x, shape, _):
    axes = sorted(int(a) for a in m.rng.choice(np.arange(1, len(shape)), m.rng.integers(1, len(shape)), replace=False))
    keep = int(m.rng.integers(2))
    if m.opset >= 18:
        return m.node("ReduceMean", [x, m.constant(np.array(axes, np.int64))], keepdims=keep)
    return m.node("ReduceMean", [x], axes=axes, keepdims=keep)


def resize(m, x, shape, _):
    rng = m.rng
    mode = str(rng.choice(["nearest", "linear"]))
    if m.opset < 11:
        scales = [1.0, 1.0] + [float(rng.choice([0.5, 0.7, 1.0, 1.3, 2.0, 2.5])) for _ in shape[2:]]
        return m.node("Resize", [x, m.constant(np.array(scales, np.float32))], mode=mode)
    rules = ["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "tf_crop_and_resize"]
    nearest = str(rng.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]))
    rules += ["half_pixel_symmetric"] if m.opset >= 19 and mode == "linear" else []
    scales = [1.0, 1.0] + [float(rng.choice([0.5, 0.55, 0.75, 1.0, 1.3, 1.5, 2.0, 2.5, 3.0])) for _ in shape[2:]]
    axes, region, value = None, "", None
    if m.opset >= 18 and rng.integers(2):
        axes, scales = list(range(2, len(shape))), scales[2:]
    rule = str(rng.choice(rules))
    if rule == "tf_crop_and_resize":
        starts, ends = ([0.0] * (len(scales) + 2 - len(shape)), [1.0] * (len(scales) + 2 - len(shape)))
        starts += [float(rng.uniform(-0.4, 0.6)) for _ in shape[2:]]
        # Something of it lies in the input.
        ends += [float(rng.uniform(0.5, 1.0 if start < 0 else 1.4)) for start in starts[-len(shape[2:]):]]
        region = m.constant(np.array(starts + ends, np.float32))
        value = float(rng.choice([0.0, rng.normal(0, 2), 7.0]))
    return m.node("Resize", [x, region, m.constant(np.array(scales, np.float32))], mode=mode, axes=axes,
                  coordinate_transformation_mode=rule, extrapolation_value=value,
                  nearest_mode=nearest if mode == "nearest" else None)


def pad(m, x, shape, _):
    """Around numbers or around the bytes themselves; the value lies on no step of theirs."""
    rng = m.rng
    pads = m.constant(np.array([0] + [int(v) for v in rng.integers(0, 3, len(shape) - 1)] +
                               [0] + [int(v) for v in rng.integers(0, 3, len(shape) - 1)], np.int64))
    mode = str(rng.choice(["constant", "constant", "reflect"]))
    if rng.integers(2):
        value = m.constant(np.float32(rng.choice([0, rng.normal(0, 1)]))) if rng.integers(3) else ""
        return m.node("Pad", [x, pads] + ([value] if value else []), mode=mode)
    value = m.constant(m.zero.dtype.type(rng.integers(0, 100))) if rng.integers(3) else ""
    return m.dequantized(m.node("Pad", [m.given, pads] + ([value] if value else []), mode=mode), m.scale, m.zero)


def stored(m, _, shape, scale):
    """Operators that ONNX has on bytes."""
    rng = m.rng
    kind = str(rng.choice(["resize", "max_pool", "slices", "Max", "Min", "Transpose", "Concat", "Tile", "Where"]))
    given, byte = m.given, m.zero.dtype.type
    if kind in ("resize", "max_pool", "slices"):
        y = {"resize": resize, "max_pool": max_pool, "slices": slices}[kind](m, given, shape, scale)
    elif kind in ("Max", "Min"):
        y = m.node(kind, [given, m.constant(np.array(rng.integers(0, 100, shape[-1]), byte))])
    elif kind == "Transpose":
        y = m.node(kind, [given], perm=[0] + [int(d) + 1 for d in rng.permutation(len(shape) - 1)])
    elif kind == "Concat":
        y = m.node(kind, [given, given], axis=int(rng.integers(1, len(shape))))
    elif kind == "Tile":
        y = m.node(kind, [given, m.constant(np.array([1] + [int(v) for v in rng.integers(1, 3, len(shape) - 1)], np.int64))])
    else:
        y = m.node(kind, [m.constant(rng.integers(0, 2, shape).astype(bool)), given, m.constant(byte(rng.integers(0, 100)))])
    return m.dequantized(y, m.scale, m.zero)


def binary(m, x, shape, scale):
    kind = str(m.rng.choice(["Add", "Mul", "Sub"]))
    other = m.rng.integers(3)
    if other == 0:
        return m.node(kind, [x, x])
    size = shape if other == 1 else [1, shape[1]] + [1] * (len(shape) - 2)
    constant = m.constant(m.rng.integers(-128, 128, size).astype(np.int8))
    return m.node(kind, [x, m.dequantized(constant, scale * m.rng.uniform(0.3, 3), np.int8(m.rng.integers(-9, 9)))])


def concat(m, x, *_):
    other = m.quantized(m.node("Sigmoid", [x]), 1 / 256, np.int8(-128))
    return m.node("Concat", [x, m.dequantized(other, 1 / 256, np.int8(-128))], axis=1)


def function(m, x, shape, _):
    rng = m.rng
    kind = str(rng.choice(["Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "Clip", "Elu", "Abs", "Neg", "Exp",
                           "Softmax", "HardSwish", "Floor", "Max", "Min"]))
    if kind in ("Max", "Min"):
        return m.node(kind, [x, m.constant(np.array(rng.normal(0, 1, shape[-1]), np.float32))])
    if kind == "Clip":
        return m.node(kind, [x, m.constant(np.float32(-0.4)), m.constant(np.float32(0.7))])
    if kind == "LeakyRelu":
        return m.node(kind, [x], alpha=float(rng.uniform(-0.5, 1.5)))
    if kind == "Softmax":
        return m.node(kind, [x], axis=int(rng.integers(1, len(shape))))
    if kind == "HardSwish" and m.opset < 14:
        kind = "Relu"
    return m.node(kind, [x])


def pairs(m, x, shape, scale):
    """Functions of two values, a constant or computed, of any shape that broadcasts."""
    rng = m.rng
    kind = str(rng.choice(["Div", "Pow", "PRelu", "Add", "Sub", "Mul", "Max", "Min", "Where", "LessWhere"]))
    sizes = [[], [1], shape[-1:], [shape[1]] + [1] * (len(shape) - 2), shape[1:], shape, [1] + shape[1:2] + [1] * (len(shape) - 2),
             [1] * (len(shape) + 1)]
    size = sizes[rng.integers(len(sizes))]
    other = np.array(rng.normal(0, 1, size), np.float32)
    if kind == "Div":
        other = np.array(np.where(np.abs(other) < 0.2, 0.7, other), np.float32)
    elif kind == "Pow":
        x, other = m.node("Abs", [x]), np.array(rng.choice([0.5, 1, 2, 3], size), np.float32)
    elif kind in ("Where", "LessWhere"):
        other = np.array(rng.normal(0, 1, size) > 0)
        second = m.node("Sigmoid", [x]) if rng.integers(2) else m.constant(np.float32(rng.normal()))
        both = [x, second] if rng.integers(2) else [second, x]
        return m.node("Where", [m.constant(other)] + both)
    if kind not in ("PRelu", "Pow") and rng.integers(3) == 0:
        return m.node(kind, [m.constant(other), x] if kind != "Div" else
                      [m.constant(other), m.node("Add", [m.node("Abs", [x]), m.constant(np.float32(0.3))])])
    if kind not in ("PRelu", "Pow", "Div") and rng.integers(3) == 0:
        return m.node(kind, [x, m.node("Tanh", [x])])
    return m.node(kind, [x, m.real(other)])


def unary(m, x, shape, _):
    """Functions that few quantised files have."""
    rng = m.rng
    kind = str(rng.choice(["Sqrt", "Log", "Round", "Erf", "Gelu", "Ceil", "PRelu", "Softmax", "Log", "ThresholdedRelu", "Softplus",
                           "Selu", "Celu", "Mish", "Softsign", "Reciprocal", "Sign", "Sin", "Cos", "LogSoftmax"]))
    if kind in ("Sqrt", "Log", "Reciprocal"):
        x = m.node("Add", [m.node("Abs", [x]), m.constant(np.float32(0.1))])
    if kind == "PRelu":
        return m.node(kind, [x, m.real(rng.normal(0, 0.5, [shape[1]] + [1] * (len(shape) - 2)))])
    if kind == "Gelu" and m.opset >= 20:
        return m.node(kind, [x], approximate=str(rng.choice(["none", "tanh"])))
    if kind in ("Softmax", "LogSoftmax"):
        return m.node(kind, [x], axis=int(rng.integers(-len(shape) if m.opset > 12 else 0, len(shape))))
    return m.node(kind, [x])


def moves(m, x, shape, _):
    """What moves real values, several in a row."""
    rng = m.rng
    for _ in range(int(rng.integers(1, 4))):
        kind = str(rng.choice(["Transpose", "Reshape", "Flatten", "Unsqueeze", "Expand", "Tile", "Gather", "DepthToSpace", "SpaceToDepth",
                               "Split", "Squeeze", "Slice", "Concat"]))
        rank = len(shape)
        axis = int(rng.integers(0, rank))
        if kind == "Transpose":
            perm = [int(d) for d in rng.permutation(rank)]
            x, shape = m.node(kind, [x], perm=perm), [shape[d] for d in perm]
        elif kind == "Reshape":
            shape = [int(np.prod(shape[:axis], initial=1)), int(np.prod(shape[axis:]))]
            x = m.node(kind, [x, m.constant(np.array([shape[0], -1], np.int64))])
        elif kind == "Flatten":
            shape = [int(np.prod(shape[:axis], initial=1)), int(np.prod(shape[axis:]))]
            x = m.node(kind, [x], axis=axis)
        elif kind == "Unsqueeze" and rank < 5:
            x = m.node(kind, [x, m.constant(np.array([axis], np.int64))]) if m.opset >= 13 else m.node(kind, [x], axes=[axis])
            shape = shape[:axis] + [1] + shape[axis:]
        elif kind == "Squeeze" and 1 in shape[:-1] and rank > 2:
            axis = shape.index(1)
            x = m.node(kind, [x, m.constant(np.array([axis], np.int64))]) if m.opset >= 13 else m.node(kind, [x], axes=[axis])
            shape = shape[:axis] + shape[axis + 1:]
        elif kind == "Expand" and shape[axis] == 1:
            shape = shape[:axis] + [int(rng.integers(2, 4))] + shape[axis + 1:]
            x = m.node(kind, [x, m.constant(np.array(shape, np.int64))])
        elif kind == "Tile":
            times = [1] * rank
            times[axis] = int(rng.integers(1, 3))
            x, shape = m.node(kind, [x, m.constant(np.array(times, np.int64))]), [a * b for a, b in zip(shape, times)]
        elif kind == "Gather":
            rows = rng.integers(-shape[axis], shape[axis], int(rng.integers(1, 4)))
            x = m.node(kind, [x, m.constant(np.array(rows, np.int64))], axis=axis)
            shape = shape[:axis] + [len(rows)] + shape[axis + 1:]
        elif kind == "DepthToSpace" and rank == 4 and shape[1] % 4 == 0:
            x = m.node(kind, [x], blocksize=2, mode=str(rng.choice(["DCR", "CRD"])))
            shape = [shape[0], shape[1] // 4, shape[2] * 2, shape[3] * 2]
        elif kind == "SpaceToDepth" and rank == 4 and shape[2] % 2 == 0 and shape[3] % 2 == 0:
            x = m.node(kind, [x], blocksize=2)
            shape = [shape[0], shape[1] * 4, shape[2] // 2, shape[3] // 2]
        elif kind == "Split" and shape[axis] > 1:
            first = int(rng.integers(1, shape[axis]))
            sizes = [first, shape[axis] - first]
            out = [m.name(), m.name()]
            if m.opset >= 13:
                m.nodes.append(helper.make_node(kind, [x, m.constant(np.array(sizes, np.int64))], out, axis=axis))
            else:
                m.nodes.append(helper.make_node(kind, [x], out, axis=axis, split=sizes))
            x, shape = out[1], shape[:axis] + [sizes[1]] + shape[axis + 1:]
        elif kind == "Slice":
            step = int(rng.choice([1, 2, -1]))
            begin, end = (0, shape[axis]) if step > 0 else (shape[axis] - 1, -shape[axis] - 1)
            x = m.node(kind, [x] + [m.constant(np.array([v], np.int64)) for v in (begin, end, axis, step)])
            shape = shape[:axis] + [(shape[axis] + abs(step) - 1) // abs(step)] + shape[axis + 1:]
        elif kind == "Concat":
            x, shape = m.node(kind, [x, x], axis=axis), shape[:axis] + [2 * shape[axis]] + shape[axis + 1:]
        else:
            x = m.node("Identity", [x])
    return m.node("Relu", [x])


def reductions(m, x, shape, _):
    rng = m.rng
    kind = str(rng.choice(["ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd", "ReduceL2", "ReduceSumSquare", "ReduceL1"]))
    axes = sorted(int(a) for a in rng.choice(np.arange(len(shape)), rng.integers(1, len(shape)), replace=False))
    keep = int(rng.integers(2))
    if m.opset >= 18 or (kind == "ReduceSum" and m.opset >= 13):
        return m.node(kind, [x, m.constant(np.array(axes, np.int64))], keepdims=keep)
    return m.node(kind, [x], axes=axes, keepdims=keep)


def qlinear(m, _, shape, scale):
    """Operators of bytes with their scales as inputs: ONNX's own and those of ONNX Runtime's domain."""
    rng = m.rng
    byte = m.zero.dtype.type
    ours = ["QLinearAdd", "QLinearMul", "QLinearConcat", "QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax",
            "QLinearAveragePool", "QLinearGlobalAveragePool", "QGemm"]
    kind = str(rng.choice(["QLinearConv", "QLinearConv", "QLinearMatMul"] + ours))
    domain = "com.microsoft" if kind in ours else ""
    low, high = np.iinfo(byte).min, np.iinfo(byte).max

    def number(value):
        return m.constant(np.float32(value))

    def zero(kind=byte):
        return m.constant(kind(rng.integers(np.iinfo(kind).min // 2, np.iinfo(kind).max // 2)))

    given = [m.given, number(m.scale), m.constant(m.zero)]
    out_scale, out_zero = float(rng.uniform(0.01, 0.06)), byte(rng.integers(low // 2, high // 2))
    if "Pool" in kind and rng.integers(2):  # many sums that lie on halves
        out_scale, out_zero = float(m.scale * rng.choice([1, 0.4, 0.5])), m.zero
    if kind == "QLinearSoftmax" and rng.integers(2):
        out_scale, out_zero = 1 / 256, byte(low)
    out = [number(out_scale), m.constant(out_zero)]

    def give(inputs, **attributes):
        return m.dequantized(m.node(kind, inputs, domain=domain, **attributes), out_scale, out_zero)

    if kind in ("QLinearAdd", "QLinearMul"):
        size = [shape, [1, shape[1]] + [1] * (len(shape) - 2), [1]][rng.integers(3)]
        other = given if rng.integers(3) == 0 else [m.constant(rng.integers(low, high + 1, size).astype(byte)),
                                                    number(rng.uniform(0.005, 0.05)), zero()]
        return give(given + other + out if rng.integers(2) else other + given + out)
    if kind == "QLinearConcat":
        return give(out + given + given, axis=1)
    if kind in ("QLinearSigmoid", "QLinearLeakyRelu"):
        return give(given + out, **({"alpha": float(rng.uniform(0, 0.5))} if "Relu" in kind else {}))
    if kind == "QLinearSoftmax":
        return give(given + out, axis=int(rng.integers(0, len(shape))), opset=int(rng.choice([11, 13])))
    if kind == "QLinearGlobalAveragePool":
        return give(given + out, channels_last=0)
    if kind == "QLinearAveragePool":
        kernel = [int(rng.integers(1, min(3, s) + 1)) for s in shape[2:]]
        return give(given + out, kernel_shape=kernel, strides=[int(rng.integers(1, 3)) for _ in kernel])
    weight = [np.int8, np.uint8][rng.integers(2)] if byte is np.uint8 else np.int8
    limits = np.iinfo(weight)
    if kind == "QLinearConv":
        outputs, kernel = int(rng.integers(1, 6)), [int(rng.integers(1, min(3, s) + 1)) for s in shape[2:]]
        w = m.constant(rng.integers(limits.min, limits.max + 1, [outputs, shape[1]] + kernel).astype(weight))
        scales = (m.constant(np.float32(rng.uniform(0.002, 0.01, outputs))) if weight is np.int8 and rng.integers(2)
                  else number(rng.uniform(0.002, 0.01)))
        zeros = m.constant(np.zeros(outputs if m.constants[-1].dims else (), weight)) if weight is np.int8 else zero(weight)
        bias = [m.constant(rng.integers(-9000, 9000, outputs).astype(np.int32))] if rng.integers(2) else []
        return give(given + [w, scales, zeros] + out + bias)
    rows = int(np.prod(shape[:-1]))
    outputs = int(rng.integers(1, 6))
    flat = [m.node("Reshape", [m.given, m.constant(np.array([rows, shape[-1]], np.int64))])] + given[1:]
    if kind == "QGemm":
        turned = int(rng.integers(2))
        size = [outputs, shape[-1]] if turned else [shape[-1], outputs]
        b = [m.constant(rng.integers(limits.min, limits.max + 1, size).astype(weight)), number(rng.uniform(0.01, 0.05)),
             m.constant(weight(0)) if weight is np.int8 else zero(weight)]
        bias = m.constant(rng.integers(-900, 900, outputs).astype(np.int32)) if rng.integers(2) else ""
        return give(flat + b + [bias] + out, transB=turned)
    b = [m.constant(rng.integers(limits.min, limits.max + 1, [shape[-1], outputs]).astype(weight)), number(rng.uniform(0.01, 0.05)),
         m.constant(weight(0)) if weight is np.int8 else zero(weight)]
    return give(flat + b + out)


def floats(m, x, shape, _):
    """Layers that nobody quantised: floats go in, or come out, or both."""
    rng = m.rng
    kind = str(rng.choice(["Conv", "Conv", "depthwise", "Gemm", "MatMul", "BatchNormalization"]))
    if rng.integers(3):
        x = m.node("Add", [x, m.node("Sin", [x])])
    if kind in ("Conv", "depthwise"):
        groups = shape[1] if kind == "depthwise" else int(rng.choice([g for g in range(1, shape[1] + 1) if shape[1] % g == 0]))
        outputs, kernel = int(rng.integers(1, 6)) * (groups if groups > 1 else 1), [int(rng.integers(1, min(3, s) + 1)) for s in shape[2:]]
        w = [m.constant(np.array(rng.normal(0, 0.3, [outputs, shape[1] // groups] + kernel), np.float32))]
        b = [m.constant(np.array(rng.normal(0, 1, outputs), np.float32))] if rng.integers(2) else []
        y = m.node("Conv", [x] + w + b, group=groups, strides=[int(rng.integers(1, 3)) for _ in kernel], pads=draw_pads(rng, kernel, len(kernel)))
    elif kind == "BatchNormalization":
        parts = [m.constant(np.array(rng.uniform(0.5, 2, shape[1]), np.float32)) for _ in range(4)]
        y = m.node(kind, [x] + parts, epsilon=1e-3)
    elif kind == "MatMul":
        y = m.node(kind, [x, m.constant(np.array(rng.normal(0, 0.3, [shape[-1], 5]), np.float32))])
    else:
        flat = m.node("Flatten", [x])
        turned, inputs = int(rng.integers(2)), int(np.prod(shape[1:]))
        w = m.constant(np.array(rng.normal(0, 0.3, [4, inputs] if turned else [inputs, 4]), np.float32))
        b = [m.constant(np.array(rng.normal(0, 1, [4] if rng.integers(2) else [1]), np.float32))] if rng.integers(2) else []
        y = m.node(kind, [flat, w] + b, transB=turned, alpha=float(rng.choice([1, 0.5])), beta=float(rng.choice([1, 2])))
    return m.node("Tanh", [m.node("Relu", [y])])


def norms(m, x, shape, _):
    """Norms of transformers, and products that Einsum writes."""
    rng = m.rng
    kind = str(rng.choice(["LayerNormalization", "LayerNormalization", "SimplifiedLayerNormalization", "Skip", "SkipSimplified", "Einsum", "Einsum"]))
    if kind == "Einsum":
        b, c, h, w = shape
        equation, other = [("bchw,bcvw->bchv", [b, c, 5, w]), ("bchw,bchv->bcwv", [b, c, h, 3]), ("bchw,bvcw->bhvc", [b, 4, c, w]),
                           ("bchw , bcvh -> cbvw", [b, c, 2, h]), ("bchw,bcw->bch", [b, c, w]), ("bchw,vwbc", [3, w, b, c])][rng.integers(6)]
        second = m.node("Tanh", [m.node("Expand", [m.node("ReduceMean", [x], keepdims=0, axes=[0, 1, 2, 3]), m.constant(np.array(other, np.int64))])])
        return m.node(kind, [x, m.node("Mul", [second, m.real(np.array(rng.normal(0, 1, other), np.float32))])], equation=equation)
    real = lambda size, around: m.constant(np.array(rng.normal(around, 0.5, size), np.float32))
    epsilon = [None, 1e-5, 1e-3, 1e-12][rng.integers(4)]
    if kind.startswith("Skip"):
        rows = m.node("Reshape", [x, m.constant(np.array([1, -1, shape[-1]], np.int64))])
        if rng.integers(2):  # so small that what is added to the variance counts
            rows = m.node("Mul", [rows, m.constant(np.float32(2e-3))])
        skip = m.node("Sin", [rows])
        more = [real(shape[-1], 1)] + ([real(shape[-1], 0)] if kind == "Skip" else [])
        more += [real(shape[-1], 0)] if rng.integers(2) else []
        return m.node(kind + "LayerNormalization", [rows, skip] + more, domain="com.microsoft", epsilon=epsilon)
    axis = int(rng.integers(1, len(shape)))
    size = shape[axis:]
    bias = [real(size, 0)] if rng.integers(2) and kind == "LayerNormalization" else []
    return m.node(kind, [x, real(size, 1)] + bias, axis=int(rng.choice([axis, axis - len(shape)])), epsilon=epsilon)


def slices(m, x, shape, _):
    rng = m.rng
    axis = int(rng.integers(1, len(shape)))
    extent = shape[axis]
    if rng.integers(2):
        start, end, step = extent - 1, -extent - 1, -int(rng.integers(1, 3))
    else:
        start, end, step = 0, extent, int(rng.integers(1, 3))
    parts = [m.constant(np.array([v], np.int64)) for v in (start, end, axis, step)]
    return m.node("Slice", [x, *parts])


KINDS = [conv, conv_transpose, gemm, dynamic, activations, average_pool, max_pool, global_pool, reduce_mean, resize, pad, stored,
         binary, concat, function, slices, pairs, unary, moves, reductions, qlinear, floats, norms]


def draw(rng, kind, finer):
    opset = int(rng.choice([11, 12, 13, 14, 17, 18, 21]))
    m = Model(rng, opset)
    unsigned = bool(rng.integers(2))
    # Per-channel scales came with opset 13.
    if kind in (conv, conv_transpose, gemm, binary, concat, resize, stored, unary, qlinear) or unsigned:
        m.opset = opset = max(opset, 13)
    if kind is norms:
        m.opset = opset = 17
    if kind is resize and not unsigned and rng.integers(8) == 0:
        m.opset = opset = 10
    byte = np.uint8 if unsigned else np.int8
    rank = 3 if rng.integers(5) == 0 and kind in (conv, conv_transpose, average_pool, max_pool, resize, dynamic, floats) else 4
    shape = draw_shape(rng, rank)
    scale = float(rng.uniform(0.005, 0.05))
    limits = np.iinfo(byte)
    zero = byte(rng.integers(limits.min // 2, limits.max // 2))
    given = "x"
    # Fewer bits, as quantisers of training write them.
    fewer = opset >= 12 and rng.integers(6) == 0
    if fewer:
        given = m.node("Clip", [given, m.constant(byte(limits.min // 2)), m.constant(byte(limits.max // 2))])
    m.given, m.scale, m.zero = given, scale, zero
    x = m.dequantized(given, scale, zero)
    y = kind(m, x, shape, scale)
    # The output's range as a calibration would find it.
    data = rng.integers(limits.min, limits.max + 1, shape).astype(byte)
    probe = helper.make_model(helper.make_graph(m.nodes, "g", [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(np.dtype(byte)), shape)],
                                                [helper.make_tensor_value_info(y, T.FLOAT, None)], m.constants),
                              opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    real = run(probe, data)
    if rng.integers(8) == 0 and kind in (average_pool, max_pool, resize, function, concat, global_pool):
        return probe, data  # the float result itself
    span = float(np.ptp(real)) or 1.0
    same = rng.integers(3) == 0 and kind in (average_pool, max_pool, resize, slices, global_pool)
    out_scale, out_zero = (scale, zero) if same else (span / 255 * float(rng.uniform(0.8, 1.2)), byte(
        np.clip(np.rint(limits.min - real.min() / span * 255), limits.min, limits.max)))
    if finer and not same:
        out_scale *= 10.0 ** -rng.uniform(0, 12)
    q = m.quantized(y, out_scale, out_zero)
    if fewer:
        q = m.node("Clip", [q, m.constant(byte(limits.min // 2)), m.constant(byte(limits.max // 2))])
    info = helper.make_tensor_value_info
    code = helper.np_dtype_to_tensor_dtype(np.dtype(byte))
    model = helper.make_model(helper.make_graph(m.nodes, "g", [info("x", code, shape)], [info(q, code, None)], m.constants),
                              opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    return model, data


# What is refused where a scaled sum has more than 32 bits.
BEYOND = ["supported are scaled sums of 32 bits", "times finer than its inputs'", "allowed is below 2^30"]


def run(model, data):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": data})[0]


def main():
    parser = drawn.arguments()
    parser.add_argument("--finer", action="store_true")
    options = parser.parse_args()
    kinds = [k for k in KINDS if not options.only or k.__name__ == options.only]
    values = {k.__name__: 0 for k in kinds}
    off = dict.fromkeys(values, 0)
    failed = compared = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.count):
            kind = kinds[i % len(kinds)]
            rng = np.random.default_rng([options.seed, i])
            try:
                model, data = draw(rng, kind, options.finer)
                right = run(model, data)
            except Exception as error:  # what the runtime itself refuses says nothing
                if options.only:
                    print(f"{i} {kind.__name__}: {str(error)[:200]}")
                continue
            compared += 1
            result, problem = drawn.ours(options.cosim, model.SerializeToString(), [data], folder, "onnx")
            if options.finer and any(text in problem for text in BEYOND):
                refused += 1
                continue
            if not problem and result.shape != right.shape:
                problem = f"shape {result.shape} for {right.shape}"
            if not problem and right.dtype == np.float32:
                if not np.allclose(result, right, rtol=1e-5, atol=1e-6):
                    problem = f"floats differ by up to {np.abs(result - right).max():g}"
            elif not problem:
                distance = np.abs(result.astype(int) - right.astype(int))
                values[kind.__name__] += right.size
                off[kind.__name__] += int((distance > 0).sum())
                # What is left of a float sum that is 0 in whole numbers saturates.
                if distance.max(initial=0) > 1 and not (options.finer and (distance > 1).sum() == 1):
                    problem = f"{(distance > 0).sum()} of {right.size} differ, by up to {distance.max()}"
            if problem:
                failed += 1
                print(f"{i} {kind.__name__}: {problem}")
                if options.keep:
                    onnx.save(model, os.path.join(options.keep, f"{kind.__name__}_{i}.onnx"))
                    np.save(os.path.join(options.keep, f"{kind.__name__}_{i}.npy"), data)
    print("\n".join(f"{name:<16} {off[name]:>5} of {values[name]:>7} off by one" for name in values))
    total, wrong = sum(values.values()), sum(off.values())
    print(f"{compared} models compared: {wrong} of {total} values are off by one, {failed} models are wrong" +
          (f", {refused} are refused" if options.finer else ""))
    return 1 if failed or wrong * 2000 > total or compared * 2 < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
