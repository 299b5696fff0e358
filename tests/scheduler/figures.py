#!/usr/bin/env python3
"""Cycles, bytes and arena of built-in networks on presets, as the cost model counts them, against figures.txt.

figures.py COSIM [FIRST/STEP | --write]. The model's figures are the RTL's (tests/rtl): what changes here has changed there.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
RUNS = [(network, hardware, policy)
        for network, several in (("lenet5", ("nano", "tiny", "small")), ("first_light", ("tiny",)),
                                 ("mobilenet_v2", ("small",)))
        for hardware in several
        for policy in ("first-fit", "best", "{name: best, objective: traffic}")]

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


def main():
    # One in so many, from that one on.
    first, step = (int(v) for v in sys.argv[2].split("/")) if sys.argv[2:] and "/" in sys.argv[2] else (0, 1)
    runs = [lambda n=n, h=h, p=p: f"{n} {h} {p}: {figures(sys.argv[1], n, h, p)}" for n, h, p in RUNS]
    runs.append(lambda: f"three models: {figures_of_models(sys.argv[1])}")
    lines = [run() for run in runs[first::step]]
    file = HERE / "figures.txt"
    if "--write" in sys.argv:
        file.write_text("\n".join(lines) + "\n")
        return
    expected = file.read_text().splitlines()[first::step]
    wrong = [f"now    {now}\nbefore {before}" for now, before in zip(lines, expected) if now != before]
    print("\n".join(wrong))
    sys.exit(1 if wrong or len(lines) != len(expected) else 0)


if __name__ == "__main__":
    main()
