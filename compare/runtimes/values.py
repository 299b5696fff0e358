#!/usr/bin/env python3
"""Runs a model in its runtime and writes the values of its tensors.

    values.py REQUEST.json

REQUEST.json: {"model": path, "runtime": "litert" | "xnnpack" | "tflm" | "onnxruntime" | "onnxruntime_fused",
"folder": path,
"steps": [[tensor...]...], "states": [{"output": name, "input": tensor}...], "tensors": [tensor...]}, a tensor being
{"name", "index" (-1: by name), "file", "shape", "type"}. The inputs of each step are read from their files in the folder,
those of states, which take what the output was in the step before, from theirs for the first step. Of the last step
tensors are written to their files. answer.json there says what ran:
{"runtime": text, "missing": [{"file", "why"}...], "disturbed": values of the model's outputs that changed because of
the tensors that were asked for, "plain": [file...]}: tensors among them, whose undisturbed values are in plain_FILE. Ends with 3 when the runtime is not installed, 2 when it refuses the model, each with
a line that says so.
"""
import importlib
import importlib.metadata
import json
import os
import sys

try:
    import numpy as np
except ImportError:
    print(f"numpy is not installed for {sys.executable}: {sys.executable} -m pip install numpy", file=sys.stderr)
    sys.exit(3)


class MissingRuntime(Exception):
    pass


class Refused(Exception):
    pass


def one_of(modules, package):
    """The first module that is installed."""
    for name in modules:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is not None and name.split(".")[0] != error.name.split(".")[0]:
                raise MissingRuntime(f"{name} cannot be imported by {sys.executable}: {error}") from error
        except ImportError as error:
            raise MissingRuntime(f"{name} cannot be imported by {sys.executable}: {error}") from error
    raise MissingRuntime(f"{package} is not installed for {sys.executable}: {sys.executable} -m pip install {package}")


def version_of(*packages):
    for package in packages:
        try:
            return f"{package} {importlib.metadata.version(package)}"
        except importlib.metadata.PackageNotFoundError:
            continue
    return packages[0]


class LiteRt:
    """LiteRT's reference kernels: every tensor is kept."""

    resolver = "BUILTIN_REF"
    keep = True

    def __init__(self, model):
        self.interpreter = one_of(
            ["ai_edge_litert.interpreter", "tflite_runtime.interpreter", "tensorflow.lite.python.interpreter"],
            "ai-edge-litert",
        )
        self.model = model
        self.version = version_of("ai-edge-litert", "tflite-runtime", "tensorflow", "tensorflow-cpu")

    def run(self, data, steps):
        kind = getattr(self.interpreter.OpResolverType, self.resolver)
        runner = self.interpreter.Interpreter(
            model_content=data, experimental_op_resolver_type=kind, experimental_preserve_all_tensors=self.keep
        )
        runner.allocate_tensors()
        for step in steps:
            for tensor, value in step:
                runner.set_tensor(tensor["index"], value)
            runner.invoke()
        return runner

    def values(self, tensors, steps, states):
        with open(self.model, "rb") as file:
            data = file.read()
        runner = self.run(data, steps)
        return [self.read(runner, tensor) for tensor in tensors], {}

    @staticmethod
    def read(runner, tensor):
        try:
            return runner.get_tensor(tensor["index"])
        except ValueError as error:
            return str(error)


class Xnnpack(LiteRt):
    """LiteRT's default: what XNNPACK takes has no tensors in it, so all that are asked for become outputs."""

    resolver = "BUILTIN"
    keep = False

    def with_outputs(self, data, tensors):
        schema = one_of(["ai_edge_litert.schema_py_generated", "tensorflow.lite.python.schema_py_generated"], "ai-edge-litert")
        builder = one_of(["flatbuffers"], "flatbuffers").Builder(len(data))
        model = schema.ModelT.InitFromPackedBuf(data, 0)
        graph = model.subgraphs[0]
        graph.outputs = [*graph.outputs, *(t["index"] for t in tensors if t["index"] not in graph.outputs)]
        model.signatureDefs = None
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def values(self, tensors, steps, states):
        with open(self.model, "rb") as file:
            data = file.read()
        plain = self.run(data, steps)
        runner = self.run(self.with_outputs(data, tensors), steps)
        own = {detail["index"] for detail in plain.get_output_details()}
        outputs = {i: plain.get_tensor(t["index"]) for i, t in enumerate(tensors) if t["index"] in own}
        return [self.read(runner, tensor) for tensor in tensors], outputs


