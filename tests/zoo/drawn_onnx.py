#!/usr/bin/env python3
"""Small quantised ONNX models, drawn at random, against ONNX Runtime.

    drawn_onnx.py COSIM [--count 500] [--seed 1] [--only KIND] [--keep FOLDER]

Each has one operator, or a few, between DequantizeLinear and QuantizeLinear. What ONNX Runtime
computes without optimisations, the operators as they are defined, is right. No byte is off by more
than one, and one in 2000 at most is off by that: ties of averages, which single precision decides by
the order of its additions, and biases that are no multiple of what a sum counts in.
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
        """Per channel or per tensor; now and then a channel that has learnt nothing."""
        w = self.constant(self.rng.integers(-127, 128, shape).astype(np.int8))
        if self.rng.integers(2):
            scales = (scale * self.rng.uniform(0.5, 2, shape[axis])).astype(np.float32)
            if self.rng.integers(6) == 0:
                scales[self.rng.integers(len(scales))] = 1e-11
            zeros = np.zeros(shape[axis], np.int8)
            return self.node("DequantizeLinear", [w, self.constant(scales), self.constant(zeros)], axis=axis), scales
        return (self.node("DequantizeLinear", [w, self.constant(np.float32(scale)), self.constant(np.int8(0))]),
                np.float32(scale))

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
    return m.node("Gemm", [flat, w, *m.bias(outputs, scales * scale)], transB=1)


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

    if len(shape) == 4 and shape[0] == 1 and rng.integers(2):
        kernel = [int(v) for v in rng.integers(1, 4, 2)]
        sums = m.node("ConvInteger", [values, weights([3, shape[1], *kernel]), zero, weight_zero], kernel_shape=kernel,
                      strides=[int(v) for v in rng.integers(1, 3, 2)], pads=draw_pads(rng, kernel, 2))
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
    rules = ["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"]
    nearest = str(rng.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]))
    scales = [1.0, 1.0] + [float(rng.choice([0.5, 0.55, 0.75, 1.0, 1.3, 1.5, 2.0, 2.5, 3.0])) for _ in shape[2:]]
    axes = None
    if m.opset >= 18 and rng.integers(2):
        axes, scales = list(range(2, len(shape))), scales[2:]
    return m.node("Resize", [x, "", m.constant(np.array(scales, np.float32))], mode=mode, axes=axes,
                  coordinate_transformation_mode=str(rng.choice(rules)),
                  nearest_mode=nearest if mode == "nearest" else None)


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


KINDS = [conv, conv_transpose, gemm, dynamic, activations, average_pool, max_pool, global_pool, reduce_mean, resize, binary, concat, function,
         slices]


def draw(rng, kind):
    opset = int(rng.choice([11, 12, 13, 14, 17, 18, 21]))
    m = Model(rng, opset)
    unsigned = bool(rng.integers(2))
    # Per-channel scales came with opset 13.
    if kind in (conv, conv_transpose, gemm, binary, concat, resize) or unsigned:
        m.opset = opset = max(opset, 13)
    byte = np.uint8 if unsigned else np.int8
    rank = 3 if rng.integers(5) == 0 and kind in (conv, conv_transpose, average_pool, max_pool, resize) else 4
    shape = draw_shape(rng, rank)
    scale = float(rng.uniform(0.005, 0.05))
    limits = np.iinfo(byte)
    zero = byte(rng.integers(limits.min // 2, limits.max // 2))
    given = "x"
    # Fewer bits, as quantisers of training write them.
    fewer = opset >= 12 and rng.integers(6) == 0
    if fewer:
        given = m.node("Clip", [given, m.constant(byte(limits.min // 2)), m.constant(byte(limits.max // 2))])
    x = m.dequantized(given, scale, zero)
    y = kind(m, x, shape, scale)
    # The output's range as a calibration would find it.
    data = rng.integers(limits.min, limits.max + 1, shape).astype(byte)
    probe = helper.make_model(helper.make_graph(m.nodes, "g", [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(np.dtype(byte)), shape)],
                                                [helper.make_tensor_value_info(y, T.FLOAT, None)], m.constants),
                              opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    real = run(probe, data)
    if rng.integers(8) == 0 and kind in (average_pool, max_pool, resize, function, concat, global_pool):
        return probe, data  # the float result itself
    span = float(np.ptp(real)) or 1.0
    same = rng.integers(3) == 0 and kind in (average_pool, max_pool, resize, slices, global_pool)
    out_scale, out_zero = (scale, zero) if same else (span / 255 * float(rng.uniform(0.8, 1.2)), byte(
        np.clip(np.rint(limits.min - real.min() / span * 255), limits.min, limits.max)))
    q = m.quantized(y, out_scale, out_zero)
    if fewer:
        q = m.node("Clip", [q, m.constant(byte(limits.min // 2)), m.constant(byte(limits.max // 2))])
    info = helper.make_tensor_value_info
    code = helper.np_dtype_to_tensor_dtype(np.dtype(byte))
    model = helper.make_model(helper.make_graph(m.nodes, "g", [info("x", code, shape)], [info(q, code, None)], m.constants),
                              opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return model, data


def run(model, data):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": data})[0]


def main():
    options = drawn.arguments().parse_args()
    kinds = [k for k in KINDS if not options.only or k.__name__ == options.only]
    values = {k.__name__: 0 for k in kinds}
    off = dict.fromkeys(values, 0)
    failed = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.count):
            kind = kinds[i % len(kinds)]
            rng = np.random.default_rng([options.seed, i])
            try:
                model, data = draw(rng, kind)
                right = run(model, data)
            except Exception as error:  # what the runtime itself refuses says nothing
                if options.only:
                    print(f"{i} {kind.__name__}: {str(error)[:200]}")
                continue
            compared += 1
            result, problem = drawn.ours(options.cosim, model.SerializeToString(), [data], folder, "onnx")
            if not problem and result.shape != right.shape:
                problem = f"shape {result.shape} for {right.shape}"
            if not problem and right.dtype == np.float32:
                if not np.allclose(result, right, rtol=1e-5, atol=1e-6):
                    problem = f"floats differ by up to {np.abs(result - right).max():g}"
            elif not problem:
                distance = np.abs(result.astype(int) - right.astype(int))
                values[kind.__name__] += right.size
                off[kind.__name__] += int((distance > 0).sum())
                if distance.max(initial=0) > 1:
                    problem = f"{(distance > 0).sum()} of {right.size} differ, by up to {distance.max()}"
            if problem:
                failed += 1
                print(f"{i} {kind.__name__}: {problem}")
                if options.keep:
                    onnx.save(model, os.path.join(options.keep, f"{kind.__name__}_{i}.onnx"))
                    np.save(os.path.join(options.keep, f"{kind.__name__}_{i}.npy"), data)
    print("\n".join(f"{name:<16} {off[name]:>5} of {values[name]:>7} off by one" for name in values))
    total, wrong = sum(values.values()), sum(off.values())
    print(f"{compared} models compared: {wrong} of {total} values are off by one, {failed} models are wrong")
    return 1 if failed or wrong * 2000 > total or compared * 2 < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
