"""Simulations from Python against the command line, and against arrays computed here."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tessera
from tessera import _files


def test_json_is_the_command_lines(lenet, cosim):
    words = shlex.split(lenet.command)
    assert words[0] == "cosim"
    assert cosim(*words[1:], "--json", "-", "--quiet") == lenet.json


@pytest.mark.parametrize(
    "model",
    ["models/kws_dscnn/model.tflite", "models/public/micro_kws_m_static_qdq.onnx",
     "models/public/mcunetv2_large_int8.tflite", "benchmarks/topologies/alexnet.csv"],
)
@pytest.mark.parametrize("engine", ["tlm", "model"])
def test_json_of_other_peoples_models(shared, cosim, tmp_path, model, engine):
    path = shared(model)
    settings = {"memory": {"bytes_per_cycle": 4, "latency": 40}, "policy": "first-fit"}
    if engine == "tlm" and path.suffix == ".csv":
        pytest.skip("long, and without data of its own")
    run = tessera.simulate(path, hardware="medium", engine=engine, cbuf="192KiB", **settings)
    config = tmp_path / "npu.yaml"
    config.write_text(
        "hardware: {preset: medium, cbuf: {size: 192 KiB}}\nmemory: {bytes_per_cycle: 4, latency: 40}\n"
        f"policy: first-fit\nnetwork: {path}\nengine: {engine}\n"
    )
    folder = tmp_path / "outputs"
    folder.mkdir()
    output = ["--output", folder] if engine == "tlm" else []
    assert cosim("--config", config, "--json", "-", "--quiet", *output) == run.json
    assert run.verified is (True if engine == "tlm" else None)
    for number, array in enumerate(run.outputs.values()):
        expected = np.load(folder / f"output{number}.npy")
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array, expected)
    assert len(run.layers) == len(run.data["layers"])
    assert run.layers["cycles"].sum() == run.totals["cycles"] == run.cycles


def test_reference_output_of_a_model(shared):
    """What another runtime computed for another input than the seed's."""
    folder = shared("models/kws_dscnn")
    inputs = sorted(folder.glob("*input*.npy")) + sorted(folder.glob("*input*.bin"))
    if not inputs:
        pytest.skip(f"no inputs in {folder}")
    model = folder / "model.tflite"
    info = tessera.inspect(model)
    tensor = info["inputs"][0]
    path = inputs[0]
    array = np.load(path) if path.suffix == ".npy" else np.fromfile(path, dtype=tensor["type"])
    array = array.reshape(tensor["shape"]).astype(tensor["type"])
    by_array = tessera.simulate(model, hardware="small", inputs=array)
    by_name = tessera.simulate(model, hardware="small", inputs={tensor["name"]: array})
    by_bytes = tessera.simulate(model.read_bytes(), hardware="small", inputs=[array])
    np.testing.assert_array_equal(by_array.output, by_name.output)
    np.testing.assert_array_equal(by_array.output, by_bytes.output)


def test_types_are_the_models_own(shared):
    run = tessera.simulate(shared("models/public/ssd_traffic_uint8.tflite"), engine="tlm", policy="first-fit")
    info = tessera.inspect(shared("models/public/ssd_traffic_uint8.tflite"))
    assert info["inputs"][0]["type"] == "uint8"
    assert [str(a.dtype) for a in run.outputs.values()] == [t["type"] for t in info["outputs"]]
    assert [list(a.shape) for a in run.outputs.values()] == [t["shape"] for t in info["outputs"]]


def test_network_of_python_computes_what_it_says():
    rng = np.random.default_rng(7)
    kernel = rng.integers(-8, 8, (4, 3, 3, 2), dtype=np.int8)
    bias = rng.integers(-50, 50, 4, dtype=np.int32)
    feature = rng.integers(-20, 20, (1, 6, 5, 2), dtype=np.int8)
    # Scales whose quotient is a power of two: requantising is a rounding shift.
    net = tessera.Network("by_hand").add_input("x", (1, 6, 5, 2), scale=1.0, zero_point=0)
    net.conv2d(4, 3, name="conv", source="x", weights=kernel, weight_scales=[1.0] * 4, bias=bias,
               scale=16.0, zero_point=3)
    run = tessera.simulate(net, hardware="tiny", inputs={"x": feature})
    expected = np.zeros((1, 4, 3, 4), np.int64)
    for y in range(4):
        for x in range(3):
            window = feature[0, y : y + 3, x : x + 3, :].astype(np.int64)
            sums = np.tensordot(kernel.astype(np.int64), window, axes=([1, 2, 3], [0, 1, 2])) + bias
            expected[0, y, x] = np.sign(sums) * ((np.abs(sums) + 8) >> 4) + 3
    difference = run.output.astype(np.int64) - np.clip(expected, -128, 127)
    # Halves of negative numbers may go the other way.
    assert np.abs(difference).max() <= 1
    assert np.count_nonzero(difference) <= difference.size // 8
    assert run.outputs.keys() == {"conv"}


