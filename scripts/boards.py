#!/usr/bin/env python3
"""The tables of docs/results/boards.json: each board's hardware placed, and networks on the simulated board.

boards.py COSIM [--write | --check] [--no-place] [--networks a,b] [BOARD | BOARD:larger | BOARD:standalone ...]
The hardware is npu.yaml of the board's folder, or larger.yaml where there is one; without a host it is standalone.yaml where there is one,
and runs a network on three samples.
Rows that are not named stay as they are. With --check what is found must be what the data say. The networks are the published models
beside the project (TESSERA_SHARED); without them they are left out.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import results

TOP = pathlib.Path(__file__).resolve().parent.parent
BOARDS = TOP / "configs" / "boards"
SHARED = pathlib.Path(os.environ.get("TESSERA_SHARED", TOP.parent / "shared"))
MODELS = ["kws_dscnn", "ic_resnet8", "person_detect"]


def run(cosim, *arguments):
    done = subprocess.run([cosim, *arguments, "--quiet", "--json", "-"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def system_of(board, which):
    """What says which hardware a board has."""
    return ["--board", board, "--config", str(BOARDS / board / f"{which}.yaml")]


def design_of(cosim, board, which):
    with tempfile.TemporaryDirectory() as folder:
        design = run(cosim, "fpga", *system_of(board, which), "--out", folder)
    hardware = design["hardware"]
    return {"board": board, "hardware": which, "array": f"{hardware['AtomicC']} x {hardware['AtomicK']}", "LUT": design["luts"],
            "of": design["luts_available"], "FF": design["ffs"], "RAM": design["brams"], "DSP": design["dsps"],
            "reaches": f"{design['fmax_mhz']:.1f} MHz", "runs at": f"{design['clock_mhz']:g} MHz"}


def run_of(cosim, board, which, model):
    result = run(cosim, "board", *system_of(board, which), "--simulate", "--network",
                 str(SHARED / "models" / model / "model.tflite"))
    assert result["verified"], result
    milliseconds = 1000 * result["cycles"] / result["clock_hz"]
    return {"board": board, "hardware": which, "network": model, "cycles": result["cycles"],
            "the cost model counts": result["model_cycles"], "ms": results.value_of(f"{milliseconds:.3f}"),
            "per second": results.value_of(f"{1000 / milliseconds:.1f}")}


def alone_of(cosim, board):
    config = BOARDS / board / "standalone.yaml"
    config = config if config.exists() else BOARDS / board / "npu.yaml"
    network = "kws_dscnn"
    model = SHARED / "models" / network
    samples = ",".join(str(model / f"random{i}.input.bin") for i in (1, 2, 3))
    with tempfile.TemporaryDirectory() as folder:
        design = run(cosim, "fpga", "--board", board, "--config", str(config), "--standalone", "--network", str(model / "model.tflite"),
                     "--input", samples, "--out", folder)
    hardware = design["hardware"]
    return {"board": board, "network": network, "array": f"{hardware['AtomicC']} x {hardware['AtomicK']}", "LUT": design["luts"],
            "block RAMs": f"{design['brams']} of {design['brams_available']}", "reaches": f"{design['fmax_mhz']:.1f} MHz",
            "runs at": f"{design['clock_mhz']:g} MHz", "cycles": design["cycles"],
            "per second": results.value_of(f"{1e6 * design['clock_mhz'] / design['cycles']:.1f}")}


def main():
    cosim, *rest = sys.argv[1:]
    models = MODELS
    if "--networks" in rest:
        at = rest.index("--networks")
        models = [name for name in rest[at + 1].split(",") if name]
        del rest[at:at + 2]
    every = sorted(p.name for p in BOARDS.iterdir())
    larger = [f"{board}:larger" for board in every if (BOARDS / board / "larger.yaml").exists()]
    alone = [f"{board}:standalone" for board in every if (BOARDS / board / "standalone.sv").exists()]
    boards = [a for a in rest if not a.startswith("--")] or every + larger + alone
    found = []
    for name in boards:
        board, _, which = name.partition(":")
        which = which or "npu"
        if which == "standalone":
            found.append(("standalone", alone_of(cosim, board)))
            continue
        if "--no-place" not in rest:
            found.append(("designs", design_of(cosim, board, which)))
        for model in models:
            if not (SHARED / "models").is_dir():
                print("skipped: no published models on this machine (TESSERA_SHARED)")
                break
            found.append(("runs", run_of(cosim, board, which, model)))
    for table, values in found:
        print(table, values, flush=True)
        keys = [values[key] for key in results.load("boards")["tables"][table]["keys"]]
        known = results.find("boards", table, *keys)
        if "--write" in rest:
            results.put("boards", table, values)
        elif "--check" in rest and known != values:
            sys.exit(f"docs/results/boards.json: {table}: measured {values}, known {known}; scripts/boards.py COSIM --write mends it")


if __name__ == "__main__":
    main()
