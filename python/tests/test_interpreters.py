"""Interpreters that look like TensorFlow Lite's and ONNX Runtime's."""

import os
import time

import numpy as np
import pytest

import tessera
from tessera import lite, onnx


def test_a_tflite_script_changes_its_import(shared):
    model = str(shared("models/kws_dscnn/model.tflite"))
    interpreter = lite.Interpreter(model_path=model, hardware="small", policy="first-fit", verify=True)
    interpreter.allocate_tensors()
    (given,), (made,) = interpreter.get_input_details(), interpreter.get_output_details()
    assert given["dtype"] is np.int8 and list(given["shape"]) == list(given["shape_signature"])
    assert given["quantization"][0] == given["quantization_parameters"]["scales"][0]
    rng = np.random.default_rng(1)
    for _ in range(2):
        frame = rng.integers(-128, 128, given["shape"]).astype(given["dtype"])
        interpreter.set_tensor(given["index"], frame)
        interpreter.invoke()
        run = tessera.simulate(model, hardware="small", policy="first-fit", inputs=frame)
        np.testing.assert_array_equal(interpreter.get_tensor(made["index"]), run.output)
        assert interpreter.cycles == run.cycles
        assert interpreter.external_bytes == run.steps["external_bytes"][0]
    view = interpreter.tensor(made["index"])
    assert view() is not interpreter.get_tensor(made["index"]) and (view() == run.output).all()


def test_equals_litert_where_it_is(shared):
    runtime = pytest.importorskip("ai_edge_litert.interpreter")
    model = str(shared("models/kws_dscnn/model.tflite"))
    ours = lite.Interpreter(model_path=model, numerics="xnnpack")
    theirs = runtime.Interpreter(model_path=model)
    results = []
    for interpreter in (ours, theirs):
        interpreter.allocate_tensors()
        given, made = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
        rng = np.random.default_rng(2)
        outputs = []
        for _ in range(5):
            interpreter.set_tensor(given["index"], rng.integers(-128, 128, given["shape"]).astype(given["dtype"]))
            interpreter.invoke()
            outputs.append(interpreter.get_tensor(made["index"]))
        results.append((given["index"], given["name"], made["index"], made["name"], np.stack(outputs)))
    assert results[0][:4] == results[1][:4]
    np.testing.assert_array_equal(results[0][4], results[1][4])


def test_states_stay_between_calls():
    net = tessera.onnx.InferenceSession("wake_word", verify=True)
    (given,) = net.get_inputs()
    assert given.type == "tensor(int8)" and given.shape == [1, 3, 1, 40]
    frames = np.random.default_rng(3).integers(-128, 128, (6, *given.shape)).astype(np.int8)
    apart = np.stack([net.run(None, {given.name: frame})[0] for frame in frames])
    whole = tessera.simulate("wake_word", inputs=frames)
    np.testing.assert_array_equal(apart, whole.output)
    assert list(whole.steps["cycles"])[-1] == net.cycles and len(whole.steps) == 6
    assert not np.array_equal(net.run(None, {given.name: frames[0]})[0], apart[0])
    net.reset()
    np.testing.assert_array_equal(net.run(None, {given.name: frames[0]})[0], apart[0])


def test_what_is_wrong_is_said():
    with pytest.raises(tessera.InputError, match="model_path or model_content, one of the two"):
        lite.Interpreter()
    with pytest.raises(tessera.InputError, match="no such file"):
        lite.Interpreter(model_path="none.tflite").allocate_tensors()
    with pytest.raises(tessera.InputError, match="engine `model` counts cycles and computes nothing"):
        onnx.InferenceSession("lenet5", engine="model")
    session = onnx.InferenceSession("lenet5", hardware="tiny", policy="first-fit")
    (given,) = session.get_inputs()
    zeros = np.zeros(given.shape, np.int8)
    for feed, text in (
        ({}, f"input `{given.name}` is missing"),
        ({given.name: zeros, "more": zeros}, "`more` is no input"),
        ({given.name: zeros.astype(np.float32)}, "is float32 of shape"),
        ({given.name: zeros[0]}, "is int8 of shape"),
    ):
        with pytest.raises(tessera.InputError, match=text):
            session.run(None, feed)
    with pytest.raises(tessera.InputError, match="`none` is no output"):
        session.run(["none"], {given.name: zeros})
    assert session.run([session.get_outputs()[0].name], {given.name: zeros})[0].shape == (1, 10)


def test_tensors_that_cannot_be_had(shared):
    interpreter = lite.Interpreter(model_path=str(shared("models/ad_autoencoder/model.tflite")), policy="first-fit")
    with pytest.raises(tessera.Error, match="allocate_tensors"):
        interpreter.invoke()
    given = interpreter.get_input_details()[0]
    with pytest.raises(tessera.InputError, match="is no input"):
        interpreter.set_tensor(given["index"] + 1000, 0)
    with pytest.raises(tessera.InputError, match="after invoke"):
        interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    interpreter.resize_tensor_input(given["index"], given["shape"])
    with pytest.raises(tessera.InputError, match="a program is made for the file's shapes"):
        interpreter.resize_tensor_input(given["index"], [2, *given["shape"][1:]])


def test_scripts_with_options_run():
    options = onnx.SessionOptions()
    options.graph_optimization_level = onnx.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = 1
    session = onnx.InferenceSession("first_light", options, onnx.get_available_providers(), hardware="tiny")
    assert session.get_providers() == onnx.get_available_providers()
    with pytest.raises(tessera.InputError, match="an interpreter runs its own model"):
        onnx.InferenceSession("first_light", network="lenet5")
    with pytest.raises(tessera.InputError, match="takes none"):
        lite.load_delegate("libedgetpu.so")
    with pytest.raises(tessera.InputError, match="no TensorFlow Lite model"):
        lite.Interpreter(model_content=b"hello")


def test_layer_lists_have_indices():
    net = tessera.Network("two", input=None)
    net.add_input("left", (1, 1, 1, 4)).add_input("right", (1, 1, 1, 4)).add("left", "right", name="sum")
    interpreter = lite.Interpreter(net, hardware="tiny", policy="first-fit")
    given = [detail["index"] for detail in interpreter.get_input_details()]
    made = interpreter.get_output_details()[0]["index"]
    assert len({*given, made}) == 3
    results = []
    for left, right in ((100, 0), (0, 100), (100, 100)):
        for index, value in zip(given, (left, right)):
            interpreter.set_tensor(index, np.full((1, 1, 1, 4), value, np.int8))
        interpreter.invoke()
        results.append(interpreter.get_tensor(made).tolist())
    assert results[2] != results[0] and results[2] != results[1]


def test_its_process_ends_with_it():
    session = onnx.InferenceSession("first_light", hardware="tiny", policy="first-fit")
    children = set(os.listdir("/proc/self/task"))
    process = [p for p in os.listdir("/proc") if p.isdigit() and _parent(p) == os.getpid()]
    assert len(process) == 1, children
    del session
    for _ in range(50):
        if not os.path.exists(f"/proc/{process[0]}"):
            return
        time.sleep(0.1)
    raise AssertionError("the engine's process is still there")


def _parent(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return int(stat.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0
