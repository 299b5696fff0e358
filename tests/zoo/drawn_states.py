#!/usr/bin/env python3
"""Small TensorFlow Lite models with variables, drawn at random, against the runtimes themselves, step by step.

    drawn_states.py COSIM [--runtime litert|tflm] [--count 200] [--seed 1] [--keep FOLDER]

Variables are read before and after they are assigned, several times, never, straight into the output; they slide, add up
and swap. Every byte of every step must be equal, on a hardware and with a policy that are drawn as well.
"""
import json
import os
import subprocess
import sys
import tempfile

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as s
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from tflite_micro import runtime as micro

import drawn

STEPS = 5
RESOURCE = s.TensorType.RESOURCE
CONV, CONCATENATION, ADD, RESHAPE, STRIDED_SLICE = 3, 2, 0, 22, 45
CALL_ONCE, VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE = 129, 142, 143, 144


class Graph:
    """A subgraph on its way: tensors and operators of a model."""

    def __init__(self, model, rng):
        self.model, self.rng = model, rng
        self.tensors, self.operators = [], []

    def tensor(self, shape, kind=s.TensorType.INT8, data=None, scale=None, zero=0):
        t = s.TensorT()
        t.name, t.shape, t.type, t.buffer = f"t{len(self.tensors)}".encode(), [int(e) for e in shape], kind, 0
        if scale is not None:
            t.quantization = s.QuantizationParametersT()
            t.quantization.scale, t.quantization.zeroPoint = [float(scale)], [int(zero)]
        if data is not None:
            buffer = s.BufferT()
            buffer.data = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
            t.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        self.tensors.append(t)
        return len(self.tensors) - 1

    def shape(self, t):
        return list(self.tensors[t].shape)

    def value(self, shape):
        return self.tensor(shape, scale=self.model.scale, zero=self.model.zero)

    def integers(self, values):
        return self.tensor([len(values)], s.TensorType.INT32, np.array(values, np.int32))

    def call(self, code, inputs, outputs, kind=None, **fields):
        op = s.OperatorT()
        op.opcodeIndex, op.inputs, op.outputs = self.model.opcode(code), inputs, outputs
        if kind is not None:
            op.builtinOptionsType, op.builtinOptions = getattr(s.BuiltinOptions, kind), getattr(s, kind + "T")()
            for name, field in fields.items():
                setattr(op.builtinOptions, name, field)
        self.operators.append(op)
        return outputs[0] if outputs else -1

    def handle(self, name):
        t = self.tensor([], RESOURCE)
        return self.call(VAR_HANDLE, [], [t], "VarHandleOptions", container=b"", sharedName=name)

    def packed(self, inputs, outputs, name):
        graph = s.SubGraphT()
        graph.tensors, graph.operators, graph.inputs, graph.outputs = self.tensors, self.operators, inputs, outputs
        graph.name = name
        return graph


class Model:
    def __init__(self, rng):
        self.buffers, self.codes = [s.BufferT()], []
        self.scale, self.zero = float(rng.choice([0.05, 1 / 16, 0.031])), int(rng.integers(-60, 60))
        self.rng = rng

    def opcode(self, code):
        if code not in self.codes:
            self.codes.append(code)
        return self.codes.index(code)

    def bytes(self, graphs):
        model = s.ModelT()
        model.version, model.subgraphs, model.buffers, model.operatorCodes = 3, graphs, self.buffers, []
        for code in self.codes:
            opcode = s.OperatorCodeT()
            opcode.builtinCode, opcode.deprecatedBuiltinCode, opcode.version = code, min(code, 127), 1
            model.operatorCodes.append(opcode)
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


