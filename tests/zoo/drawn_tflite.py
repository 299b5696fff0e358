#!/usr/bin/env python3
"""Small TensorFlow Lite models, drawn at random, against the runtimes themselves.

    drawn_tflite.py COSIM [--runtime litert|xnnpack|tflm] [--count 500] [--seed 1] [--only KIND] [--keep FOLDER]
                    [--set KEY=VALUE]...

Each has one operator, or a few where those meet on the accelerator (softmaxes, norms).
With the runtime's own `numerics` every byte must be equal (litert: the reference kernels; tflm:
TensorFlow Lite Micro; xnnpack: LiteRT's default, where one value in 20 000 may be off by one: round scales make ties,
which single precision decides), and what LiteRT's
reference kernels refuse must be refused. The models are made with LiteRT's own schema.
"""
import os
import sys
import tempfile

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as s
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from tflite_micro import runtime as micro

import drawn

INT8, UINT8, INT32 = s.TensorType.INT8, s.TensorType.UINT8, s.TensorType.INT32
TYPES = {np.dtype(np.int8): INT8, np.dtype(np.uint8): UINT8, np.dtype(np.int32): INT32, np.dtype(np.int64): s.TensorType.INT64,
         np.dtype(np.bool_): s.TensorType.BOOL, np.dtype(np.float32): s.TensorType.FLOAT32}


