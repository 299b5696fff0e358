#!/usr/bin/env python3
"""Flips single bits while kws_dscnn runs, and counts what comes of it.

run.py COSIM OUT SHARED [--count N] [--seed N] [--jobs N] [--write]. Exit code 77 without the model.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
OUTCOMES = ("masked", "detected", "hang", "silent", "lost")
# By the part of the accelerator that a register or memory is in.
PARTS = (("command memories and queues", r"u_front__DOT__|u_fetch|u_jobs"),
         ("control: registers, run, errors, counters, tokens", r"u_control__DOT__|u_tokens"),
         ("load unit", r"u_load__DOT__"),
         ("cbuf", r"u_cbuf__DOT__"),
         ("sequencer and weight loader", r"u_compute__DOT__(u_(sequencer|weight_loader|pieces)|(?!u_)\w+_q$)"),
         ("array, window, accumulators", r"u_compute__DOT__"),
         ("parameters, operands, tables", r"u_params|u_operands|u_table"),
         ("store unit", r"u_store__DOT__"),
         ("bus", r"."))


def part_of(name):
    return next(part for part, pattern in PARTS if re.search(pattern, name))


def number(n):
    return f"{n:,}".replace(",", " ")


def flip(options, model):
    """What the program says about each upset."""
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run([options.cosim, "rom", "--config", TOP / "configs/npu.yaml", "--network",
                    model / "model.tflite", "--set", "hardware=small", "--out", out / "rom", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([HERE / "build.sh", out / "rom", out / "model"], check=True)
    share = -(-options.count // options.jobs)

    def some(job):
        command = [out / "model/upsets", out / "rom", model / "sample.input.bin",
                   out / "model/places.txt", str(share), str(options.seed * 1000 + job)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        lines = "".join(pool.map(some, range(options.jobs))).splitlines()
    (out / "upsets.txt").write_text("\n".join(sorted(lines)) + "\n")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cosim")
    parser.add_argument("out", type=Path)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--count", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=Path, help="of an earlier run (upsets.txt), in place of a new one")
    parser.add_argument("--write", action="store_true", help="into docs/results/verification.json")
    options = parser.parse_args()
    model = options.shared / "models/kws_dscnn"
    if not model.is_dir():
        print("skipped: kws_dscnn is not on this machine (TESSERA_SHARED)")
        sys.exit(77)
    lines = options.results.read_text().splitlines() if options.results else flip(options, model)
    logits = next(line.split()[1] for line in lines if line.startswith("output"))
    published = json.loads((model / "sample.layers.json").read_text())[-2]["sha256"]
    assert hashlib.sha256(bytes.fromhex(logits)).hexdigest() == published, "wrong without any upset"
    table = collections.defaultdict(collections.Counter)
    causes = collections.Counter()
    for line in lines:
        fields = line.split()
        if fields[0] not in ("register", "memory"):
            continue
        key = (fields[0], part_of(fields[1]))
        table[key][fields[5]] += 1
        table[fields[0], "all"][fields[5]] += 1
        if len(fields) > 6:
            causes[fields[6]] += 1
    rows = ["| what | part | upsets | masked | detected | hang, noticed | silent | lost |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    order = [part for part, _ in PARTS] + ["all"]
    for kind in ("register", "memory"):
        for part in order:
            counts = table.get((kind, part))
            if counts:
                rows.append(f"| {kind} | {part} | {number(sum(counts.values()))} | "
                            + " | ".join(number(counts[o]) for o in OUTCOMES) + " |")
    rows += ["", "Causes: " + ", ".join(f"{cause} {number(n)}" for cause, n in causes.most_common()) + "."]
    print("\n".join(rows))
    if options.write:
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
        import results

        results.take("verification", "upsets", "\n".join(rows[:-2]), whole=True)
    lost = sum(c["lost"] for (_, part), c in table.items() if part == "all")
    total = sum(sum(c.values()) for (_, part), c in table.items() if part == "all")
    # Flips that change nothing at all would mean that they do not reach the model.
    effects = total - sum(c["masked"] for (_, part), c in table.items() if part == "all")
    # The flag that says that something runs is one bit among 18 651: without it nothing notices the end.
    sys.exit(0 if 1000 * lost <= total and effects > 0 else 1)


if __name__ == "__main__":
    main()
