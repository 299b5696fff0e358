#!/usr/bin/env python3
"""Designs of random hardware on an FPGA, as data for the estimates: area-data.py COSIM [--designs N] [--placed M] [--part PART] [--out FILE]
With microcode: area-data.py COSIM --microcode [--designs N] [--placed M] --part PART --out FILE
Designs of given hardware: area-data.py COSIM --these HARDWARE... [--part PART] [--out FILE], all placed; presets' names, or JSON as a
configuration has it.
More hardware, as JSON, counted beside what the file has: area-data.py COSIM --add HARDWARE... --out FILE
After a change to what a feature is made of: area-data.py COSIM --again FEATURE [--part PART] --out FILE makes the file's designs that have it
anew, and places those that were; the others stay. With `placed` in the place of a feature all that were placed are, and what they take stays; with `all` every design is counted anew, as after a change to
modules that each has, with `luts` those that have products of logic.

Each design is synthesised and counted (`cosim fpga --no-place`), also when the part does not hold it; of those that leave a fifth of it
free (with microcode, a twentieth) M are placed as well, small ones and large ones. The same designs every time; what was made before is in cosim's cache. The file says
which tools made them."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PART = "ecp5-85f"
# Fuller parts take the placer hours, some without an end.
ROOMY = 0.8
ROOMY_WITH_MICROCODE = 0.95
FEATURES = ["folding", "depthwise", "tables", "operands", "keep", "zero_points", "checksums", "counters"]

PLACED = "placed"
ALL = "all"
LUTS = "luts"


def drawn(rng, most_macs):
    """Hardware as a configuration has it."""
    while True:
        c, k = 2 * rng.randint(1, 6), 2 * rng.randint(1, 6)
        if c * k <= rng.choice(most_macs):
            break
    lanes = 1
    while lanes * 2 <= k and rng.random() < 0.45:
        lanes *= 2
    banks = rng.choice([1, 2, 4, 8])
    atoms = banks * rng.choice([128, 256, 512, 1024, 1500])
    features = rng.choice(["all", "all", "none", None])
    if features is None:
        features = {name: rng.choice(["yes", "no"]) for name in FEATURES}
    return {
        "array": {"atomic_c": c, "atomic_k": k, "multipliers": rng.choice(["dsp", "auto", "luts"])},
        "cbuf": {"size": atoms * c, "capacity": atoms * c, "banks": banks},
        "accumulators": 1 << rng.randint(5, 10),
        "param_groups": 1 << rng.randint(3, 7),
        "bus_bytes": rng.choice([4, 4, 8, 8, 16]),
        "post_lanes": lanes,
        "read_outstanding": 1 << rng.randint(1, 4),
        "queue_depth": 1 << rng.randint(4, 6),
        "line_atoms": 1 << rng.randint(4, 8),
        "features": features,
    }


# Those that the multipliers of an iCE40 UP5K suffice for, and larger ones.
SMALL_ARRAYS = [(2, 2), (2, 4), (4, 2), (2, 6), (6, 2)]
ARRAYS = SMALL_ARRAYS + [(4, 4), (2, 8), (8, 2), (4, 6), (6, 4), (8, 8)]
# So many are drawn of all arrays, the others of small ones.
OF_ALL_ARRAYS = 45


def drawn_with_microcode(rng, arrays):
    c, k = rng.choice(arrays)
    return {
        "control": "microcode",
        "array": {"atomic_c": c, "atomic_k": k},
        "cbuf": {"size": 512 * rng.randint(2, 16) // c * c},
        "accumulators": 1 << rng.randint(4, 9),
        "param_groups": 1 << rng.randint(2, 6),
        "bus_bytes": rng.choice([4, 4, 4, 8]),
        "features": "none",
    }


def built(cosim, hardware, place, part=PART, network=None, route=True, seed=1):
    """What cosim says of the design; None when it is to be placed and does not fit the part, or when the network (by default the
    configuration's) does not fit its cbuf."""
    with tempfile.TemporaryDirectory() as folder:
        command = [cosim, "fpga", "--config", os.path.join(TOP, "configs", "npu.yaml"), "--part", part, "--out", folder, "--quiet",
                   "--set", "hardware=" + json.dumps(hardware)]
        command += ([] if place and route else ["--no-route"] if place else ["--no-place"]) + (["--network", network] if network else [])
        command += ["--placer-seed", str(seed)] if seed > 1 else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        result = os.path.join(folder, "fpga.json")
        refused = "do not fit" in done.stderr or "does not fit the cbuf" in done.stderr
        if done.returncode != 0 and not (refused and os.path.exists(result)):
            return None if refused else sys.exit(done.stderr)
        with open(result, encoding="utf-8") as file:
            return json.load(file)


def record(hardware, design):
    kept = {key: design[key] for key in ("luts", "ffs", "brams", "dsps", "fmax_mhz")}
    # By the placer, before routing.
    kept |= {"promised_mhz": design["promised_mhz"]} if design["promised_mhz"] else {}
    # Of each module, before packing: lookup tables and flip-flops.
    modules = {m["module"]: [m["luts"], m["ffs"]] for m in design["modules"]}
    return {"hardware": hardware, "parameters": design["hardware"], **kept, "modules": modules}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("cosim")
    arguments.add_argument("--designs", type=int, default=30)
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--placed", type=int, default=7)
    arguments.add_argument("--out", default=os.path.join(TOP, "configs", "area", "ecp5.json"))
    arguments.add_argument("--part", default=PART)
    arguments.add_argument("--microcode", action="store_true")
    arguments.add_argument("--these", nargs="+")
    arguments.add_argument("--add", nargs="+")
    arguments.add_argument("--again", choices=[*FEATURES, PLACED, ALL, LUTS])
    options = arguments.parse_args()
    if options.add:
        add(options)
        return
    if options.again:
        make_again(options)
        return
    if options.these:
        wanted = [json.loads(text) if text.startswith("{") else {"preset": text} for text in options.these]
        options.placed = len(wanted)
    elif options.microcode:
        rng = random.Random(22)
        arrays = [ARRAYS if i < OF_ALL_ARRAYS else SMALL_ARRAYS for i in range(options.designs)]
        wanted = [drawn_with_microcode(rng, some) for some in arrays] + [{"preset": "micro"}]
    else:
        wanted = drawn_ones(options.designs)
    make(options, wanted)


def drawn_ones(count):
    rng = random.Random(21)
    # A third of all sizes; the others are small ones, which are made in a minute.
    wanted = [drawn(rng, [16, 32, 64, 100] if i % 3 == 0 else [8, 16, 24]) for i in range(count)]
    return wanted + [{"preset": name} for name in ("nano", "tiny", "small")]


def spread(entries, count):
    """So many of them, from the first to the last, as far from each other as they can be."""
    count = min(count, len(entries))
    return [entries[i * (len(entries) - 1) // max(count - 1, 1)] for i in range(count)]


def make(options, wanted):
    designs, held = [], []
    tools = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda hardware: built(options.cosim, hardware, False, options.part), wanted)
        for hardware, design in zip(wanted, found):
            if design is None:
                continue
            tools.update(design["tools"])
            designs.append(record(hardware, design))
            share = ROOMY_WITH_MICROCODE if options.microcode else ROOMY
            roomy = bool(options.these) or design["luts"] <= share * design["luts_available"]
            if design["missing"] is None and roomy:
                held.append(designs[-1])
            print(f"{len(designs)}: {design['luts']} LUTs, {design['ffs']} flip-flops", flush=True)
            write(options.out, options.part, tools, designs)
        chosen = spread(sorted(held, key=lambda d: d["luts"]), options.placed)
        for entry, design in zip(chosen, pool.map(lambda e: built(options.cosim, e["hardware"], True, options.part), chosen)):
            entry |= {"fmax_mhz": design["fmax_mhz"], "promised_mhz": design["promised_mhz"]}
            print(f"placed: {entry['luts']} LUTs, {entry['fmax_mhz']} MHz", flush=True)
            write(options.out, options.part, tools, designs)


def add(options):
    with open(options.out, encoding="utf-8") as file:
        data = json.load(file)
    for text in options.add:
        hardware = json.loads(text)
        design = built(options.cosim, hardware, False, data["part"])
        data["designs"].append(record(hardware, design))
        print(f"{design['luts']} LUTs", flush=True)
        write(options.out, data["part"], data["tools"], data["designs"])


def make_again(options):
    with open(options.out, encoding="utf-8") as file:
        data = json.load(file)
    only_placed = options.again == PLACED
    bits = 1 << FEATURES.index(options.again) if options.again in FEATURES else 0
    entries = [d for d in data["designs"] if d["parameters"]["Features"] & bits == bits
               and (options.again != LUTS or d["parameters"]["LutMultipliers"] > 0)]
    with ThreadPoolExecutor(options.jobs) as pool:
        for place in (True,) if only_placed else (False, True):
            chosen = [d for d in entries if d["fmax_mhz"]] if place else entries
            for entry, design in zip(chosen, pool.map(lambda e: built(options.cosim, e["hardware"], place, data["part"]), chosen)):
                figures = {"fmax_mhz": entry["fmax_mhz"], "promised_mhz": entry.get("promised_mhz")}
                made = record(entry["hardware"], design)
                entry |= made if place else made | {key: value for key, value in figures.items() if value}
                print(f"{entry['luts']} LUTs, {entry['fmax_mhz']} MHz", flush=True)
                write(options.out, data["part"], data["tools"], data["designs"])


def write(path, part, tools, designs):
    with open(path, "w", encoding="utf-8") as file:
        lines = ",\n".join("    " + json.dumps(d) for d in designs)
        file.write(f'{{\n  "part": "{part}",\n  "tools": {json.dumps(tools)},\n  "designs": [\n{lines}\n  ]\n}}\n')


if __name__ == "__main__":
    main()
