#!/usr/bin/env python3
"""Hardware around the best that `cosim fit` finds, placed: fit-neighbours.py COSIM --network FILE [--out FILE] [--count N] [--jobs N]

The best of an ECP5-25F as `cosim fit` finds it among those that it places, the best of these with several seeds; then hardware that differs
from it in one to three things drawn here, not where the search looked: what runs the network and by the estimates takes at most 15 % longer
is placed once, not routed, until there are N. The same hardware every time. The file has what was estimated and what came of it, and is
complete after each design: another run with the same RTL goes on from there. Designs that fill the part take the placer some minutes."""
import argparse
import hashlib
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

TOP = pathlib.Path(__file__).resolve().parent.parent
CONFIG = TOP / "configs" / "npu.yaml"
PART = "ecp5-25f"
PLACED = 8  # of fit's candidates
SEEDS = 4  # of the best of those; what is drawn here has one
DRAWN = 600
SLOWER = 1.15  # than the best, by the estimates
FIGURES = ("luts", "ffs", "brams", "dsps")
FEATURES = ["folding", "depthwise", "tables", "operands", "keep", "zero_points", "checksums", "counters"]

area_data = importlib.util.spec_from_file_location("area_data", TOP / "scripts" / "area-data.py")
area = importlib.util.module_from_spec(area_data)
area_data.loader.exec_module(area)


