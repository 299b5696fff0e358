"""Sweeps, plans, ROMs, FPGAs, other tools' files, types."""

import contextlib
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import tessera
from tessera.compat import scalesim


def test_sweep_is_the_command_lines(cosim, tmp_path):
    frame = tessera.sweep("lenet5", hardware=["tiny", "small"], cbuf=["16KiB", "8KiB"], policy="first-fit",
                          progress=False)
    config = tmp_path / "npu.yaml"
    config.write_text("hardware: small\nnetwork: lenet5\nengine: model\npolicy: first-fit\n"
                      "memory: {bytes_per_cycle: 8, latency: 64}\n")
    cosim("sweep", "--config", config, "--cbuf", "8KiB,16KiB", "--set", "hardware=tiny,small", "--out",
          tmp_path / "out", "--quiet")
    theirs = pd.read_csv(tmp_path / "out/results.csv")
    assert list(frame["hardware.cbuf.size"]) == ["16KiB", "8KiB"] * 2
    columns = ["hardware", "hardware.cbuf.size", "cycles", "external_read_bytes", "external_write_bytes", "arena_bytes",
               "pareto"]
    ours = frame.sort_values(["hardware", "cbuf_bytes"])[columns].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        ours, theirs.sort_values(["hardware", "cbuf_bytes"])[columns].reset_index(drop=True), check_dtype=False
    )
    assert (frame["status"] == "ok").all()


def test_points_one_by_one(tmp_path):
    points = [{"hardware": "small", "cbuf": "32KiB"}, {"hardware": "tiny"}, {"cbuf": 8192, "hardware": "small"}]
    frame = tessera.sweep("lenet5", points, out=tmp_path, progress=False)
    built = [{**point, **({"hardware__cbuf__capacity": "auto"} if "cbuf" in point else {})} for point in points]
    singles = [tessera.simulate("lenet5", engine="model", **point) for point in built]
    assert list(frame["cycles"]) == [run.cycles for run in singles]
    assert list(frame["hardware"]) == ["small", "tiny", "small"]
    assert list(frame["hardware.cbuf.size"]) == ["32KiB", "", "8KiB"]


def test_ranges_and_layers_of_a_sweep():
    frame = tessera.sweep("lenet5", hardware="small", cbuf="8KiB..32KiB", hardware__accumulators="128..256",
                          policy="first-fit", progress=False)
    assert list(frame["hardware.cbuf.size"]) == ["8KiB", "8KiB", "16KiB", "16KiB", "32KiB", "32KiB"]
    assert list(frame["cbuf_capacity_bytes"]) == list(frame["cbuf_bytes"])
    layers = tessera.sweep_layers(frame)
    sums = layers.groupby("point")["cycles"].sum()
    assert list(sums) == list(frame["cycles"])
    assert list(layers[layers["point"] == 3]["name"])[:2] == ["conv1", "pool1"]
    with pytest.raises(tessera.InputError, match="the frame is none"):
        tessera.sweep_layers(pd.DataFrame())
    with pytest.raises(tessera.InputError, match="write first..last"):
        tessera.sweep("lenet5", cbuf="32KiB..8KiB", progress=False)
    limited = tessera.sweep("lenet5", hardware="small", cbuf=["8KiB", "16KiB"], limit=True, progress=False)
    assert set(limited["cbuf_capacity_bytes"]) == {128 << 10}


def test_sweep_goes_on(tmp_path):
    net = tessera.Network("n", input=(8, 8, 3)).conv2d(4, 3)
    question = dict(model=[net, "first_light"], cbuf=["8KiB", "16KiB"], policy="first-fit", out=tmp_path, progress=False)
    first = tessera.sweep(**question)
    assert list(first["network"].map(lambda n: Path(n).stem)) == ["n", "n", "first_light", "first_light"]
    # What is there is kept as it is, what is missing is run.
    with contextlib.closing(sqlite3.connect(tmp_path / "points.sqlite")) as database, database:
        database.execute("UPDATE points SET cycles = 12345 WHERE point = 1")
        database.execute("DELETE FROM points WHERE point = 2")
        database.execute("DELETE FROM layers WHERE point = 2")
    again = tessera.sweep(**question)
    assert list(again["cycles"]) == [first["cycles"][0], 12345, *first["cycles"][2:]]
    fresh = tessera.sweep(**question, fresh=True)
    pd.testing.assert_frame_equal(fresh, first)
    with pytest.raises(tessera.InputError, match="points of another sweep"):
        tessera.sweep(net, cbuf=["4KiB"], out=tmp_path, progress=False)


def test_sweep_says_what_is_wrong():
    with pytest.raises(tessera.InputError, match="point 1 is the same as point 0"):
        tessera.sweep("lenet5", [{"seed": 1}, {"seed": 1}], progress=False)
    with pytest.raises(tessera.InputError, match="an empty list"):
        tessera.sweep("lenet5", cbuf=[], progress=False)
    frame = tessera.sweep("lenet5", cbuf=["3B", "16KiB"], progress=False)
    assert list(frame["status"]) == ["failed", "ok"]
    assert "multiple of atomic_c" in frame["error"][0]


def test_plan_is_the_command_lines(cosim, tmp_path):
    plan = tessera.plan("mobilenet_v1", hardware="medium", order="given")
    config = tmp_path / "npu.yaml"
    config.write_text("hardware: medium\nnetwork: mobilenet_v1\npolicy: best\nmemory: {bytes_per_cycle: 8, latency: 64}\n")
    assert plan.json == cosim("plan", "--config", config, "--order", "given", "--json", "-")
    assert plan.buffers["bytes"].max() <= plan.arena_bytes