class Tflm:
    """TensorFlow Lite Micro."""

    def __init__(self, model):
        self.runtime = one_of(["tflite_micro.runtime", "tflite_micro"], "tflite-micro")
        self.runtime = getattr(self.runtime, "runtime", self.runtime)
        self.model = model
        self.version = version_of("tflite-micro")

    def values(self, tensors, steps, states):
        with open(self.model, "rb") as file:
            data = file.read()
        arena = 16 * len(data) + (64 << 20)
        runner = self.runtime.Interpreter.from_bytes(
            data, arena_size=min(arena, 2**31 - 1), intrepreter_config=self.runtime.InterpreterConfig.kPreserveAllTensors
        )
        for step in steps:
            for place, (_, value) in enumerate(step):
                runner.set_input(value, place)
            runner.invoke()
        values = []
        for tensor in tensors:
            found = runner.GetTensor(tensor["index"], 0)
            values.append(found["tensor_data"] if isinstance(found, dict) else found)
        return values, {}


class OnnxRuntime:
    """ONNX Runtime node by node: without graph optimisations."""

    level = "ORT_DISABLE_ALL"

    def __init__(self, model):
        self.runtime = one_of(["onnxruntime"], "onnxruntime")
        self.onnx = one_of(["onnx"], "onnx")
        self.model = model
        self.version = version_of("onnxruntime", "onnxruntime-gpu")

    def session(self, model):
        options = self.runtime.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = getattr(self.runtime.GraphOptimizationLevel, self.level)
        options.intra_op_num_threads = 1
        return self.runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def values(self, tensors, steps, states):
        plain = self.session(self.model)
        own = [output.name for output in plain.get_outputs()]
        feed = {state["input"]["name"]: state["value"] for state in states}
        for place, step in enumerate(steps):
            if place > 0:
                feed = {state["input"]["name"]: outputs[state["output"]] for state in states}
            feed.update({tensor["name"]: value for tensor, value in step})
            outputs = dict(zip(own, plain.run(own, feed)))
        model = self.onnx.load(self.model)
        given = {value.name for value in model.graph.input}
        wanted = [t["name"] for t in tensors if t["name"] not in own and t["name"] not in given]
        kinds = {"int8": 3, "uint8": 2, "float32": 1, "int32": 6, "int64": 7, "bool": 9}
        types = {t["name"]: kinds[t["type"]] for t in tensors}
        for name in wanted:
            info = model.graph.output.add()
            info.name = name
            info.type.tensor_type.elem_type = types[name]
        runner = self.session(model.SerializeToString())
        found = dict(zip(own + wanted, runner.run(own + wanted, feed)))
        found.update(feed)
        return [found[t["name"]] for t in tensors], {i: outputs[t["name"]] for i, t in enumerate(tensors) if t["name"] in outputs}


class OnnxRuntimeFused(OnnxRuntime):
    """ONNX Runtime with the optimisations that it has by default."""

    level = "ORT_ENABLE_ALL"


def different(a, b):
    return int((a != b).sum()) if a.shape == b.shape else int(a.size)


RUNTIMES = {
    "litert": LiteRt,
    "xnnpack": Xnnpack,
    "tflm": Tflm,
    "onnxruntime": OnnxRuntime,
    "onnxruntime_fused": OnnxRuntimeFused,
}


def save(folder, file, tensor, value):
    np.save(os.path.join(folder, file), np.ascontiguousarray(value.reshape(tensor["shape"])))


def answer(request):
    folder = request["folder"]
    runtime = RUNTIMES[request["runtime"]](request["model"])
    steps = [
        [(tensor, np.load(os.path.join(folder, tensor["file"]))) for tensor in step] for step in request["steps"]
    ]
    states = [
        {**state, "value": np.load(os.path.join(folder, state["input"]["file"]))} for state in request["states"]
    ]
    try:
        values, outputs = runtime.values(request["tensors"], steps, states)
    except MissingRuntime:
        raise
    except Exception as error:  # each runtime has its own
        raise Refused(f"{runtime.version} does not run the model: {' '.join(str(error).split())[:500]}") from error
    missing, plain, disturbed = [], [], 0
    for place, (tensor, value) in enumerate(zip(request["tensors"], values)):
        if isinstance(value, str):
            missing.append({"file": tensor["file"], "why": value})
            continue
        value = np.asarray(value)
        if value.dtype.name != tensor["type"] or value.size != np.prod(tensor["shape"], dtype=int):
            why = f"is {value.dtype.name} of shape {list(value.shape)} there"
            missing.append({"file": tensor["file"], "why": why})
            continue
        save(folder, tensor["file"], tensor, value)
        # What the model gives when nothing inside is asked for.
        undisturbed = np.asarray(outputs.get(place, value))
        if count := different(undisturbed, value):
            disturbed += count
            plain.append(tensor["file"])
            save(folder, "plain_" + tensor["file"], tensor, undisturbed)
    return {"runtime": runtime.version, "missing": missing, "disturbed": disturbed, "plain": plain}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    try:
        result = answer(request)
    except MissingRuntime as error:
        print(error, file=sys.stderr)
        return 3
    except Refused as error:
        print(error, file=sys.stderr)
        return 2
    with open(os.path.join(request["folder"], "answer.json"), "w", encoding="utf-8") as file:
        json.dump(result, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