def test_engines_count_the_same_cycles():
    runs = [tessera.simulate("first_light", hardware="tiny", engine=e) for e in ("tlm", "model")]
    assert runs[0].cycles == runs[1].cycles
    assert runs[1].outputs == {}
    with pytest.raises(tessera.Error, match="0 outputs"):
        runs[1].output


def test_rtl_counts_the_same_cycles(tmp_path):
    if shutil.which("verilator") is None:
        pytest.skip("no Verilator")
    waves = tmp_path / "waves.fst"
    rtl = tessera.simulate("first_light", hardware="nano", engine="rtl", waves=waves)
    assert rtl.verified and waves.stat().st_size > 0
    tlm = tessera.simulate("first_light", hardware="nano")
    assert rtl.cycles == tlm.cycles
    np.testing.assert_array_equal(rtl.output, tlm.output)


def test_rest_of_a_run(lenet, tmp_path):
    assert "holds" in lenet.explain("conv1") and lenet.explain(0) == lenet.explain("conv1")
    with pytest.raises(tessera.InputError, match="no layer is named `nix`"):
        lenet.explain("nix")
    assert lenet.totals["together_cycles"] == lenet.data["totals"]["together_cycles"]
    assert "<table" in lenet._repr_html_() and "conv1" in lenet._repr_html_()
    assert hasattr(lenet, "output")
    counted_only = tessera.simulate("lenet5", hardware="small", engine="model")
    assert not hasattr(counted_only, "output") and not counted_only.outputs
    with pytest.raises(tessera.NoSingleOutput, match="has 0 outputs"):
        counted_only.output  # noqa: B018
    with pytest.raises(tessera.InputError, match="model is 5; allowed are"):
        tessera.simulate(5)
    timeline = lenet.timeline
    assert set(timeline["lane"]) == {"load", "compute", "store", "bus read", "bus write"}
    assert timeline["begin"].is_monotonic_increasing and (timeline["end"] >= timeline["begin"]).all()
    reads = timeline.loc[timeline["lane"] == "load", "bytes"].sum()
    counted = lenet.totals["external_read_bytes"] - lenet.totals["counters_read_command_bytes"]
    assert reads == counted
    assert lenet.memory_plan.arena_bytes == lenet.data["memory"]["arena_bytes"]
    assert (lenet.memory_plan.buffers["offset"] + lenet.memory_plan.buffers["bytes"]).max() == lenet.memory_plan.arena_bytes
    assert json.loads(lenet.save_trace(tmp_path / "trace.json").read_text())["traceEvents"]


def test_report(lenet, tmp_path):
    if not (_files.SHARE / "web/echarts.min.js").exists():
        pytest.skip("the wheel was made without the charting library")
    assert "lenet5 on small" in lenet.save_report(tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    "call, argument, text",
    [
        (dict(hardware="medum"), "hardware", r"did you mean `medium`\?.*allowed are large"),
        (dict(cbuf=3), "hardware.cbuf.size", "is 3 bytes; allowed is a multiple"),
        (dict(polcy="best"), "polcy", r"did you mean `policy`"),
        (dict(hardware__array__atomic_c=7), "hardware.array.atomic_c", "even number from 2 to 64"),
        (dict(inputs=np.zeros((1, 3), np.int8)), None, r"holds int8 of shape \(1, 3\); the model's is int8 of shape \(1, 32, 32, 1\)"),
        (dict(inputs=[np.zeros((1, 32, 32, 1), np.int8)] * 2), None, "2 inputs; the model has 1"),
        (dict(inputs={"x": np.zeros(1, np.int8)}), None, "inputs are `x`; the model's are `conv1/input`"),
        (dict(engine="model", inputs=np.zeros((1, 32, 32, 1), np.int8)), None, "moves no data"),
    ],
)
def test_wrong_arguments(call, argument, text):
    with pytest.raises(tessera.InputError, match=text) as caught:
        tessera.simulate("lenet5", **call)
    assert caught.value.argument == argument
    assert "/tmp" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_wrong_files(tmp_path):
    config = tmp_path / "npu.yaml"
    config.write_text("hardware: small\nnetwork: lenet5\nmemory: {latncy: 3}\n")
    with pytest.raises(tessera.InputError, match="latncy") as caught:
        tessera.simulate(config=config)
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(config), 3, 10)
    with pytest.raises(tessera.InputError, match="damaged"):
        tessera.simulate(b"no model")
    with pytest.raises(tessera.InputError, match=r"network `n`, layer `c2`: `conv2d.kernel`"):
        tessera.simulate(tessera.Network("n", input=(8, 8, 3)).conv2d(4, 3, name="c1").conv2d(4, 0, name="c2"))
    with pytest.raises(tessera.InputError, match="weights are float64"):
        tessera.simulate(tessera.Network("n", input=(8, 8, 3)).conv2d(4, 3, weights=np.zeros((4, 3, 3, 3))))


