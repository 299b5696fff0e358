#!/usr/bin/env python3
"""Other people's estimates for the networks that Tessera runs: peers.py COSIM SHARED WORK [--write].

Vela, SCALE-Sim and ZigZag each in a Python environment of its own (they want different versions of the
same packages), made on first use. Where a peer is better, its rows come first. --write: into docs/results/peers.json.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
PEERS = {"ethos-u-vela": ["ethos-u-vela==5.2.0"],
         # Newer versions of NumPy refuse what it does with arrays of one element.
         "scalesim": ["scalesim==3.0.0", "numpy==2.2.6"],
         "zigzag-dse": ["zigzag-dse==3.9.1", "six==1.17.0"]}


def environment(name, work):
    folder = work / name
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS[name]], check=True)
    return folder / "bin"


def run(command, **options):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True, **options).stdout


def ours(cosim, network, *sets):
    arguments = [cosim, "--config", TOP / "configs/npu.yaml", "--network", network, "--engine", "model", "--quiet",
                 "--json", "-", "--set", "hardware=medium", "--set", "policy=best"]
    for item in sets:
        arguments += ["--set", item]
    return json.loads(run(arguments))["totals"]


def vela(cosim, shared, work):
    binaries = environment("ethos-u-vela", work)
    rows = []
    for model in ("ic_resnet8", "kws_dscnn", "ad_autoencoder", "person_detect", "ssd_slim"):
        file = shared / f"models/{model}/model.tflite"
        folder = work / "vela" / model
        run([binaries / "vela", file, "--accelerator-config", "ethos-u55-256", "--output-dir", folder])
        summary = next(csv.DictReader(next(folder.glob("*summary*.csv")).open()))
        mine = ours(cosim, file, "memory={bytes_per_cycle: 8, latency: 64}")
        arena = json.loads(run([cosim, "plan", "--config", TOP / "configs/npu.yaml", "--network", file, "--set",
                                "hardware=medium", "--quiet", "--json", "-"]))
        rows.append((model, "Vela 5.2.0, Ethos-U55 with 256 MACs: cycles", int(summary["cycles_total"]), mine["cycles"]))
        rows.append((model, "of these the array's", int(summary["cycles_npu"]), mine["counters"]["array_busy"]))
        run([binaries / "vela", file, "--accelerator-config", "ethos-u55-256", "--optimise", "Size", "--output-dir", folder / "size"])
        small = next(csv.DictReader(next((folder / "size").glob("*summary*.csv")).open()))
        rows.append((model, "bytes of activations", int(float(summary["sram_memory_used"]) * 1024), peak_of(arena)))
        rows.append((model, "bytes of activations, `--optimise Size`", int(float(small["sram_memory_used"]) * 1024), peak_of(arena)))
    return rows


def peak_of(plan):
    return next(plan[key] for key in ("peak", "peak_bytes", "bytes", "arena_bytes") if key in plan)


def scalesim(cosim, shared, work):
    binaries = environment("scalesim", work)
    rows = []
    # Its convolutions as a table; additions and the pool are no layers there.
    for name, network in (("resnet8", shared / "models/ic_resnet8/model.tflite"),):
        table = HERE / f"{name}.csv"
        folder = work / "scalesim"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [line.rstrip().rstrip(",") for line in table.read_text().splitlines() if line.strip(" ,\r")]
        layers = [line.split(",")[0].strip() for line in lines[1:]]
        (folder / f"{name}.csv").write_text(
            "\n".join([lines[0] + ", Sparsity,", *(line + ",1:1," for line in lines[1:])]) + "\n")
        factors = ",".join(["1"] * 6 + ["0", "1", "2"] * 2 + ["0", "1", "2", "3"] * 2)
        (folder / "layout.csv").write_text(
            "\n".join(["Layer name," + ",".join(f"f{i}" for i in range(20)) + ","]
                      + [f"{layer},{factors}," for layer in layers]) + "\n")
        for dataflow in ("ws", "os"):
            out = folder / dataflow
            (folder / f"{dataflow}.cfg").write_text((HERE / "scalesim.cfg").read_text().format(
                run=f"{name}_{dataflow}", dataflow=dataflow))
            run([binaries / "python", "-m", "scalesim.scale", "-c", folder / f"{dataflow}.cfg", "-t", folder / f"{name}.csv",
                 "-l", folder / "layout.csv", "-p", out, "-i", "conv", "-s", "N"])
            report = next(out.rglob("COMPUTE_REPORT.csv"))
            reader = csv.DictReader(report.open(), skipinitialspace=True)
            layers_run = list(reader)
            total = sum(float(r["Total Cycles"]) - float(r["Stall Cycles"]) for r in layers_run)
            mine = ours(cosim, network, "memory=ideal")
            rows.append(("ic_resnet8", f"SCALE-Sim 3.0.0, 16 x 16, {dataflow}, cycles without stalls", int(total), mine["cycles"]))
    return rows


def zigzag(cosim, _shared, work):
    binaries = environment("zigzag-dse", work)
    rows = []
    for theirs, network in (("resnet18", "resnet18"), ("mobilenetv2", "mobilenet_v2")):
        said = run([binaries / "python", HERE / "zigzag_run.py", theirs, work / "zigzag" / theirs])
        cycles = int(next(line for line in said.splitlines() if line.startswith("result")).split()[1])
        mine = ours(cosim, network, "memory={bytes_per_cycle: 8, latency: 64}")
        rows.append((network, "ZigZag 3.9.1, 16 x 16, weights stationary, 256 KiB: cycles", cycles, mine["cycles"]))
    return rows


def number(n):
    return f"{n:,}".replace(",", " ")


def main():
    cosim, shared, work = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    work.mkdir(parents=True, exist_ok=True)
    rows = []
    for peer in (vela, scalesim, zigzag):
        if "--only" in sys.argv and sys.argv[sys.argv.index("--only") + 1] != peer.__name__:
            continue
        rows += peer(cosim, shared, work)
        (work / "rows.json").write_text(json.dumps(rows))
    better = [r for r in rows if r[2] < r[3]]
    worse = [r for r in rows if r[2] >= r[3]]
    lines = ["| network | figure | peer | Tessera | Tessera / peer |", "| --- | --- | ---: | ---: | ---: |"]
    lines += [f"| {n} | {w} | {number(p)} | {number(m)} | {m / p:.2f} |" for n, w, p, m in better + worse]
    print("\n".join(lines))
    if "--write" in sys.argv:
        sys.path.insert(0, str(TOP / "scripts"))
        import results

        results.take("peers", "estimates", "\n".join(lines), whole="--only" not in sys.argv, tools=[w for ws in PEERS.values() for w in ws])


if __name__ == "__main__":
    main()