class Drawing:
    """Operators one after the other, each on values that are there."""

    def __init__(self, rng):
        self.rng = rng
        self.model = Model(rng)
        self.main, self.once = Graph(self.model, rng), Graph(self.model, rng)
        self.channels = int(rng.integers(1, 12))
        self.main.call(CALL_ONCE, [], [], "CallOnceOptions", initSubgraphIndex=1)
        self.variables = [self.variable(i) for i in range(int(rng.integers(1, 4)))]
        self.input = self.main.value([1, 1, 1, self.channels])
        self.values = [self.input]

    def variable(self, number):
        name = f"v{number}".encode()
        shape = [1, int(self.rng.integers(1, 5)), 1, self.channels]
        first = self.rng.integers(-128, 128, shape).astype(np.int8)
        constant = self.once.tensor(shape, data=first, scale=self.model.scale, zero=self.model.zero)
        self.once.call(ASSIGN_VARIABLE, [self.once.handle(name), constant], [])
        return self.main.handle(name), shape

    def some(self, shape=None):
        fitting = [v for v in self.values if shape is None or self.main.shape(v) == shape]
        return int(self.rng.choice(fitting)) if fitting else self.rows(shape[1])

    def rows(self, count):
        """A value of so many rows, from any others."""
        parts, have = [], 0
        while have < count or len(parts) < 2:
            parts.append(self.some())
            have += self.main.shape(parts[-1])[1]
        joined = self.main.call(CONCATENATION, parts, [self.main.value([1, have, 1, self.channels])],
                                "ConcatenationOptions", axis=1, fusedActivationFunction=0)
        self.values.append(joined)
        begin = int(self.rng.integers(0, have - count + 1))
        ends = [1, begin + count, 1, self.channels]
        bounds = [self.main.integers([0, begin, 0, 0]), self.main.integers(ends), self.main.integers([1] * 4)]
        return self.main.call(STRIDED_SLICE, [joined, *bounds], [self.main.value([1, count, 1, self.channels])],
                              "StridedSliceOptions", beginMask=0, endMask=0, ellipsisMask=0, newAxisMask=0,
                              shrinkAxisMask=0, offset=False)

    def read(self):
        handle, shape = self.variables[self.rng.integers(len(self.variables))]
        self.values.append(self.main.call(READ_VARIABLE, [handle], [self.main.value(shape)], "ReadVariableOptions"))

    def assign(self):
        handle, shape = self.variables[self.rng.integers(len(self.variables))]
        self.main.call(ASSIGN_VARIABLE, [handle, self.some(shape)], [], "AssignVariableOptions")

    def slide(self):
        """The oldest row goes, a new one comes, as streaming layers have it."""
        handle, shape = self.variables[self.rng.integers(len(self.variables))]
        old = self.main.call(READ_VARIABLE, [handle], [self.main.value(shape)], "ReadVariableOptions")
        whole = [1, shape[1] + 1, 1, self.channels]
        joined = self.main.call(CONCATENATION, [old, self.some([1, 1, 1, self.channels])], [self.main.value(whole)],
                                "ConcatenationOptions", axis=1, fusedActivationFunction=0)
        bounds = [self.main.integers([0, 1, 0, 0]), self.main.integers(whole), self.main.integers([1] * 4)]
        new = self.main.call(STRIDED_SLICE, [joined, *bounds], [self.main.value(shape)], "StridedSliceOptions",
                             beginMask=0, endMask=0, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=0, offset=False)
        self.main.call(ASSIGN_VARIABLE, [handle, new], [], "AssignVariableOptions")
        self.values += [old, joined, new] if self.rng.integers(3) == 0 else [joined]

    def add(self):
        a = self.some()
        shape = self.main.shape(a)
        self.values.append(self.main.call(ADD, [a, self.some(shape)], [self.main.value(shape)], "AddOptions",
                                          fusedActivationFunction=int(self.rng.integers(2))))

    def conv(self):
        x = self.some()
        shape = self.main.shape(x)
        taps = int(self.rng.integers(1, shape[1] + 1))
        weights = self.main.tensor([self.channels, taps, 1, self.channels], scale=0.01,
                                   data=self.rng.integers(-127, 128, [self.channels, taps, 1, self.channels]).astype(np.int8))
        bias = self.main.tensor([self.channels], s.TensorType.INT32, scale=0.01 * self.model.scale,
                                data=self.rng.integers(-2000, 2000, self.channels).astype(np.int32))
        made = self.main.value([1, shape[1] - taps + 1, 1, self.channels])
        self.values.append(self.main.call(CONV, [x, weights, bias], [made], "Conv2DOptions", padding=1, strideH=1, strideW=1,
                                          dilationHFactor=1, dilationWFactor=1, fusedActivationFunction=0))

    def reshape(self):
        x = self.some()
        shape = self.main.shape(x)
        there = self.main.call(RESHAPE, [x, self.main.integers([1, 1, shape[1], self.channels])],
                               [self.main.value([1, 1, shape[1], self.channels])], "ReshapeOptions",
                               newShape=[1, 1, shape[1], self.channels])
        self.values.append(self.main.call(RESHAPE, [there, self.main.integers(shape)], [self.main.value(shape)],
                                          "ReshapeOptions", newShape=shape))

    def draw(self):
        self.read()
        for _ in range(int(self.rng.integers(3, 10))):
            getattr(self, str(self.rng.choice(["read", "assign", "assign", "slide", "slide", "add", "conv", "reshape"])))()
        computed = [v for v in self.values if v != self.input]
        return int(self.rng.choice(computed[-3:]))

    def bytes(self, output):
        return self.model.bytes([self.main.packed([self.input], [output], b"main"), self.once.packed([], [], b"once")])


