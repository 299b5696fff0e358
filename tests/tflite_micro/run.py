#!/usr/bin/env python3
"""Plans in models, run by TensorFlow Lite Micro: run.py COSIM OUT SHARED ZOO [--write] [--small].

For each model: the interpreter with its own planner, and with the plan that `cosim plan --offline-plan`
puts into the file. Same outputs; the arena's head is what was promised; an arena of exactly
that and the interpreter's own data works, one alignment step less does not. Exit code 77 without models.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

ALIGNMENT = 16
# Their kernels ask for scratch memory, which the interpreter places besides the plan.
WITH_SCRATCH = {"zoo_reductions_int8", "zoo_reductions_uint8"}
ENOUGH = 1 << 28
PROBE = Path(__file__).resolve().parent / "probe.py"


def probe(model, arena, data=None):
    done = subprocess.run([sys.executable, PROBE, model, str(arena), *([data] if data else [])],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode(errors="replace")
    found = dict(re.findall(r"Arena allocation (total|head|tail) (\d+) bytes", text))
    outputs = re.search(r"^outputs (\w+)$", text, re.MULTILINE)
    if done.returncode or not outputs:
        lines = [line for line in text.splitlines() if line and "AffineQuant" not in line]
        why = next((line for line in lines if "Didn't find op" in line or "not supported" in line),
                   lines[-1] if lines else f"exit code {done.returncode}")
        return None, why
    return {"outputs": outputs[1], **{k: int(v) for k, v in found.items()}}, ""


def plan(cosim, model, planned):
    done = subprocess.run([cosim, "plan", "--tflite", model, "--offline-plan", planned],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr.strip()
    promised = re.search(r"^planner \S+: ([\d ]+) bytes", done.stdout, re.MULTILINE)
    return int(promised[1].replace(" ", "")), ""


def least_arena(model, too_small, inputs):
    enough = 2 * too_small
    while enough - too_small > ALIGNMENT:
        middle = (too_small + enough) // 2 // ALIGNMENT * ALIGNMENT
        if probe(model, middle, *inputs)[0]:
            enough = middle
        else:
            too_small = middle
    return enough


def check(cosim, model, name, out):
    """A row of the table, or why there is none; problems are raised."""
    inputs = sorted(model.parent.glob("*.input.bin"))[:1]
    own, why = probe(model, ENOUGH, *inputs)
    if own is None:
        return None, why
    planned = out / f"{name}.tflite"
    promised, why = plan(cosim, model, planned)
    if promised is None:
        return None, why
    ours, why = probe(planned, ENOUGH, *inputs)
    assert ours, f"{name}: with the plan inside: {why}"
    assert ours["outputs"] == own["outputs"], f"{name}: other outputs with the plan inside"
    assert ours["head"] == promised or name in WITH_SCRATCH, f"{name}: {ours['head']} bytes, promised {promised}"
    # Where operators keep much of their own, what the interpreter needs for a while as it prepares decides.
    prepares = probe(planned, ours["total"], *inputs)[0] is None
    least = least_arena(planned, ours["total"], inputs) if prepares else ours["total"]
    fits, why = probe(planned, least, *inputs)
    assert fits and fits["outputs"] == own["outputs"], f"{name}: {least} bytes: {why}"
    small, _ = probe(planned, least - ALIGNMENT, *inputs)
    assert small is None, f"{name}: works with {ALIGNMENT} bytes less than promised"
    for sample in inputs:
        expected = sample.with_name(sample.name.replace(".input", ".output"))
        if expected.is_file():
            assert hashlib.sha256(expected.read_bytes()).hexdigest() == own["outputs"], name
    return {"own": own, "promised": promised, "ours": ours, "least": least, "prepares": prepares}, ""


def number(n):
    return f"{n:,}".replace(",", " ")


def main():
    cosim, out, shared, zoo = sys.argv[1], *map(Path, sys.argv[2:5])
    out.mkdir(parents=True, exist_ok=True)
    models = [(p.parent.name, p) for p in sorted(shared.glob("models/*/model.tflite"))]
    models += [(p.stem, p) for p in sorted(shared.glob("models/public/*.tflite"))]
    models += [(f"zoo {p.stem}", p) for p in sorted(zoo.glob("*.tflite"))]
    if "--small" in sys.argv:
        models = [(name, path) for name, path in models if path.stat().st_size < 1 << 20]
    if not models:
        print(f"no models in {shared} and {zoo}")
        sys.exit(77)
    rows, skipped, wrong = [], [], []
    for name, model in models:
        try:
            row, why = check(cosim, model, name.replace(" ", "_"), out)
        except AssertionError as problem:
            wrong.append(str(problem))
            print(f"{name}: WRONG: {problem}", flush=True)
            continue
        if row is None:
            skipped.append((name, why))
            print(f"{name}: not run: {why}", flush=True)
            continue
        own, ours = row["own"], row["ours"]
        rows.append(f"| {name} | {number(own['head'])} | {number(row['promised'])} | "
                    f"{number(ours['tail'])} | {number(row['least'])}{' *' * row['prepares']} |")
        print(rows[-1], flush=True)
    table = ["| model | its own planner | promised and kept | its data | least arena |",
             "| --- | ---: | ---: | ---: | ---: |", *rows]
    if "--write" in sys.argv:
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
        import results

        results.take("planning", "tensorflow-lite-micro", "\n".join(table), whole=True)
    print(f"{len(rows)} models, {len(skipped)} that the interpreter does not run, {len(wrong)} wrong")
    sys.exit(1 if wrong or len(rows) < 4 else 0)


if __name__ == "__main__":
    main()
