#!/usr/bin/env python3
"""Compares every operator of models with their runtimes: compare.py COSIM PYTHON OUT.json [--seed N] FOLDER-OR-MODEL...

With --seed each model with one of its runtimes, which the seed chooses.

Each runtime with its own `numerics`. TensorFlow Lite's must be equal in every value; in ONNX Runtime's and XNNPACK's,
which round in single precision, one in 100 000 of all may be off by one. What a runtime does not run is left out.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys

RUNTIMES = {".tflite": ("litert", "xnnpack", "tflm"), ".onnx": ("onnxruntime", "onnxruntime_fused")}
EXACT = ("litert", "tflm")
# Scales of 1e-35: LiteRT's own kernels differ in what overflows there.
UNDEFINED = {"ssd_traffic_uint8": re.compile(r"conv_lstm_cell/mul(_\d+)?$")}
# The reference kernel of SUM on bytes (LiteRT 2.3) gives one value everywhere; the built-in one sums.
BROKEN = {"litert": ("SUM",)}
# A third of these quotients, in floats, differ by up to 0.002 from what ONNX Runtime says of them with its optimisations; without them,
# and in the bytes made of them, none does. Why is not known: docs/results/models.md.
UNEXPLAINED = {("efficient_vit_qdq_int8", "onnxruntime_fused"): ("DIV",)}


def models(given):
    for path in given:
        if os.path.isdir(path):
            yield from (os.path.join(path, f) for f in sorted(os.listdir(path)) if os.path.splitext(f)[1] in RUNTIMES)
        else:
            yield path


def compared(cosim, python, model, runtime):
    done = subprocess.run(
        [cosim, "compare", model, "--runtime", runtime, "--set", f"numerics={runtime}", "--set", "hardware=medium",
         "--python", python, "--json", "-"], capture_output=True, text=True, check=False)
    if done.returncode == 2 and "does not run the model" in done.stderr:
        return None
    if done.returncode > 1:
        return {"error": done.stderr.strip()[-500:]}
    return json.loads(done.stdout)


def judged(name, runtime, result):
    """Values, those that differ, and the first that differs by more than it may."""
    values = different = 0
    problem = ""
    undefined = UNDEFINED.get(name)
    for op in result["operators"]:
        if not op["known"] or (undefined and undefined.search(op["output"])) or \
                op["op"] in BROKEN.get(runtime, ()) + UNEXPLAINED.get((name, runtime), ()):
            continue
        values += op["alone"]["values"]
        different += op["alone"]["different"]
        most = 0 if runtime in EXACT else 1
        if not problem and op["alone"]["different"] and op["alone"]["greatest"] > most:
            problem = f"{op['op']} {op['name']}: {op['alone']['different']} differ by up to {op['alone']['greatest']}"
    return values, different, problem


def main():
    parser = argparse.ArgumentParser()
    for name in ("cosim", "python", "out"):
        parser.add_argument(name)
    parser.add_argument("given", nargs="+")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    cosim, python, out = options.cosim, options.python, options.out
    rng = random.Random(options.seed)
    work = []
    for model in models(options.given):
        runtimes = RUNTIMES[os.path.splitext(model)[1]]
        work += [(model, runtime) for runtime in (runtimes if options.seed is None else [rng.choice(runtimes)])]
    totals, rows, bad = {}, [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda item: compared(cosim, python, *item), work)
        for (model, runtime), result in zip(work, results):
            name = os.path.splitext(os.path.basename(model))[0]
            if result is None:
                rows.append({"model": name, "runtime": runtime, "refused": True})
                continue
            problem = result.get("error", "")
            if not problem:
                values, different, problem = judged(name, runtime, result)
                whole = totals.setdefault(runtime, [0, 0])
                whole[0] += values
                whole[1] += different
                rows.append({"model": name, "runtime": runtime, "values": values, "different": different,
                             "operators": result["compared"], "version": result["version"]})
            if problem:
                bad += 1
                print(f"FAILED {name} against {runtime}: {problem}", flush=True)
    for runtime, (values, different) in totals.items():
        print(f"{runtime}: {different} of {values} values differ")
        # Of a few models that were drawn twice as many may differ.
        if different * 100_000 > values * (1 if options.seed is None else 2):
            bad += 1
            print(f"FAILED {runtime}: more than one in 100 000")
    with open(out, "w", encoding="utf-8") as file:
        json.dump(rows, file)
    print(f"{len(rows)} comparisons, {bad} failed")
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
