#!/usr/bin/env python3
"""Points per second of a sweep from Python and from the command line: python_sweep.py [POINTS] [ROUNDS]

Runs in an environment with the package (build/python/try). LeNet-5 on many sizes of buffer and memory, engine model; the
two take turns, each round in a fresh folder. Prints each round's ratio and the median.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tessera
from tessera import _files

SIZES = 50


def grids(points):
    latencies = list(range(10, 10 + points // SIZES))
    return [f"{k}KiB" for k in range(4, 4 + SIZES)], latencies


def python(points, folder):
    sizes, latencies = grids(points)
    begin = time.perf_counter()
    frame = tessera.sweep("lenet5", cbuf=sizes, memory__latency=latencies, hardware="medium", policy="best", out=folder,
                          progress=False)
    took = time.perf_counter() - begin
    assert len(frame) == points and (frame["status"] == "ok").all()
    return took


def command_line(points, folder):
    sizes, latencies = grids(points)
    arguments = [_files.COSIM, "sweep", "--config", _files.DEFAULT_CONFIG, "--network", "lenet5", "--engine", "model", "--set",
                 "hardware=medium", "--set", "policy=best", "--set", "memory.latency=" + ",".join(map(str, latencies)), "--cbuf",
                 ",".join(sizes), "--out", folder, "--quiet"]
    begin = time.perf_counter()
    subprocess.run(arguments, check=True)
    return time.perf_counter() - begin


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    ratios = []
    for number in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3):
        with tempfile.TemporaryDirectory() as folder:
            theirs = command_line(points, Path(folder) / "a")
            ours = python(points, Path(folder) / "b")
        ratios.append(theirs / ours)
        print(f"round {number}: command line {points / theirs:.0f} points per second, Python {points / ours:.0f}, ratio {ratios[-1]:.3f}")
    print(f"median ratio {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