def theirs(data, frames, runtime):
    outputs = []
    if runtime == "tflm":
        runner = micro.Interpreter.from_bytes(data)
        for frame in frames:
            runner.set_input(frame, 0)
            runner.invoke()
            outputs.append(np.array(runner.get_output(0)))
    else:
        runner = Interpreter(model_content=data, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        runner.allocate_tensors()
        for frame in frames:
            runner.set_tensor(runner.get_input_details()[0]["index"], frame)
            runner.invoke()
            outputs.append(runner.get_tensor(runner.get_output_details()[0]["index"]).copy())
    return np.stack(outputs)


def ours(cosim, data, frames, folder, rng, runtime):
    model, path, made = (os.path.join(folder, name) for name in ("m.tflite", "frames.npy", "made.npy"))
    with open(model, "wb") as file:
        file.write(data)
    np.save(path, frames)
    sets = [f"hardware={rng.choice(['micro', 'nano', 'tiny', 'small', 'medium'])}", f"policy={rng.choice(['best', 'first-fit'])}",
            "engine=tlm", f"numerics={runtime}"]
    command = [cosim, model, "--input", path, "--output", made, "--quiet", "--check-memory"]
    for one in sets:
        command += ["--set", one]
    done = subprocess.run(command, capture_output=True, text=True)
    return (np.load(made), "") if done.returncode == 0 else (None, f"exit code {done.returncode}: {done.stderr.strip()[-400:]}")


def main():
    parser = drawn.arguments()
    parser.add_argument("--runtime", choices=("litert", "tflm"), default="tflm")
    options = parser.parse_args()
    failed = equal = 0
    different = set()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.count):
            rng = np.random.default_rng([options.seed, i])
            drawing = Drawing(rng)
            data = drawing.bytes(drawing.draw())
            frames = rng.integers(-128, 128, (STEPS, 1, 1, 1, drawing.channels)).astype(np.int8)
            right = theirs(data, frames, options.runtime)
            result, problem = ours(options.cosim, data, frames, folder, rng, options.runtime)
            if not problem and result.shape != right.shape:
                problem = f"shape {result.shape}, not {right.shape}"
            if not problem and (result != right).any():
                problem = f"{(result != right).sum()} of {right.size} differ, from step {(result != right).reshape(STEPS, -1).any(1).argmax()} on"
            if problem:
                failed += 1
                print(f"{i}: {problem}")
                if options.keep:
                    with open(os.path.join(options.keep, f"states_{i}.tflite"), "wb") as file:
                        file.write(data)
            else:
                equal += right.size
                different.add(right.tobytes())
    print(f"{equal} bytes of {STEPS} steps each equal {options.runtime}'s, in {len(different)} models unlike each other; "
          f"{failed} of {options.count} models are wrong")
    return 1 if failed or len(different) * 2 < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
