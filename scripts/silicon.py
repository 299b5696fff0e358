#!/usr/bin/env python3
"""The table of docs/reference/silicon.md: presets on parts, placed and routed.

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

TOP = pathlib.Path(__file__).resolve().parent.parent
PAGE = TOP / "docs/reference/silicon.md"
SHARED = pathlib.Path(os.environ.get("TESSERA_SHARED", TOP.parent / "shared"))
MODELS = ["kws_dscnn", "ic_resnet8", "person_detect", "ad_autoencoder", "ssd_slim"]
ROWS = ["micro:ice40-up5k:3", "nano:ecp5-12f:3", "tiny:ecp5-25f:3", "small:ecp5-85f:1", "nano:gw2a-18:1", "tiny:gw2a-18:1", "tiny:lifcl-40:1"]
HEADER = "| preset | part | LUT | of | FF | RAM | DSP | MHz | seed |"


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
    figures = [preset, part, design["luts"], design["luts_available"], design["ffs"], design["brams"], design["dsps"],
               f"{design['fmax_mhz']:.1f}", f"{best} of {seeds}"]
    return "| " + " | ".join(str(f) for f in figures) + " |", design


def speeds_of(cosim, preset, part, mhz):
    figures = [preset, part]
    for model in MODELS:
        figures.append(f"{mhz * 1e6 / cycles(cosim, preset, model):.1f}")
    return "| " + " | ".join(figures) + " |"


def key(line):
    cells = [cell.strip() for cell in line.split("|")]
    return tuple(cells[1:3])


def known_best(page, preset, part):
    """The seed that the table says is the best, and of how many."""
    row = next(line for line in page.split("\n") if key(line) == (preset, part))
    return row.split("|")[-2].split(" of ")


def replaced(page, header, row):
    """The row in the place of the one with its first two cells in the table that begins with the header."""
    lines = page.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith(header)) + 2
    while lines[at].startswith("|") and key(lines[at]) != key(row):
        at += 1
    lines[at:at + (1 if lines[at].startswith("|") else 0)] = [row]
    return "\n".join(lines)


def main():
    cosim, *rest = sys.argv[1:]
    mode = next((a for a in rest if a.startswith("--")), "")
    rows = [a for a in rest if not a.startswith("--")] or ROWS
    found = []
    for row in rows:
        preset, part, *seeds = row.split(":")
        best, count = known_best(PAGE.read_text(), preset, part) if mode == "--check" else (None, (seeds or ["1"])[0])
        line, design = row_of(cosim, preset, part, count.strip(), best.strip() if best else None)
        print(line, flush=True)
        found.append((HEADER, line))
        if (SHARED / "models").is_dir():
            line = speeds_of(cosim, preset, part, design["fmax_mhz"])
            print(line, flush=True)
            found.append(("| preset | part | " + MODELS[0], line))
        else:
            print("skipped: no published models on this machine (TESSERA_SHARED)")
    # Read when all is made, which takes long: the page may have changed meanwhile.
    old = new = PAGE.read_text()
    for header, line in found:
        new = replaced(new, header, line)
    if mode == "--write":
        PAGE.write_text(new)
    elif mode == "--check" and new != old:
        sys.exit(f"{PAGE} says something else; silicon.py --write mends it")


main()