def test_threads_run_at_once_and_python_goes_on():
    ticks = 0
    done = threading.Event()

    def count():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    results = {}
    runners = [
        threading.Thread(target=lambda h=h: results.update({h: tessera.simulate("lenet5", hardware=h).cycles}))
        for h in ("tiny", "small", "medium", "large")
    ]
    counter = threading.Thread(target=count)
    counter.start()
    for runner in runners:
        runner.start()
    for runner in runners:
        runner.join()
    done.set()
    counter.join()
    assert ticks > 10
    assert results == {h: tessera.simulate("lenet5", hardware=h, engine="model").cycles for h in results}


def _children(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # gone by now
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


@pytest.mark.parametrize(
    "work", ["tessera.simulate('vgg16', hardware='tiny')", "tessera.sweep('resnet50', cbuf=[f'{k}KiB' for k in range(16, 256)])"]
)
def test_interrupt_ends_it_within_a_second(work, tmp_path):
    script = textwrap.dedent(
        f"""
        import sys, tessera
        print("ready", flush=True)
        try:
            {work}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            sys.stdin.readline()
        """
    )

    def seconds():
        with subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            end = threading.Timer(60, process.kill)  # its output ends then
            end.start()
            assert process.stdout.readline() == "ready\n"
            deadline = time.monotonic() + 20
            while not _children(process.pid) and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(1)
            begin = time.monotonic()
            os.kill(process.pid, signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
            took = time.monotonic() - begin
            assert _children(process.pid) == []
            end.cancel()
            process.communicate("\n")
        return took

    # A machine that is busy with other things gets another chance.
    assert any(seconds() < 1 for _ in range(4))


def test_end_of_the_engines_process_is_an_error():
    def kill():
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and not _children(os.getpid()):
            time.sleep(0.02)
        time.sleep(0.3)
        for child in _children(os.getpid()):
            os.kill(child, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(tessera.Error, match="signal 9"):
        tessera.simulate("vgg16", hardware="tiny")
    killer.join()


def test_without_verilator(monkeypatch, tmp_path):
    """The RTL says what is missing; the other engines need nothing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("TESSERA_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.raises(tessera.MissingToolError, match="[Vv]erilator"):
        tessera.simulate("first_light", hardware="tiny", engine="rtl")
    assert tessera.simulate("first_light", hardware="tiny", engine="tlm").verified
    assert tessera.simulate("first_light", hardware="tiny", engine="model").cycles


def test_states_go_on_where_a_run_stopped(tmp_path):
    about = tessera.inspect("wake_word")
    shape = about["inputs"][0]["shape"]
    frames = np.random.default_rng(3).integers(-128, 128, (4, *shape)).astype(np.int8)
    settings = {"hardware": "small", "policy": "first-fit"}
    whole = tessera.simulate("wake_word", inputs=frames, **settings)
    first = tessera.simulate("wake_word", inputs=frames[:2], **settings)
    assert list(first.states) == about["states"]
    rest = tessera.simulate("wake_word", inputs=frames[2:], states=first.states, **settings)
    anew = tessera.simulate("wake_word", inputs=frames[2:], **settings)
    for name, steps in whole.outputs.items():
        np.testing.assert_array_equal(steps, np.concatenate([first.outputs[name], rest.outputs[name]]))
    for name, state in whole.states.items():
        np.testing.assert_array_equal(state, rest.states[name])
    assert any((anew.states[name] != state).any() for name, state in whole.states.items())
    with pytest.raises(tessera.InputError, match="states are `x`; the model's are"):
        tessera.simulate("wake_word", states={"x": frames[0]}, **settings)
    with pytest.raises(tessera.InputError, match="has no states"):
        tessera.simulate("lenet5", states=tmp_path, **settings)
    assert tessera.simulate("lenet5", **settings).states == {}