def test_rom_is_the_command_lines(cosim, tmp_path):
    files = tessera.rom("lenet5", tmp_path / "a", hardware="small", policy="first-fit")
    config = tmp_path / "npu.yaml"
    config.write_text("hardware: small\nnetwork: lenet5\n")
    cosim("rom", "--config", config, "--out", tmp_path / "b", "--quiet")
    assert files.image == (tmp_path / "b/tessera_rom.bin").read_bytes()
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == sorted(p.name for p in (tmp_path / "b").iterdir())
    assert files.memory_map["rom_bytes"] == len(files.image)


def test_fit_by_estimates(tmp_path):
    found = tessera.fit("first_light", tmp_path, part="ecp5-25f", points=60, place=0, progress=False)
    assert found.data["schema"] == "tessera.fit/1"
    assert len(found.candidates) >= 1
    best = tessera.simulate("first_light", config=found.best_config, engine="model")
    assert best.data["hardware"]["atomic_c"] == found.best["array"]["atomic_c"]


def test_fpga_without_its_tools(monkeypatch, tmp_path):
    for name in ("PATH", "TESSERA_FPGA_TOOLS", "TESSERA_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    for options in ({"place": False}, {"route": False}, {}):
        with pytest.raises(tessera.MissingToolError, match="TESSERA_FPGA_TOOLS"):
            tessera.fpga(out=tmp_path / "f", part="ecp5-25f", hardware="nano", progress=False, **options)
    for options in ({"route": False}, {}):
        with pytest.raises(tessera.MissingToolError, match="TESSERA_FPGA_TOOLS"):
            tessera.fit("first_light", tmp_path / "g", part="ecp5-25f", points=60, progress=False, **options)
    with pytest.raises(tessera.InputError, match="ecp5-25f"):
        tessera.fpga(out=tmp_path / "f", part="ecp5-26f", progress=False)


CONFIG = """[general]
run_name = example

[architecture_presets]
ArrayHeight:    32
ArrayWidth:     16
IfmapSramSzkB:    64
FilterSramSzkB:  32
OfmapSramSzkB:   64
IfmapOffset:    0
FilterOffset:   10000000
OfmapOffset:    20000000
Dataflow : os
Bandwidth : 10
ReadRequestBuffer: 512

[run_presets]
InterfaceBandwidth: USER
"""


def test_scalesim_files(shared, tmp_path):
    cfg = tmp_path / "scale.cfg"
    cfg.write_text(CONFIG)
    topology = shared("benchmarks/topologies/alexnet.csv")
    translated = scalesim(cfg, topology)
    run = translated.simulate()
    hardware = run.data["hardware"]
    assert (hardware["atomic_c"], hardware["atomic_k"], hardware["cbuf_bytes"]) == (32, 16, 96 * 1024)
    assert hardware["memory_bytes_per_cycle"] == 30 and hardware["bus_bytes"] == 32
    assert hardware["accumulators"] == 64 * 1024 // (16 * 4)
    mapping = translated.mapping.set_index("field")
    assert mapping.loc["ifmapoffset", "here"] == "" and "memory plan" in mapping.loc["ifmapoffset", "note"]
    assert len(run.layers) == sum(1 for line in topology.read_text().splitlines()[1:] if line.strip(" ,"))
    report = translated.compute_report(run)
    assert (report["Total Cycles"] >= report["Stall Cycles"]).all() and report["Overall Util %"].max() <= 100
    cfg.write_text(CONFIG.replace("USER", "CALC"))
    assert scalesim(cfg, topology).simulate().cycles < run.cycles


@pytest.mark.parametrize(
    "change, line, text",
    [
        (("ArrayHeight:    32", "ArrayHeight:    256"), 5, "is 256; arrays here"),
        (("Dataflow : os", "Dataflow : xs"), 13, "allowed is ws, os or is"),
        (("IfmapSramSzkB:    64", "IfmapSramSzkB:    none"), 7, "allowed is a whole number from 1"),
        (("[run_presets]", "[sparsity]\nSparsitySupport : true\n[run_presets]"), 18, "no sparsity"),
        (("OfmapSramSzkB:   64\n", ""), None, "OfmapSramSzkB is missing"),
        (("[architecture_presets]", "[architecture]"), None, "no section"),
        (("[general]", "general"), 1, "section"),
    ],
)
def test_scalesim_files_that_are_wrong(tmp_path, change, line, text):
    cfg = tmp_path / "scale.cfg"
    cfg.write_text(CONFIG.replace(*change))
    (tmp_path / "t.csv").write_text("name, h, w, fh, fw, c, n, s,\nconv, 8, 8, 3, 3, 4, 4, 1,\n")
    with pytest.raises(tessera.InputError, match=text) as caught:
        scalesim(cfg, tmp_path / "t.csv")
    assert caught.value.file == str(cfg) and caught.value.line == line


def test_types():
    if shutil.which("mypy", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("no mypy")
    user = "import tessera\nrun: tessera.Run = tessera.simulate('lenet5')\nreveal_type(run.cycles)\ntessera.simulate(5)\n"
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "-c", user], capture_output=True, text=True,
                          check=False, cwd="/")
    assert 'Revealed type is "int"' in done.stdout or 'Revealed type is "builtins.int"' in done.stdout, done.stdout
    assert "arg-type" in done.stdout and "Found 1 error" in done.stdout, done.stdout


def test_everything_has_a_docstring():
    for name in tessera.__all__:
        thing = getattr(tessera, name)
        assert thing.__doc__ and thing.__doc__.strip(), name
        if isinstance(thing, type):
            for attribute, value in vars(thing).items():
                if not attribute.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{attribute}"
    json.loads(tessera.plan("first_light").json)
