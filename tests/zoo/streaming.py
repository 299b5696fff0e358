#!/usr/bin/env python3
"""Networks with state against the runtimes that they are meant for, step by step.

    streaming.py COSIM [--shared FOLDER] [--steps 200] [--seed 1]

TensorFlow Lite's variables: files of others (FOLDER/models/streaming), against TensorFlow Lite Micro. Inputs and outputs
of an ONNX file that a configuration ties together: a recurrent cell as ONNX Runtime's quantiser writes it, against ONNX
Runtime, which gets its own outputs back. Every byte of every step must be equal, in one run and in one that is
interrupted half way.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

import numpy as np


def cosim_steps(cosim, out, model, frames, sets, extra=()):
    """Outputs of all steps, and the run's JSON."""
    path = os.path.join(out, "frames.npy")
    np.save(path, frames)
    config = os.path.join(out, "npu.yaml")
    with open(config, "w") as text:
        text.write("hardware: small\nmemory: {bytes_per_cycle: 8, latency: 64}\nengine: tlm\n")
    outputs = os.path.join(out, "outputs.npy")
    command = [cosim, "--config", config, "--network", model, "--input", path, "--output", outputs, "--quiet",
               "--json", os.path.join(out, "run.json"), *extra]
    for one in sets:
        command += ["--set", one]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{model}: {done.stderr.strip()[:2000]}")
    with open(os.path.join(out, "run.json")) as text:
        return np.load(outputs), json.load(text)


def whole_and_halves(cosim, model, frames, sets):
    """The same steps at once, and as two runs, the second of which goes on with the first one's states."""
    with tempfile.TemporaryDirectory() as out:
        whole, run = cosim_steps(cosim, out, model, frames, sets)
        half, states = len(frames) // 2, os.path.join(out, "states")
        first, _ = cosim_steps(cosim, out, model, frames[:half], sets, ["--states-out", states])
        second, _ = cosim_steps(cosim, out, model, frames[half:], sets, ["--states-in", states])
    if not np.array_equal(whole, np.concatenate([first, second])):
        sys.exit(f"{model}: an interrupted run has other outputs")
    return whole, run


def smooth(rng, count, shape):
    """Frames that change slowly and over the whole range, so that outputs are not all the same."""
    walk = np.cumsum(rng.normal(0, 12, size=(count, *shape)), axis=0) + rng.normal(0, 60, size=shape)
    loud = 40 + 80 * np.abs(np.sin(np.arange(count) / 9))
    return np.clip(walk * loud.reshape(-1, *[1] * len(shape)) / 100, -128, 127).astype(np.int8)


def with_tflm(cosim, model, steps, rng):
    from tflite_micro import runtime

    runner = runtime.Interpreter.from_file(model)
    frames = smooth(rng, steps, tuple(runner.get_input_details(0)["shape"]))
    theirs = []
    for frame in frames:
        runner.set_input(frame, 0)
        runner.invoke()
        theirs.append(runner.get_output(0).copy())
    theirs = np.stack(theirs)
    inside(cosim, model, frames[: 1 + steps // 3])
    for policy in ("first-fit", "best"):
        ours, run = whole_and_halves(cosim, model, frames, [f"policy={policy}"])
        different = int((ours != theirs).sum())
        told = f"{os.path.basename(model)}, {policy}: {steps} steps, {len(np.unique(theirs))} different outputs"
        cycles = run["steps"]["steady_cycles"]
        print(f"{told}, {different} of {ours.size} values differ from TensorFlow Lite Micro's; {cycles} cycles a step")
        if different or run["host"]["layers"]:
            sys.exit(f"{told}: {different} values differ, {run['host']['layers']} layers on the host")


def inside(cosim, model, frames):
    """Every operator of the last step, on the values that the runtimes have there."""
    with tempfile.TemporaryDirectory() as out:
        path = os.path.join(out, "frames.npy")
        np.save(path, frames)
        for runtime in ("tflm", "litert"):
            done = subprocess.run(
                [cosim, "compare", model, "--runtime", runtime, "--python", sys.executable, "--input", path, "--quiet",
                 "--set", f"numerics={runtime}"], capture_output=True, text=True,
            )
            if done.returncode != 0:
                sys.exit(f"{model} against {runtime}, step {len(frames)}: {done.stdout}{done.stderr}")


def recurrent_cell(folder, rng):
    """h' = tanh(W [x, h] + b), y = V h', quantised by ONNX Runtime's quantiser."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from onnxruntime import quantization

    def constant(name, *shape):
        return numpy_helper.from_array(rng.normal(0, 1 / np.sqrt(shape[0]), shape).astype(np.float32), name)

    def value(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    nodes = [
        helper.make_node("Concat", ["x", "h"], ["xh"], axis=1),
        helper.make_node("Gemm", ["xh", "w", "b"], ["sum"]),
        helper.make_node("Tanh", ["sum"], ["next"]),
        helper.make_node("Gemm", ["next", "v", "c"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "cell", [value("x", 1, 12), value("h", 1, 20)], [value("y", 1, 6), value("next", 1, 20)],
        [constant("w", 32, 20), constant("b", 20), constant("v", 20, 6), constant("c", 6)],
    )
    plain = os.path.join(folder, "cell.onnx")
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, plain)

    class Reader(quantization.CalibrationDataReader):
        def __init__(self):
            self.left = [
                {"x": rng.normal(0, 1, (1, 12)).astype(np.float32), "h": rng.uniform(-1, 1, (1, 20)).astype(np.float32)}
                for _ in range(20)
            ]

        def get_next(self):
            return self.left.pop() if self.left else None

    path = os.path.join(folder, "cell_qdq.onnx")
    quantization.quantize_static(
        plain, path, Reader(), quant_format=quantization.QuantFormat.QDQ, activation_type=quantization.QuantType.QInt8,
        weight_type=quantization.QuantType.QInt8, per_channel=False,
    )
    return path


def with_onnxruntime(cosim, steps, rng):
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        model = recurrent_cell(folder, rng)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        frames = rng.normal(0, 1, (steps, 1, 12)).astype(np.float32)
        state, theirs = np.zeros((1, 20), np.float32), []
        for frame in frames:
            output, state = session.run(["y", "next"], {"x": frame, "h": state})
            theirs.append(output)
        theirs = np.stack(theirs)
        ours, run = whole_and_halves(cosim, model, frames, ["state=[{input: h, output: next}]", "policy=best"])
    different = int((ours != theirs).sum())
    print(f"a recurrent cell of ONNX: {steps} steps, {different} of {ours.size} values differ from ONNX Runtime's")
    host = sorted({layer["op"] for layer in run["layers"] if layer["mode"] == "host"})
    if different or not set(host) <= {"QUANTIZE", "DEQUANTIZE"}:
        sys.exit(f"a recurrent cell of ONNX: {different} values differ from ONNX Runtime's; on the host: {host}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cosim")
    parser.add_argument("--shared")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    with_onnxruntime(arguments.cosim, arguments.steps, rng)
    files = sorted(glob.glob(os.path.join(arguments.shared or "", "models", "streaming", "*_v2.tflite")))
    if not arguments.shared or not files:
        print("skipped: the streaming models are not on this machine (TESSERA_SHARED)")
        return
    for file in files:
        with_tflm(arguments.cosim, file, arguments.steps, rng)


if __name__ == "__main__":
    main()
