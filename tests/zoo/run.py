#!/usr/bin/env python3
"""Runs the models of a folder made by make.py and compares every output with the reference.

    run.py COSIM FOLDER [--set KEY=VALUE]... [--json FILE] [--only REGEX]

Two models run at a time.

What must hold: outputs of .tflite models are equal, byte for byte; those of .onnx models differ by
no more than a step, or what make.py says where that does not hold.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np


def run(cosim, folder, about, name, sets):
    with tempfile.TemporaryDirectory() as out:
        def files(kind, count, base):
            return [os.path.join(base, f"{kind}{i}.npy") for i in range(count)]

        for i, to in enumerate(files("input", about["inputs"], out)):
            shutil.copy(os.path.join(folder, f"{name}.input{i}.npy"), to)
        outputs = files("output", about["outputs"], out)
        config = os.path.join(out, "npu.yaml")
        with open(config, "w") as text:
            text.write("hardware: medium\nmemory: {bytes_per_cycle: 8, latency: 64}\n")
        command = [cosim, "--config", config, "--network", os.path.join(folder, about["model"]),
                   "--input", out if about["inputs"] > 1 else os.path.join(out, "input0.npy"),
                   "--output", out if about["outputs"] > 1 else outputs[0],
                   "--quiet", "--json", os.path.join(out, "run.json")]
        if "numerics" in about:
            command += ["--set", "numerics=" + about["numerics"]]
        for s in sets:
            command += ["--set", s]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return None, None, done.stderr.strip()[:2000]
        with open(os.path.join(out, "run.json")) as text:
            return json.load(text), [np.load(o) for o in outputs], None


def compare(folder, about, name, outputs):
    """Values that differ, the greatest difference in steps, all values; or what is wrong."""
    different, greatest, values = 0, 0.0, 0
    for i, (ours, step) in enumerate(zip(outputs, about["steps"])):
        theirs = np.load(os.path.join(folder, f"{name}.output{i}.npy"))
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            return None, f"output {i} is {ours.dtype}{ours.shape}, not {theirs.dtype}{theirs.shape}"
        distance = np.abs(ours.astype(np.float64) - theirs.astype(np.float64)) / (step or 1.0)
        distance[distance < 0.01 if step else distance == 0] = 0
        different += int((distance > 0).sum())
        greatest = max(greatest, float(distance.max(initial=0)))
        values += ours.size
    return (different, greatest, values), None


def judged(cosim, folder, path, sets):
    name = os.path.basename(path)[:-5]
    with open(path) as text:
        about = json.load(text)
    result, outputs, error = run(cosim, folder, about, name, sets)
    counted = None
    if error is None:
        counted, error = compare(folder, about, name, outputs)
    # Steps are quotients of floats.
    if error is None and counted[1] > about["most_steps"] + 0.01:
        error = "differs"
    return {"name": name, "about": about, "counted": counted, "error": error, "run": result}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cosim")
    parser.add_argument("folder")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    options = parser.parse_args()
    results, bad = [], 0
    names = {path: os.path.basename(path)[:-5] for path in sorted(glob.glob(os.path.join(options.folder, "*.json")))}
    paths = [path for path, name in names.items() if re.search(options.only, name)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for result in pool.map(lambda path: judged(options.cosim, options.folder, path, options.set), paths):
            counted, error = result["counted"], result["error"]
            bad += error is not None
            says = f"{counted[0]} of {counted[2]} differ, by {counted[1]:.3g} at most" if counted else ""
            print("FAILED" if error else "ok    ", result["name"], says, error or "", flush=True)
            results.append(result)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(results, out)
    print(f"{len(results)} models, {bad} failed")
    sys.exit(1 if bad or not results else 0)


if __name__ == "__main__":
    main()