def change(rng, hardware):
    """One thing of the hardware, another way."""
    array, cbuf = hardware["array"], hardware["cbuf"]
    rows = cbuf["size"] // (cbuf["banks"] * array["atomic_c"])
    what = rng.choice(["atomic_c", "atomic_k", "rows", "banks", "accumulators", "param_groups", "bus_bytes", "post_lanes",
                       "read_outstanding", "queue_depth", "line_atoms", "feature"])
    if what in ("atomic_c", "atomic_k"):
        array[what] = max(2, array[what] + rng.choice([-4, -2, 2, 4]))
    elif what == "rows":
        rows = max(16, rng.choice([rows // 2, rows - 512, rows - 256, rows + 256, rows + 512, rows * 2]))
    elif what == "banks":
        rows = rows * cbuf["banks"]
        cbuf["banks"] = rng.choice([1, 2, 4, 8])
        rows //= cbuf["banks"]
    elif what == "feature":
        feature = rng.choice(FEATURES)
        hardware["features"][feature] = "no" if hardware["features"][feature] == "yes" else "yes"
    else:
        hardware[what] = hardware[what] * 2 if rng.random() < 0.5 else max(1, hardware[what] // 2)
    cbuf["size"] = cbuf["capacity"] = rows * cbuf["banks"] * array["atomic_c"]


def neighbours(best):
    rng = random.Random(22)
    seen = {json.dumps(best)}
    while len(seen) <= DRAWN:
        hardware = json.loads(json.dumps(best))
        for _ in range(rng.randint(1, 3)):
            change(rng, hardware)
        if json.dumps(hardware) not in seen:
            seen.add(json.dumps(hardware))
            yield hardware


def call(cosim, *arguments):
    done = subprocess.run([cosim, *map(str, arguments), "--quiet"], check=False, capture_output=True, text=True)
    return done.returncode, done.stderr


def fitted(cosim, options, folder):
    status, said = call(cosim, "fit", "--config", CONFIG, "--part", PART, "--network", options.network, "--no-route", "--place", PLACED,
                        "--seeds", SEEDS, "--jobs", options.jobs, "--out", folder)
    if status != 0:
        sys.exit(said)
    result = json.loads((pathlib.Path(folder) / "fit.json").read_text())
    best = result["candidates"][result["best"]]
    return best["hardware"], best["placed"]["seed"]


def estimated(cosim, options, wanted, folder):
    """Of each hardware the point of a sweep: cycles, area and MHz by the model and the estimates."""
    points = pathlib.Path(folder) / "points.json"
    points.write_text(json.dumps([dict(flattened("hardware", hardware)) for hardware in wanted]))
    results = pathlib.Path(folder) / "sweep.json"
    # Some can't be built, which the sweep says at the end.
    call(cosim, "sweep", "--config", CONFIG, "--network", options.network, "--part", PART, "--engine", "model", "--points", points,
         "--out", pathlib.Path(folder) / "sweep", "--json", results)
    return json.loads(results.read_text())["points"]


def flattened(path, value):
    if not isinstance(value, dict):
        yield path, value
        return
    for key, inner in value.items():
        yield from flattened(f"{path}.{key}", inner)


def record(hardware, point, design):
    estimate = {key: point[key] for key in ("cycles", *FIGURES, "mhz")}
    if design is None:
        return {"hardware": hardware, "estimate": estimate, "problem": "does not fit the part"}
    return {"hardware": hardware, "estimate": estimate, **{key: design[key] for key in (*FIGURES, "promised_mhz", "fmax_mhz")}}


def milliseconds(entry):
    """By the clock that the placer promises, which routed designs exceed."""
    return entry["estimate"]["cycles"] / entry["promised_mhz"] / 1000


def rtl():
    """What the figures are of."""
    digest = hashlib.sha256()
    for file in sorted((TOP / "rtl").rglob("*")):
        if file.is_file() and not {"board", "boot"} & set(file.relative_to(TOP / "rtl").parts):
            digest.update(str(file.relative_to(TOP)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


class Results:
    """The file: the best, and what was placed around it, in the order in which it was drawn."""

    def __init__(self, path, network):
        self.path = path
        self.lock = threading.Lock()
        self.head = {"part": PART, "network": network, "rtl": rtl(), "tools": {}, "best": None, "seed": 1}
        self.entries = []
        if path.exists():
            old = json.loads(path.read_text())
            if all(old[key] == self.head[key] for key in ("part", "network", "rtl")):
                self.entries = old.pop("designs")
                self.head = old

    def known(self, hardware):
        return any(entry["hardware"] == hardware for entry in self.entries)

    def add(self, entry, tools, drawn):
        with self.lock:
            self.entries.append(entry)
            self.entries.sort(key=lambda each: drawn.index(each["hardware"]))
            self.head["tools"].update(tools)
            lines = ",\n".join("    " + json.dumps(each) for each in self.entries)
            self.path.write_text(json.dumps(self.head)[:-1] + f', "designs": [\n{lines}\n  ]}}\n')


def place(options, results, drawn, hardware, point):
    seed = results.head["seed"] if hardware == results.head["best"] else 1
    design = area.built(options.cosim, hardware, True, PART, str(options.network), route=False, seed=seed)
    entry = record(hardware, point, design)
    results.add(entry, design["tools"] if design else {}, drawn)
    print(entry.get("problem") or f"{milliseconds(entry):.4f} ms, {entry['luts']} LUTs ({point['luts']}), "
          f"{entry['promised_mhz']:.1f} MHz promised ({point['mhz']:.1f} routed)", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("cosim")
    arguments.add_argument("--network", type=pathlib.Path, required=True)
    arguments.add_argument("--count", type=int, default=40)
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--out", type=pathlib.Path, default=TOP / "tests" / "fit" / "neighbours.json")
    options = arguments.parse_args()
    results = Results(options.out, options.network.parent.name)
    with tempfile.TemporaryDirectory() as folder:
        # What was begun goes on, though what was placed since may have changed the estimates and with them the best.
        if results.head["best"] is None:
            results.head["best"], results.head["seed"] = fitted(options.cosim, options, folder)
        wanted = [results.head["best"], *neighbours(results.head["best"])]
        points = estimated(options.cosim, options, wanted, folder)
    least = points[0]["inferences_per_second"] / SLOWER
    good = [(hardware, point) for hardware, point in zip(wanted, points)
            if point["status"] == "ok" and point["fits"] and point["inferences_per_second"] >= least]
    print(f"of {len(wanted)} {len(good)} are of interest, {len(results.entries)} were placed before", flush=True)
    todo = [each for each in good if not results.known(each[0])][:max(0, options.count + 1 - len(results.entries))]
    with ThreadPoolExecutor(options.jobs) as pool:
        for done in as_completed([pool.submit(place, options, results, wanted, *each) for each in todo]):
            done.result()


if __name__ == "__main__":
    main()
