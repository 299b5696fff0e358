#!/usr/bin/env python3
"""The tables `placed` and `speeds` of docs/results/silicon.json: presets on parts, placed and routed.

silicon.py COSIM [--write | --check] [PRESET:PART[:SEEDS] ...]
Rows that are not named stay as they are. With --check the rows named must say what their best seed gives. Inferences per second are of the
published models beside the project, where they are (TESSERA_SHARED).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import results

TOP = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get("TESSERA_SHARED", TOP.parent / "shared"))
MODELS = ["kws_dscnn", "ic_resnet8", "person_detect", "ad_autoencoder", "ssd_slim"]
ROWS = ["micro:ice40-up5k:3", "nano:ecp5-12f:3", "tiny:ecp5-25f:3", "small:ecp5-85f:1", "nano:gw2a-18:1", "tiny:gw2a-18:1", "tiny:lifcl-40:1"]


def run(cosim, *arguments):
    command = [cosim, *arguments, "--config", str(TOP / "configs" / "npu.yaml"), "--quiet", "--json", "-"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def cycles(cosim, preset, model):
    path = SHARED / "models" / model / "model.tflite"
    result = run(cosim, "--engine", "model", "--network", str(path), "--set", f"hardware={preset}",
                 "--set", "policy.name=best")
    return result["totals"]["cycles"]


def row_of(cosim, preset, part, seeds, best):
    """With the best of so many seeds, or the one that is known to be."""
    which = ["--placer-seed", best] if best else ["--seeds", seeds]
    with tempfile.TemporaryDirectory() as folder:
        design = run(cosim, "fpga", "--part", part, "--out", folder, *which, "--set", f"hardware={preset}")
    best = max(design["placements"], key=lambda p: p["fmax_mhz"])["seed"]
    return {"preset": preset, "part": part, "LUT": design["luts"], "of": design["luts_available"], "FF": design["ffs"], "RAM": design["brams"],
            "DSP": design["dsps"], "MHz": round(design["fmax_mhz"], 1), "seed": f"{best} of {seeds}"}, design


def speeds_of(cosim, preset, part, mhz):
    figures = {"preset": preset, "part": part}
    for model in MODELS:
        figures[model] = round(mhz * 1e6 / cycles(cosim, preset, model), 1)
    return figures


def known_best(preset, part):
    """The seed that the table says is the best, and of how many."""
    row = results.find("silicon", "placed", preset, part)
    if row is None:
        sys.exit(f"docs/results/silicon.json has no row of {preset} on {part}")
    return row["seed"].split(" of ")


def tools():
    return (TOP / "scripts/fpga-requirements.txt").read_text().split()


def main():
    cosim, *rest = sys.argv[1:]
    mode = next((a for a in rest if a.startswith("--")), "")
    found = []
    for row in [a for a in rest if not a.startswith("--")] or ROWS:
        preset, part, *seeds = row.split(":")
        best, count = known_best(preset, part) if mode == "--check" else (None, (seeds or ["1"])[0])
        values, design = row_of(cosim, preset, part, count, best)
        found.append(("placed", values))
        if (SHARED / "models").is_dir():
            found.append(("speeds", speeds_of(cosim, preset, part, design["fmax_mhz"])))
        else:
            print("skipped: no published models on this machine (TESSERA_SHARED)")
        print(values, flush=True)
    for table, values in found:
        if mode == "--write":
            results.put("silicon", table, values, tools=tools())
        elif mode == "--check" and (known := results.find("silicon", table, values["preset"], values["part"])) != values:
            sys.exit(f"docs/results/silicon.json: {table}: measured {values}, known {known}; silicon.py --write mends it")


main()
