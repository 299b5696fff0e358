#!/usr/bin/env python3
"""Cycles, bytes and arena of built-in networks on presets, as the cost model counts them, against figures.txt.

figures.py COSIM [--long] [--write]. The model's figures are the RTL's (tests/rtl): what changes here has changed there.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
# What takes a quarter of a minute is a part of scripts/verify.sh.
LONG = [("mobilenet_v2", "small", "best"), ("mobilenet_v2", "small", "{name: best, objective: traffic}")]
RUNS = [(network, hardware, policy)
        for network, several in (("lenet5", ("nano", "tiny", "small")), ("first_light", ("tiny",)),
                                 ("mobilenet_v2", ("small",)))
        for hardware in several
        for policy in ("first-fit", "best", "{name: best, objective: traffic}")
        if (network, hardware, policy) not in LONG]

MODELS = """hardware: small
models:
  - {network: lenet5, name: a, group: 1}
  - {network: first_light, name: b, group: 1, keep_outputs: no}
  - {network: lenet5, name: c, group: 2}
policy: best
"""


def figures_of_models(cosim):
    """Several models in one memory: where each lies, too."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "models.yaml"
        config.write_text(MODELS)
        done = subprocess.run([cosim, "--config", config, "--engine", "model", "--quiet", "--json", "-"],
                              capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip()
    result = json.loads(done.stdout)
    return " ".join(f"{key} {value}" for key, value in sorted(flat("", result))
                    if isinstance(value, int) and key.startswith(("memory.", "totals.")))


def flat(name, value):
    """Numbers with their places."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(f"{name}.{key}", inner)
    elif not isinstance(value, list):
        yield name.lstrip("."), value


def figures(cosim, network, hardware, policy):
    done = subprocess.run([cosim, "--config", TOP / "configs/npu.yaml", "--network", network, "--engine", "model",
                           "--set", f"hardware={hardware}", "--set", f"policy={policy}", "--quiet", "--json", "-"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip()
    result = json.loads(done.stdout)
    totals = result["totals"]
    return " ".join(str(totals[key]) for key in sorted(totals) if isinstance(totals[key], int))


def lines(cosim, runs):
    return [f"{n} {h} {p}: {figures(cosim, n, h, p)}" for n, h, p in runs]


def main():
    cosim, is_long = sys.argv[1], "--long" in sys.argv
    now = lines(cosim, LONG) if is_long else [*lines(cosim, RUNS), f"three models: {figures_of_models(cosim)}"]
    file = HERE / ("long_figures.txt" if is_long else "figures.txt")
    if "--write" in sys.argv:
        file.write_text("\n".join(now) + "\n")
        return
    before = file.read_text().splitlines()
    wrong = [f"now    {n}\nbefore {b}" for n, b in zip(now, before) if n != b]
    print("\n".join(wrong))
    sys.exit(1 if wrong or len(now) != len(before) else 0)


if __name__ == "__main__":
    main()
