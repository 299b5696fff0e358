#!/usr/bin/env python3
"""The tables of docs/reference/boards.md: each board's hardware placed, and networks on the simulated board.

boards.py COSIM [--write | --check] [--no-place] [--networks a,b] [BOARD | BOARD:larger | BOARD:standalone ...]
The hardware is npu.yaml of the board's folder, or larger.yaml where there is one; without a host it is standalone.yaml where there is one,
and runs a network on three samples.
Rows that are not named stay as they are. With --check what is found must be what the page says. The networks are the published models
beside the project (TESSERA_SHARED); without them they are left out.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
PAGE = TOP / "docs/reference/boards.md"
BOARDS = TOP / "configs" / "boards"
SHARED = pathlib.Path(os.environ.get("TESSERA_SHARED", TOP.parent / "shared"))
MODELS = ["kws_dscnn", "ic_resnet8", "person_detect"]
DESIGNS = "| board | hardware | array | LUT | of | FF | RAM | DSP | reaches | runs at |"
ALONE = "| board | network | array | LUT | block RAMs | reaches | runs at | cycles | per second |"
RUNS = "| board | hardware | network | cycles | the cost model counts | ms | per second |"


def run(cosim, *arguments):
    done = subprocess.run([cosim, *arguments, "--quiet", "--json", "-"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def line_of(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def system_of(board, which):
    """What says which hardware a board has."""
    return ["--board", board, "--config", str(BOARDS / board / f"{which}.yaml")]


def design_of(cosim, board, which):
    with tempfile.TemporaryDirectory() as folder:
        design = run(cosim, "fpga", *system_of(board, which), "--out", folder)
    hardware = design["hardware"]
    return line_of(board, which, f"{hardware['AtomicC']} x {hardware['AtomicK']}", design["luts"], design["luts_available"],
                   design["ffs"], design["brams"], design["dsps"], f"{design['fmax_mhz']:.1f} MHz",
                   f"{design['clock_mhz']:g} MHz")


def run_of(cosim, board, which, model):
    result = run(cosim, "board", *system_of(board, which), "--simulate", "--network",
                 str(SHARED / "models" / model / "model.tflite"))
    assert result["verified"], result
    milliseconds = 1000 * result["cycles"] / result["clock_hz"]
    return line_of(board, which, model, result["cycles"], result["model_cycles"], f"{milliseconds:.3f}", f"{1000 / milliseconds:.1f}")


def spaced(number):
    return f"{number:,}".replace(",", " ")


def alone_of(cosim, board):
    config = BOARDS / board / "standalone.yaml"
    config = config if config.exists() else BOARDS / board / "npu.yaml"
    network = "kws_dscnn"
    model = SHARED / "models" / network
    samples = ",".join(str(model / f"random{i}.input.bin") for i in (1, 2, 3))
    with tempfile.TemporaryDirectory() as folder:
        design = run(cosim, "fpga", "--board", board, "--config", str(config), "--standalone", "--network", str(model / "model.tflite"),
                     "--input", samples, "--out", folder)
    hardware = design["hardware"]
    return line_of(f"`{board}`", network, f"{hardware['AtomicC']} x {hardware['AtomicK']}", spaced(design["luts"]),
                   f"{design['brams']} of {design['brams_available']}", f"{design['fmax_mhz']:.1f} MHz", f"{design['clock_mhz']:g} MHz",
                   spaced(design["cycles"]), f"{1e6 * design['clock_mhz'] / design['cycles']:.1f}")


def key(line, cells):
    return [cell.strip() for cell in line.split("|")][1:1 + cells]


def replaced(page, header, row, cells):
    """The row in the place of the one with its first cells in the table that begins with the header."""
    lines = page.split("\n")
    at = lines.index(header) + 2
    while lines[at].startswith("|") and key(lines[at], cells) != key(row, cells):
        at += 1
    lines[at:at + (1 if lines[at].startswith("|") else 0)] = [row]
    return "\n".join(lines)


def main():
    cosim, *rest = sys.argv[1:]
    models = MODELS
    if "--networks" in rest:
        at = rest.index("--networks")
        models = [name for name in rest[at + 1].split(",") if name]
        del rest[at:at + 2]
    every = sorted(p.name for p in BOARDS.iterdir())
    larger = [f"{board}:larger" for board in every if (BOARDS / board / "larger.yaml").exists()]
    alone = [f"{board}:standalone" for board in every if (BOARDS / board / "standalone.sv").exists()]
    boards = [a for a in rest if not a.startswith("--")] or every + larger + alone
    found = []
    for name in boards:
        board, _, which = name.partition(":")
        which = which or "npu"
        if which == "standalone":
            line = alone_of(cosim, board)
            print(line, flush=True)
            found.append((ALONE, line, 1))
            continue
        if "--no-place" not in rest:
            line = design_of(cosim, board, which)
            print(line, flush=True)
            found.append((DESIGNS, line, 2))
        for model in models:
            if not (SHARED / "models").is_dir():
                print("skipped: no published models on this machine (TESSERA_SHARED)")
                break
            line = run_of(cosim, board, which, model)
            print(line, flush=True)
            found.append((RUNS, line, 3))
    # Read when all is made, which takes long: the page may have changed meanwhile.
    old = new = PAGE.read_text()
    for row in found:
        new = replaced(new, *row)
    if "--write" in rest:
        PAGE.write_text(new)
    elif "--check" in rest and new != old:
        sys.exit(f"{PAGE} says something else: scripts/boards.py COSIM --write")


if __name__ == "__main__":
    main()