class Model:
    def __init__(self, rng, dtype, runtime="litert"):
        self.rng = rng
        self.runtime = runtime
        self.dtype = np.dtype(dtype)
        self.tensors = []
        self.buffers = [s.BufferT()]
        self.ops = []
        self.outputs = []  # beside the last operator's

    def tensor(self, shape, dtype=None, scale=None, zero=None, data=None, axis=0):
        t = s.TensorT()
        t.name = f"t{len(self.tensors)}".encode()
        t.shape = [int(e) for e in shape]
        t.type = TYPES[np.dtype(dtype or self.dtype)]
        t.buffer = 0
        if scale is not None:
            t.quantization = s.QuantizationParametersT()
            t.quantization.scale = [float(v) for v in np.atleast_1d(scale)]
            t.quantization.zeroPoint = [int(v) for v in np.broadcast_to(zero or 0, len(t.quantization.scale))]
            t.quantization.quantizedDimension = axis
        if data is not None:
            buffer = s.BufferT()
            buffer.data = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
            t.buffer = len(self.buffers)
            self.buffers.append(buffer)
        self.tensors.append(t)
        return len(self.tensors) - 1

    def draw(self, shape, scale=None):
        """An activation with a scale and zero point of its own."""
        low, high = np.iinfo(self.dtype).min, np.iinfo(self.dtype).max
        return self.tensor(shape, scale=scale or self.some_scale(0.005, 0.05),
                           zero=int(self.rng.integers(low // 2 if low else 60, high // 2 if low else 190)))

    def batches(self):
        return int(self.rng.integers(2, 4)) if self.rng.integers(6) == 0 else 1

    def some_scale(self, low, high):
        """Any, or a round one: products of such scales make ties."""
        if self.rng.integers(2):
            return self.rng.uniform(low, high)
        return float(self.rng.choice([v for v in ROUND if low <= v <= high]))

    def scale(self, t):
        return self.tensors[t].quantization.scale[0]

    def like(self, t, shape):
        q = self.tensors[t].quantization
        return self.tensor(shape, scale=q.scale, zero=q.zeroPoint[0])

    def integers(self, values):
        data = np.array(values, np.int32)
        return self.tensor(data.shape, np.int32, data=data)

    def weights(self, shape, axis, may_pack=True):
        rng = self.rng
        if self.dtype == np.uint8:
            return self.tensor(shape, scale=self.some_scale(0.002, 0.02), zero=int(rng.integers(90, 160)),
                               data=rng.integers(0, 256, shape).astype(np.uint8))
        scale = rng.uniform(0.002, 0.02, shape[axis]) if rng.integers(2) else self.some_scale(0.002, 0.02)
        # Of four bits XNNPACK has fully connected layers of even rows alone; LiteRT's own kernels round the others by
        # their place in a vector, and nothing has transposed convolutions.
        is_known = len(shape) == 2 and shape[1] % 2 == 0 or self.runtime != "xnnpack"
        if may_pack and is_known and rng.integers(4) == 0:
            return self.packed(shape, scale, axis)
        return self.tensor(shape, scale=scale, axis=axis, data=rng.integers(-127, 128, shape).astype(np.int8))

    def packed(self, shape, scale, axis):
        """Weights of four bits, two in a byte, the first one in its lower half."""
        values = self.rng.integers(-7, 8, int(np.prod(shape))).astype(np.uint8) & 15
        values = np.append(values, np.zeros(len(values) % 2, np.uint8))
        t = self.tensor(shape, np.int8, scale=scale, axis=axis, data=values[0::2] | values[1::2] << 4)
        self.tensors[t].type = s.TensorType.INT4
        return t

    def bias(self, x, w, outputs):
        unit = np.array(self.tensors[w].quantization.scale) * self.scale(x)
        return self.tensor([outputs], np.int32, scale=unit, data=self.rng.integers(-3000, 3000, outputs).astype(np.int32))

    def call(self, code, inputs, output, kind=None, options=None):
        self.ops.append((code, inputs, output, kind, options))
        return output

    def bytes(self, inputs):
        model, graph = s.ModelT(), s.SubGraphT()
        graph.operators, model.operatorCodes = [], []
        for i, (code, operands, output, kind, options) in enumerate(self.ops):
            op, opcode = s.OperatorT(), s.OperatorCodeT()
            opcode.builtinCode = code
            opcode.deprecatedBuiltinCode = min(code, 127)
            opcode.version = 2 if code == 130 else 1
            op.opcodeIndex, op.inputs, op.outputs = i, operands, [output]
            if kind is not None:
                op.builtinOptionsType, op.builtinOptions = kind, options
            graph.operators.append(op)
            model.operatorCodes.append(opcode)
        graph.tensors, graph.inputs, graph.outputs = self.tensors, inputs, [self.ops[-1][2], *self.outputs]
        graph.name = b"main"
        model.version, model.subgraphs, model.buffers = 3, [graph], self.buffers
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def options(kind, **fields):
    result = getattr(s, kind + "T")()
    for name, value in fields.items():
        setattr(result, name, value)
    return getattr(s.BuiltinOptions, kind), result


def windows(m, shape, kernel, stride, same):
    return [-(-e // stride) if same else (e - k) // stride + 1 for e, k in zip(shape[1:3], kernel)]


def convolutions(m, kind):
    rng = m.rng
    shape = [m.batches(), *(int(v) for v in rng.integers(3, 9, 2)), int(rng.integers(1, 7))]
    x = m.draw(shape)
    kernel = [int(v) for v in rng.integers(1, 4, 2)]
    stride = int(rng.integers(1, 3))
    same = int(rng.integers(2))
    act = int(rng.choice([0, 1, 2, 3]))
    outputs = int(rng.integers(1, 7)) if kind == "Conv2DOptions" else shape[3] * int(rng.integers(1, 3))
    space = windows(m, shape, kernel, stride, same)
    fields = {"padding": 1 - same, "strideH": stride, "strideW": stride, "fusedActivationFunction": act}
    if kind == "Conv2DOptions":
        w = m.weights([outputs, *kernel, shape[3]], 0)
        code = 3
    else:
        w = m.weights([1, *kernel, outputs], 3)
        fields["depthMultiplier"] = outputs // shape[3]
        code = 4
    fields["dilationHFactor"] = fields["dilationWFactor"] = 1
    y = m.draw([shape[0], *space, outputs])
    m.call(code, [x, w, m.bias(x, w, outputs)], y, *options(kind, **fields))
    return [x]


def conv(m):
    return convolutions(m, "Conv2DOptions")


def depthwise(m):
    return convolutions(m, "DepthwiseConv2DOptions")


def fully_connected(m):
    inputs, outputs, rows = (int(v) for v in m.rng.integers(1, 40, 3))
    x = m.draw([rows, inputs])
    y = m.draw([rows, outputs])
    # XNNPACK has neither; Micro computes with a zero point of its own there.
    which = m.rng.integers(6) if m.runtime == "litert" and m.dtype == np.int8 else 2
    if which == 0:
        w = m.draw([outputs, inputs])
        operands = [x, w, -1]
    elif which == 1:
        w = m.tensor([outputs, inputs], scale=m.some_scale(0.002, 0.02), zero=int(m.rng.integers(-20, 20)),
                     data=m.rng.integers(-128, 128, [outputs, inputs]).astype(np.int8))
        operands = [x, w, -1]
    else:
        w = m.weights([outputs, inputs], 0)
        operands = [x, w, m.bias(x, w, outputs)]
    m.call(9, operands, y,
           *options("FullyConnectedOptions", fusedActivationFunction=int(m.rng.choice([0, 1, 3])), weightsFormat=0,
                    keepNumDims=False))
    return [x, w] if which == 0 else [x]


def transpose_conv(m):
    rng = m.rng
    shape = [m.batches(), *(int(v) for v in rng.integers(2, 6, 2)), int(rng.integers(1, 5))]
    x = m.draw(shape)
    kernel = [int(v) for v in rng.integers(1, 5, 2)]
    # LiteRT's optimised kernel, which has those with gaps, rounds by an output's place in a vector.
    stride = int(rng.integers(1, 4 if m.runtime != "xnnpack" else min(kernel) + 1))
    same = int(rng.integers(2))
    outputs = int(rng.integers(1, 5))
    space = [e * stride if same else (e - 1) * stride + k for e, k in zip(shape[1:3], kernel)]
    space = [max(1, e + int(rng.integers(-2, 3))) if rng.integers(4) == 0 else e for e in space]
    w = m.weights([outputs, *kernel, shape[3]], 0, may_pack=False)
    y = m.draw([shape[0], *space, outputs])
    m.call(67, [m.integers([shape[0], *space, outputs]), w, x], y,
           *options("TransposeConvOptions", padding=1 - same, strideH=stride, strideW=stride, fusedActivationFunction=0))
    return [x]


def pool(m):
    rng = m.rng
    shape = [m.batches(), *(int(v) for v in rng.integers(3, 9, 2)), int(rng.integers(1, 7))]
    x = m.draw(shape)
    kernel = [int(v) for v in rng.integers(1, 4, 2)]
    stride = int(rng.integers(1, 3))
    same = int(rng.integers(2))
    y = m.like(x, [shape[0], *windows(m, shape, kernel, stride, same), shape[3]])
    m.call(int(rng.choice([1, 17])), [x], y,
           *options("Pool2DOptions", padding=1 - same, strideH=stride, strideW=stride, filterHeight=kernel[0],
                    filterWidth=kernel[1], fusedActivationFunction=int(rng.choice([0, 1, 2, 3]))))
    return [x]


def arithmetic(m):
    rng = m.rng
    code, kind = [(0, "AddOptions"), (41, "SubOptions"), (18, "MulOptions")][rng.integers(3)]
    shape = [1, *(int(v) for v in rng.integers(1, 9, 3))]
    x = m.draw(shape)
    which = rng.integers(4)
    other = x if which == 0 else m.draw([1, 1, 1, shape[3]] if which == 1 else shape)
    fields = {"fusedActivationFunction": int(rng.choice([0, 1, 2, 3]))}
    m.call(code, [x, other] if rng.integers(2) else [other, x], m.draw(shape), *options(kind, **fields))
    return sorted({x, other})


def concatenation(m):
    rng = m.rng
    shape = [1, *(int(v) for v in rng.integers(1, 7, 3))]
    axis = int(rng.integers(1, 4))
    a = m.draw(shape)
    b = m.draw(shape) if m.dtype == np.uint8 or rng.integers(4) == 0 else m.like(a, shape)
    total = list(shape)
    total[axis] *= 2
    y = m.draw(total) if m.dtype == np.uint8 else m.like(a, total)
    m.call(2, [a, b], y, *options("ConcatenationOptions", axis=axis, fusedActivationFunction=0))
    return [a, b]


def slices(m):
    rng = m.rng
    shape = [1, *(int(v) for v in rng.integers(1, 9, 3))]
    x = m.draw(shape)
    begin, end, step, size = [], [], [], []
    for e in shape:
        k = int(rng.choice([1, 1, 2, -1, -2]))
        first, last = (0, e) if k > 0 else (e - 1, -e - 1)
        begin.append(first)
        end.append(last)
        step.append(k)
        size.append(-(-e // abs(k)))
    y = m.like(x, size)
    m.call(45, [x, m.integers(begin), m.integers(end), m.integers(step)], y,
           *options("StridedSliceOptions", beginMask=0, endMask=0, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=0))
    return [x]


def unscaled(m):
    """Bytes that are only moved need no scale."""
    rng = m.rng
    shape = [1, *(int(v) for v in rng.integers(2, 6, 3))]
    x = m.tensor(shape)
    which = rng.integers(5)
    if which == 0:
        m.call(39, [x, m.integers([0, 3, 1, 2])], m.tensor([1, shape[3], shape[1], shape[2]]), *options("TransposeOptions"))
    elif which == 1:
        m.call(34, [x, m.integers([[0, 0], [1, 2], [0, 1], [0, 0]])], m.tensor([1, shape[1] + 3, shape[2] + 1, shape[3]]),
               *options("PadOptions"))
    elif which == 2:
        y = m.tensor(shape)
        m.call(2, [x, y], m.tensor([1, shape[1], shape[2] * 2, shape[3]]),
               *options("ConcatenationOptions", axis=2, fusedActivationFunction=0))
        return [x, y]
    elif which == 3:
        m.call(65, [x, m.integers([0, 1, 0, 0]), m.integers([1, -1, 1, -1])], m.tensor([1, shape[1] - 1, 1, shape[3]]),
               *options("SliceOptions"))
    else:
        m.call(17, [x], m.tensor([1, shape[1] - 1, shape[2] - 1, shape[3]]),
               *options("Pool2DOptions", padding=1, strideH=1, strideW=1, filterHeight=2, filterWidth=2,
                        fusedActivationFunction=0))
    return [x]


OF_FEW_FILES = -1
FEW = [(101, "AbsOptions"), (59, "NegOptions"), (75, None), (76, None), (92, "SquareOptions"), (73, None),
       (150, "GeluOptions"), (14, None), (28, None), (152, None), (20, None), (8, None), (104, None), (116, None), (158, "SignOptions"),
       (66, None), (108, "CosOptions")]


def function(m):
    rng = m.rng
    shape = [m.batches(), *(int(v) for v in rng.integers(1, 9, 3))]
    x = m.draw(shape)
    # Micro's RELU6 cuts stored values in the place of rescaling them.
    code = int(rng.choice([98, 19, 117, 40, 23, 97, 114, *([21] if m.runtime != "tflm" else []), OF_FEW_FILES]))
    if code == OF_FEW_FILES:
        code, kind = FEW[rng.integers(len(FEW))]
        if code in (73, 75, 76):  # of values that are positive
            x = m.tensor(shape, scale=m.some_scale(0.005, 0.05), zero=int(np.iinfo(m.dtype).min))
        y = m.draw(shape)
        if code in (14, 28):
            low = np.iinfo(m.dtype).min
            y = m.tensor(shape, scale=1 / 256 if code == 14 else 1 / 128, zero=low + (0 if code == 14 else 128))
        fields = {"approximate": bool(rng.integers(2))} if kind == "GeluOptions" else {}
        m.call(code, [x], y, *(options(kind, **fields) if kind else ()))
    elif code == 114:
        m.call(114, [x], m.draw(shape), *options("QuantizeOptions"))
    elif code == 98:
        m.call(98, [x], m.draw(shape), *options("LeakyReluOptions", alpha=float(rng.uniform(-0.5, 1.5))))
    elif code == 40:
        m.call(40, [x, m.integers([1, 2])], m.draw([shape[0], shape[3]]), *options("ReducerOptions", keepDims=False))
    elif code in (23, 97):
        size = [int(v) for v in rng.integers(1, 12, 2)]
        kind = "ResizeBilinearOptions" if code == 23 else "ResizeNearestNeighborOptions"
        corners, centers = [(False, False), (True, False), (False, True)][rng.integers(3)]
        m.call(code, [x, m.integers(size)], m.like(x, [shape[0], *size, shape[3]]),
               *options(kind, alignCorners=corners, halfPixelCenters=centers))
    else:
        m.call(code, [x], m.draw(shape))
    return [x]


def some_shape(rng, rank=4, most=9):
    return [1, *(int(v) for v in rng.integers(1, most, rank - 1))]


def pads(m):
    """PAD, PADV2 and MIRROR_PAD."""
    rng = m.rng
    shape = some_shape(rng, int(rng.integers(2, 5)))
    x = m.draw(shape)
    code = int(rng.choice([34, 60, 100]))
    around = [[0, 0]] + [[int(v) for v in rng.integers(0, 3, 2)] for _ in shape[1:]]
    if code == 100:
        around = [[min(v, e - 1) for v in pair] for pair, e in zip(around, shape)]
    y = m.like(x, [e + sum(pair) for e, pair in zip(shape, around)])
    operands = [x, m.integers(around)]
    if code == 60:
        low = np.iinfo(m.dtype).min
        q = m.tensors[x].quantization
        operands.append(m.tensor([1], scale=q.scale, zero=q.zeroPoint[0], data=np.array([rng.integers(low, low + 256)], m.dtype)))
    kind = {34: "PadOptions", 60: "PadV2Options", 100: "MirrorPadOptions"}[code]
    m.call(code, operands, y, *options(kind, **({"mode": int(rng.integers(2))} if code == 100 else {})))
    return [x]


def reductions(m):
    rng = m.rng
    shape = some_shape(rng, int(rng.integers(2, 5)))
    code = int(rng.choice([40, 74, 82, 89, 56, 79]))
    x = m.draw(shape)
    if code in (56, 79):  # places
        axis = int(rng.integers(0, len(shape)))
        size = shape[:axis] + shape[axis + 1:]
        wide = int(rng.integers(2))
        y = m.tensor(size, np.int64 if wide else np.int32)
        m.call(code, [x, m.integers(axis)], y, *options("ArgMaxOptions" if code == 56 else "ArgMinOptions",
                                                        outputType=s.TensorType.INT64 if wide else INT32))
        return [x]
    if code == 74 and m.runtime == "litert":
        code = 40  # never SUM: LiteRT's reference kernel gives one value everywhere
    axes = sorted(int(v) for v in rng.choice(np.arange(len(shape)), rng.integers(1, len(shape) + 1), replace=False))
    keep = bool(rng.integers(2))
    size = [1 if d in axes else e for d, e in enumerate(shape) if keep or d not in axes]
    y = m.draw(size) if code in (40, 74) else m.like(x, size)
    m.call(code, [x, m.integers(axes)], y, *options("ReducerOptions", keepDims=keep))
    return [x]


def rows(m):
    """Along the last axis."""
    rng = m.rng
    shape = some_shape(rng, int(rng.integers(2, 5)), 20)
    low = np.iinfo(m.dtype).min
    code = int(rng.choice([25, 50, 11]))
    x = m.draw(shape)
    if code == 25:
        y = m.tensor(shape, scale=1 / 256, zero=low)
        m.call(code, [x], y, *options("SoftmaxOptions", beta=float(rng.choice([1.0, 1.0, 0.5, 2.0]))))
    elif code == 50:
        m.call(code, [x], m.tensor(shape, scale=16 / 256, zero=low + 255), *options("LogSoftmaxOptions"))
    else:
        m.call(code, [x], m.tensor(shape, scale=1 / 128, zero=low + 128), *options("L2NormOptions", fusedActivationFunction=0))
    return [x]


def pairs(m):
    rng = m.rng
    shape = some_shape(rng)
    x = m.draw(shape)
    code = int(rng.choice([54, 99, 55, 57, 71, 72, 61, 62, 58, 63, 47]))
    sizes = [shape, [1, 1, 1, shape[3]], [1, shape[1], 1, 1], [1]]
    size = sizes[rng.integers(len(sizes))]
    if code == 54:
        alpha = m.tensor([1, 1, shape[3]], scale=m.some_scale(0.002, 0.02), zero=int(rng.integers(-20, 20)) if m.dtype == np.int8
                         else int(rng.integers(100, 150)),
                         data=rng.integers(np.iinfo(m.dtype).min, np.iinfo(m.dtype).max + 1, [1, 1, shape[3]]).astype(m.dtype))
        m.call(code, [x, alpha], m.draw(shape))
        return [x]
    same = code in (55, 57)
    other = m.like(x, size) if same else m.draw(size)
    y = m.draw(shape) if code == 99 else m.like(x, shape) if same else m.tensor(shape, np.bool_)
    kinds = {99: "SquaredDifferenceOptions", 55: "MaximumMinimumOptions", 57: "MaximumMinimumOptions", 71: "EqualOptions",
             72: "NotEqualOptions", 61: "GreaterOptions", 62: "GreaterEqualOptions", 58: "LessOptions", 63: "LessEqualOptions",
             47: "ExpOptions"}
    if code == 47:
        m.call(code, [x], m.draw(shape), *options("ExpOptions"))
        return [x]
    m.call(code, [x, other], y, *options(kinds[code]))
    return [x, other]


def matmul(m):
    rng = m.rng
    batches, n, k, p = (int(v) for v in rng.integers(1, 9, 4))
    turn_a, turn_b = bool(rng.integers(2)), bool(rng.integers(2))
    a = m.draw([batches, k, n] if turn_a else [batches, n, k])
    count = batches if rng.integers(2) else 1
    b = m.draw([count, p, k] if turn_b else [count, k, p])
    m.call(126, [a, b], m.draw([batches, n, p]), *options("BatchMatMulOptions", adjX=turn_a, adjY=turn_b))
    return [a, b]


def moves(m):
    rng = m.rng
    shape = some_shape(rng)
    code = int(rng.choice([39, 22, 36, 69, 26, 5, 65, 105, 130, 43, 70]))
    x = None
    if code == 39:
        x, perm = m.draw(shape), [int(d) for d in rng.permutation(4)]
        m.call(code, [x, m.integers(perm)], m.like(x, [shape[d] for d in perm]), *options("TransposeOptions"))
    elif code == 22:
        x, size = m.draw(shape), [shape[0] * shape[1], shape[2] * shape[3]]
        m.call(code, [x, m.integers(size)], m.like(x, size), *options("ReshapeOptions", newShape=size))
    elif code == 36:
        x, axis = m.draw(shape), int(rng.integers(0, 4))
        places = rng.integers(0, shape[axis], int(rng.integers(1, 5)))
        m.call(code, [x, m.integers(places)], m.like(x, shape[:axis] + [len(places)] + shape[axis + 1:]),
               *options("GatherOptions", axis=axis, batchDims=0))
    elif code == 69:
        x, times = m.draw(shape), [int(v) for v in rng.integers(1, 3, 4)]
        m.call(code, [x, m.integers(times)], m.like(x, [a * b for a, b in zip(shape, times)]), *options("TileOptions"))
    elif code == 26:
        shape = [1, shape[1] * 2, shape[2] * 2, shape[3]]
        x = m.draw(shape)
        m.call(code, [x], m.like(x, [1, shape[1] // 2, shape[2] // 2, shape[3] * 4]), *options("SpaceToDepthOptions", blockSize=2))
    elif code == 5:
        shape = [1, shape[1], shape[2], shape[3] * 4]
        x = m.draw(shape)
        m.call(code, [x], m.like(x, [1, shape[1] * 2, shape[2] * 2, shape[3] // 4]), *options("DepthToSpaceOptions", blockSize=2))
    elif code == 65:
        x = m.draw(shape)
        begin = [int(rng.integers(0, e)) for e in shape]
        size = [int(rng.integers(1, e - b + 1)) for b, e in zip(begin, shape)]
        m.call(code, [x, m.integers(begin), m.integers(size)], m.like(x, size), *options("SliceOptions"))
    elif code == 105:
        x, axis = m.draw(shape), int(rng.integers(1, 4))
        m.call(code, [x, m.integers([axis])], m.like(x, shape), *options("ReverseV2Options"))
    elif code == 130:
        shape[2] = 1
        size = [2, shape[1], 3, shape[3]]
        x = m.draw(shape)
        m.call(code, [x, m.integers(size)], m.like(x, size), *options("BroadcastToOptions"))
    elif code == 43:
        shape[1] = 1
        x = m.draw(shape)
        m.call(code, [x], m.like(x, [shape[0], *shape[2:]]), *options("SqueezeOptions", squeezeDims=[1]))
    else:
        x = m.draw(shape)
        m.call(code, [x, m.integers([2])], m.like(x, shape[:2] + [1] + shape[2:]), *options("ExpandDimsOptions"))
    return [x]


def spread(m, shape, deviation):
    """An activation whose steps hold values of this deviation."""
    low = np.iinfo(m.dtype).min
    return m.tensor(shape, scale=deviation * m.rng.uniform(0.015, 0.04), zero=low + 128 + int(m.rng.integers(-40, 41)))


def size_of(m, t):
    return list(m.tensors[t].shape)


def deviation(m, t):
    """Of values that take all bytes."""
    return m.scale(t) * 74


def multiplied(m, x, code, outputs, wanted):
    """FULLY_CONNECTED, CONV_2D or DEPTHWISE_CONV_2D (1 x 1) with results of a deviation that is wanted."""
    rng = m.rng
    shape = size_of(m, x)
    terms = 1 if code == 4 else shape[-1]
    scale = wanted / (deviation(m, x) * 73 * terms ** 0.5)
    size = {9: [outputs, shape[-1]], 3: [outputs, 1, 1, shape[-1]], 4: [1, 1, 1, outputs]}[code]
    axis = 3 if code == 4 else 0
    if m.dtype == np.uint8:
        w = m.tensor(size, scale=scale, zero=int(rng.integers(90, 160)), data=rng.integers(0, 256, size).astype(np.uint8))
    else:
        scale = scale * rng.uniform(0.5, 1.5, outputs) if rng.integers(2) and (code != 9 or m.runtime == "litert") else scale
        w = m.tensor(size, scale=scale, axis=axis, data=rng.integers(-127, 128, size).astype(np.int8))
    y = spread(m, [*shape[:-1], outputs], wanted)
    act = int(rng.choice([0, 0, 1]))
    if code == 9:
        how = options("FullyConnectedOptions", fusedActivationFunction=act, weightsFormat=0, keepNumDims=True)
    else:
        fields = {"padding": 1, "strideH": 1, "strideW": 1, "fusedActivationFunction": act, "dilationHFactor": 1, "dilationWFactor": 1}
        how = options("Conv2DOptions", **fields) if code == 3 else options("DepthwiseConv2DOptions", depthMultiplier=1, **fields)
    return m.call(code, [x, w, m.bias(x, w, outputs)], y, *how)


def softmax_of(m, x):
    y = m.tensor(size_of(m, x), scale=1 / 256, zero=np.iinfo(m.dtype).min)
    return m.call(25, [x], y, *options("SoftmaxOptions", beta=float(m.rng.choice([1.0, 1.0, 1.0, 0.3, 2.0]))))


def softmaxes(m):
    """One or several, alone, behind and before operators of the array."""
    rng = m.rng
    signed = m.dtype == np.int8
    depth = int(rng.choice([rng.integers(1, 20), rng.integers(1, 70), rng.integers(1, 301)]))
    rank = int(rng.integers(2, 5))
    shape = [1, *(int(v) for v in rng.integers(1, 9, rank - 2)), depth] if rank > 2 else [int(rng.choice([1, rng.integers(1, 20)])), depth]
    wanted = float(10 ** rng.uniform(-1.5, 1.2))  # of scores
    befores = ["none", "none", "fully", "add", "table", "reshape", "mean"]
    befores += ["conv", "depthwise"] * 2 if rank == 4 else []
    befores += ["product"] * 4 + ["masked"] * 2 if signed and rank > 2 else []
    before = str(rng.choice(befores))
    inside = int(rng.integers(1, 40))
    if before == "none":
        x = m.tensor(shape, scale=float(10 ** rng.uniform(-4, 1.7)), zero=int(rng.integers(-128, 128)) + (0 if signed else 128))
        inputs, y = [x], x
    elif before in ("fully", "conv"):
        x = m.draw([*shape[:-1], inside])
        inputs, y = [x], multiplied(m, x, 9 if before == "fully" else 3, depth, wanted)
    elif before in ("product", "masked"):
        b_shape = [*shape[:-2], depth, inside]
        turned = bool(rng.integers(2))
        a = m.draw([*shape[:-1], inside])
        b = m.draw(b_shape if turned else [*b_shape[:-2], inside, depth])
        inputs = [a, b]
        y = m.call(126, [a, b], spread(m, shape, deviation(m, a) * deviation(m, b) * inside ** 0.5),
                   *options("BatchMatMulOptions", adjX=False, adjY=turned))
        if before == "masked":
            if rng.integers(2):
                factor = m.tensor([], scale=0.01, zero=0, data=np.array(rng.integers(5, 100), np.int8))
                y = m.call(18, [y, factor], spread(m, shape, wanted), *options("MulOptions", fusedActivationFunction=0))
            size = [1] * (rank - 2) + shape[-2:]
            mask = m.tensor(size, scale=deviation(m, y) * 0.1, zero=127,
                            data=np.where(rng.integers(3, size=size), 127, -128).astype(np.int8))
            y = m.call(0, [y, mask], spread(m, shape, deviation(m, y) * 4), *options("AddOptions", fusedActivationFunction=0))
    else:
        x = m.draw(shape)
        inputs = [x]
        if before == "depthwise":
            y = multiplied(m, x, 4, depth, wanted)
        elif before == "add":
            other = m.draw(shape)
            inputs.append(other)
            y = m.call(0, [x, other], m.draw(shape), *options("AddOptions", fusedActivationFunction=0))
        elif before == "table":
            y = m.call(98, [x], m.draw(shape), *options("LeakyReluOptions", alpha=0.2))
        elif before == "mean" and rank > 2:
            y = m.call(40, [x, m.integers([1])], m.draw([1, *shape[2:]]), *options("ReducerOptions", keepDims=False))
        else:
            size = [shape[0], *([int(np.prod(shape[1:-1]))] if rank > 2 else []), depth]
            y = m.call(22, [x, m.integers(size)], m.like(x, size), *options("ReshapeOptions", newShape=size))
    scores = y
    y = softmax_of(m, y)
    return inputs + behind(m, scores, y)


def behind(m, scores, y):
    """What reads a softmax; tensors that are inputs of that."""
    rng = m.rng
    signed = m.dtype == np.int8
    more = []
    if m.ops[0][2] != y and rng.integers(5) == 0:
        m.outputs.append(scores)
    for _ in range(int(rng.integers(0, 3))):
        shape = size_of(m, y)
        kept = y
        afters = ["softmax", "fully", "table", "both", "quantise"] + (["product"] * 4 if signed and len(shape) > 2 else [])
        after = str(rng.choice(afters))
        if after == "softmax":
            y = softmax_of(m, y)
        elif after == "fully":
            y = multiplied(m, y, 9, int(rng.integers(1, 40)), float(10 ** rng.uniform(-1, 1)))
            y = softmax_of(m, y) if rng.integers(2) else y
        elif after == "product":
            v = m.draw([*shape[:-2], shape[-1], int(rng.integers(1, 40))])
            more.append(v)
            y = m.call(126, [y, v], spread(m, [*shape[:-1], size_of(m, v)[-1]], deviation(m, v) * 0.4),
                       *options("BatchMatMulOptions", adjX=False, adjY=False))
        elif after == "table":
            y = m.call(98, [y], m.draw(shape, scale=0.004), *options("LeakyReluOptions", alpha=0.2))
        elif after == "quantise":
            y = m.call(114, [y], m.draw(shape, scale=0.006), *options("QuantizeOptions"))
        else:
            other = m.draw(shape)
            more.append(other)
            code, kind = [(0, "AddOptions"), (18, "MulOptions")][rng.integers(2)]
            y = m.call(code, [y, other], m.draw(shape), *options(kind, fusedActivationFunction=0))
        if rng.integers(4) == 0:
            m.outputs.append(kept)
    return more


def norms(m):
    """SQUARED_DIFFERENCE between operators of the array, and whole norms of layers."""
    rng = m.rng
    m.dtype = np.dtype(np.int8)
    depth = int(rng.choice([rng.integers(1, 20), rng.integers(1, 200)]))
    rank = int(rng.integers(2, 5))
    shape = [1, *(int(v) for v in rng.integers(1, 9, rank - 2)), depth] if rank > 2 else [int(rng.integers(1, 20)), depth]
    before = str(rng.choice(["none", "fully", "conv" if rank == 4 else "none", "add"]))
    x = m.draw(shape if before in ("none", "add") else [*shape[:-1], int(rng.integers(1, 40))])
    inputs, y = [x], x
    if before in ("fully", "conv"):
        y = multiplied(m, x, 9 if before == "fully" else 3, depth, float(10 ** rng.uniform(-1, 1)))
    elif before == "add":
        inputs.append(m.draw(shape))
        y = m.call(0, [x, inputs[1]], m.draw(shape), *options("AddOptions", fusedActivationFunction=0))
    which = rng.integers(3)
    if which == 0:  # any other, of any shape
        keep = rng.integers(0, 2, rank)
        size = [e if k else 1 for e, k in zip(shape, keep)]
        size = size[int(rng.integers(0, 2)):] if size[0] == 1 and rng.integers(2) else size
        unit = m.scale(y) * rng.uniform(0.3, 3)
        if rng.integers(3):
            other = m.draw(size, scale=unit)
            inputs.append(other)
        else:
            other = m.tensor(size, scale=unit, zero=int(rng.integers(-60, 60)), data=rng.integers(-128, 128, size).astype(np.int8))
        operands = [y, other] if rng.integers(2) else [other, y]
        z = m.tensor(shape, scale=(deviation(m, y) ** 2) * 10 ** rng.uniform(-2.5, -1.3),
                     zero=int(rng.choice([-128, rng.integers(-128, 128)])))
        m.call(99, operands, z, *options("SquaredDifferenceOptions"))
    else:
        axis = m.integers([rank - 1] if which == 1 or rank < 4 else [1, 2, 3])
        size = [*shape[:-1], 1] if which == 1 or rank < 4 else [1, 1, 1, 1]
        mean = m.call(40, [y, axis], m.draw(size, scale=m.scale(y) * rng.uniform(0.3, 1)), *options("ReducerOptions", keepDims=True))
        z = m.tensor(shape, scale=(deviation(m, y) ** 2) * 10 ** rng.uniform(-2.5, -1.3), zero=-128)
        m.call(99, [y, mean] if rng.integers(2) else [mean, y], z, *options("SquaredDifferenceOptions"))
        if rng.integers(4) == 0:
            m.outputs.append(z)
        v = m.call(40, [z, axis], m.tensor(size, scale=m.scale(z) * 0.6, zero=-128), *options("ReducerOptions", keepDims=True))
        one = m.tensor([], scale=m.scale(v), zero=-128, data=np.array(-127, np.int8))
        v = m.call(0, [v, one], m.tensor(size, scale=m.scale(v), zero=-128), *options("AddOptions", fusedActivationFunction=0))
        root = m.call(76, [v], m.tensor(size, scale=m.scale(v) ** -0.5 / 255, zero=-128))
        wide = [*size[:-1], depth]
        gamma = m.tensor([depth], scale=0.012, zero=0, data=rng.integers(20, 128, depth).astype(np.int8))
        a = m.call(18, [root, gamma], m.tensor(wide, scale=m.scale(root) * 1.2, zero=-128),
                   *options("MulOptions", fusedActivationFunction=0))
        b = m.call(18, [y, a], m.draw(shape, scale=0.03), *options("MulOptions", fusedActivationFunction=0))
        c = m.call(18, [mean, a], m.draw(wide, scale=0.03), *options("MulOptions", fusedActivationFunction=0))
        beta = m.tensor([depth], scale=0.01, zero=3, data=rng.integers(-128, 128, depth).astype(np.int8))
        d = m.call(41, [beta, c], m.draw(wide, scale=0.03), *options("SubOptions", fusedActivationFunction=0))
        z = m.call(0, [b, d], m.draw(shape, scale=0.03), *options("AddOptions", fusedActivationFunction=0))
    after = rng.integers(4)
    if after == 0:
        multiplied(m, z, 9, int(rng.integers(1, 40)), 1.0)
    elif after == 1:
        m.call(114, [z], m.draw(shape, scale=m.scale(z) * 1.3), *options("QuantizeOptions"))
    elif after == 2:
        softmax_of(m, z)
    return inputs


def floats(m):
    """Layers of floats, by weights of floats or of bytes; the output is float, too."""
    rng = m.rng
    m.dtype = np.dtype(np.float32)
    code = int(rng.choice([3, 4, 9, 1, 17]))
    act = int(rng.choice([0, 1, 2, 3]))
    shape = [m.batches(), *(int(v) for v in rng.integers(3, 9, 2)), int(rng.integers(1, 7))]
    kernel = [int(v) for v in rng.integers(1, 4, 2)]
    stride, same = int(rng.integers(1, 3)), int(rng.integers(2))
    space = windows(m, shape, kernel, stride, same)
    if code in (1, 17):
        x = m.tensor(shape)
        m.call(code, [x], m.tensor([shape[0], *space, shape[3]]),
               *options("Pool2DOptions", padding=1 - same, strideH=stride, strideW=stride, filterHeight=kernel[0],
                        filterWidth=kernel[1], fusedActivationFunction=0))
        return [x]
    outputs = int(rng.integers(1, 7)) * (shape[3] if code == 4 else 1)
    size, axis = {3: ([outputs, *kernel, shape[3]], 0), 4: ([1, *kernel, outputs], 3), 9: ([outputs, shape[3]], 0)}[code]
    bytes_ = bool(rng.integers(2))
    if bytes_:
        scale = rng.uniform(0.002, 0.02, outputs) if code != 9 or rng.integers(2) else float(rng.uniform(0.002, 0.02))
        w = m.tensor(size, np.int8, scale=scale, axis=axis, data=rng.integers(-127, 128, size).astype(np.int8))
    else:
        w = m.tensor(size, data=rng.normal(0, 1, size).astype(np.float32))
    bias = m.tensor([outputs], data=rng.normal(0, 1, outputs).astype(np.float32)) if rng.integers(2) or code != 9 else -1
    if code == 9:
        x = m.tensor([shape[1], shape[3]])
        m.call(code, [x, w, bias], m.tensor([shape[1], outputs]),
               *options("FullyConnectedOptions", fusedActivationFunction=act, weightsFormat=0, keepNumDims=False,
                        asymmetricQuantizeInputs=bool(rng.integers(2))))
        return [x]
    fields = {"padding": 1 - same, "strideH": stride, "strideW": stride, "fusedActivationFunction": act, "dilationHFactor": 1,
              "dilationWFactor": 1}
    if code == 4:
        fields["depthMultiplier"] = outputs // shape[3]
    x = m.tensor(shape)
    m.call(code, [x, w, bias], m.tensor([shape[0], *space, outputs]),
           *options("Conv2DOptions" if code == 3 else "DepthwiseConv2DOptions", **fields))
    return [x]


KINDS = [conv, depthwise, fully_connected, transpose_conv, pool, arithmetic, concatenation, slices, unscaled, function, pads, reductions,
         rows, pairs, matmul, moves, floats, softmaxes, norms]
CHAINS = [softmaxes, norms]


ROUND = (0.002, 1 / 256, 0.004, 0.005, 1 / 128, 0.01, 1 / 64, 0.02, 0.025, 1 / 32, 0.03, 0.05)
RUNTIMES = ("litert", "xnnpack", "tflm")
RESOLVERS = {"litert": OpResolverType.BUILTIN_REF, "xnnpack": OpResolverType.BUILTIN}


def run(data, inputs, runtime, outputs):
    """What the runtime makes of it, why LiteRT's reference kernels refuse it, or nothing when only `runtime` does."""
    try:
        result = invoke(data, inputs, "litert")
    except (RuntimeError, ValueError) as error:
        # What depends on the values is no property of the model.
        return None if "is only defined for" in str(error) else str(error)
    try:
        return result if runtime == "litert" else invoke(data, inputs, runtime, outputs)
    except (RuntimeError, ValueError):
        return None


def invoke(data, inputs, runtime, outputs=1):
    if runtime == "tflm":
        interpreter = micro.Interpreter.from_bytes(data, arena_size=1 << 22)  # the default, from the file's size, may be too little
        for i, value in enumerate(inputs):
            interpreter.set_input(value, i)
        interpreter.invoke()
        return joined([np.array(interpreter.get_output(i)) for i in range(outputs)])
    interpreter = Interpreter(model_content=data, experimental_op_resolver_type=RESOLVERS[runtime])
    interpreter.allocate_tensors()
    for detail, value in zip(interpreter.get_input_details(), inputs):
        interpreter.set_tensor(detail["index"], value)
    interpreter.invoke()
    return joined([interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()])


def joined(outputs):
    return outputs[0] if len(outputs) == 1 else np.concatenate([o.reshape(-1) for o in outputs])


def main():
    parser = drawn.arguments()
    parser.add_argument("--runtime", choices=RUNTIMES, default="litert")
    parser.add_argument("--numerics")
    parser.add_argument("--set", action="append", default=[])
    options_ = parser.parse_args()
    # XNNPACK's odd steps of one would grow from operator to operator.
    known = [k for k in KINDS if options_.runtime != "xnnpack" or k not in CHAINS]
    kinds = [k for k in known if not options_.only or k.__name__ == options_.only]
    equal = {k.__name__: 0 for k in kinds}
    refused = dict.fromkeys(equal, 0)
    failed = off_by_one = unknown = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options_.count):
            kind = kinds[i % len(kinds)]
            rng = np.random.default_rng([options_.seed, i])
            unsigned = rng.integers(3) == 0 and options_.runtime != "tflm"  # Micro has hardly any of it
            m = Model(rng, np.uint8 if unsigned else np.int8, options_.runtime)
            inputs = kind(m)
            data = m.bytes(inputs)
            of_floats = kind is floats
            values = [rng.normal(0, 1, m.tensors[t].shape).astype(np.float32) if of_floats else
                      rng.integers(np.iinfo(m.dtype).min, np.iinfo(m.dtype).max + 1, m.tensors[t].shape).astype(m.dtype)
                      for t in inputs]
            right = run(data, values, options_.runtime, 1 + len(m.outputs))
            if right is None:
                unknown += 1
                continue
            result, problem = drawn.ours(options_.cosim, data, values, folder, "tflite", "--set",
                                         f"numerics={options_.numerics or options_.runtime}",
                                         *(["--set", "weights=float"] if of_floats else []),
                                         *(word for s in options_.set for word in ("--set", s)), outputs=1 + len(m.outputs))
            if isinstance(right, str):
                refused[kind.__name__] += 1
                problem = "" if problem.startswith("exit code 2:") else f"runs, though LiteRT refuses it: {right[-200:]}"
            elif not problem and of_floats:
                # What weights of bytes multiply becomes bytes itself; XNNPACK has a way of its own.
                near = 0.1 if options_.runtime == "xnnpack" else 1e-5
                same = np.allclose(result, right, rtol=near, atol=near)
                problem = "" if same else f"floats differ by up to {np.abs(result - right).max():g}"
                equal[kind.__name__] += right.size if same else 0
            elif not problem:
                distance = np.abs(result.astype(int) - right.astype(int))
                problem = "" if not distance.any() else f"{(distance > 0).sum()} of {right.size} differ, by up to {distance.max()}"
                equal[kind.__name__] += right.size - int((distance > 0).sum())
                if options_.runtime == "xnnpack" and distance.max(initial=0) == 1:
                    off_by_one += int((distance > 0).sum())
                    problem = ""
            if problem:
                failed += 1
                print(f"{i} {kind.__name__} ({m.dtype}, codes {', '.join(str(o[0]) for o in m.ops)}): {problem}")
                if options_.keep:
                    with open(os.path.join(options_.keep, f"{kind.__name__}_{i}.tflite"), "wb") as file:
                        file.write(data)
    print("\n".join(f"{name:<16} {equal[name]:>7} bytes equal, {refused[name]} models refused by both" for name in equal))
    print(f"{failed} of {options_.count} models are wrong; the runtime does not run {unknown}")
    if options_.runtime == "xnnpack":
        values = sum(equal.values()) + off_by_one
        print(f"{off_by_one} of {values} values are off by one")
        # Sums that lie on a half, which round scales are drawn for, fall by single precision: 0 to 7 of 60 000, by the seed.
        failed += off_by_one * 5_000 > max(values, 20_000)
    return 1 if failed or sum(refused.values()) * 2 > options_.count else 0


if __name__ == "__main__":
    sys.exit(main())
