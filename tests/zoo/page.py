#!/usr/bin/env python3
"""The page about the zoo.

    page.py FOLDER --write PAGE      from the results that zoo.sh leaves in FOLDER
    page.py FOLDER --check PAGE      whether its figures are still these
    page.py --rtl                    which models the RTL runs, as a regular expression
"""
import json
import os
import re
import sys

RTL = ["arrangements_int8", "autoencoder_int8", "elementwise_int8", "keyword_spotter_int8",
       "keyword_spotter_qdq_uint8_tensor", "keyword_spotter_1d_int8", "mobilenet_v1_int8",
       "mobilenet_v1_uint8", "mobilenet_v2_int8", "mobilenet_v3_small_int8", "segmentation_int8",
       "squeeze_excite_int8", "squeeze_excite_qdq_int8", "ssd_int8", "unet_int8", "unet_qdq_int8"]

# TensorFlow's converter requantises one or another output of these, from run to run.
UNSTEADY = ["arrangements_int8", "arrangements_uint8"]

HEAD = """# Models as other people's tools write them

`tests/zoo/make.py` builds these models with TensorFlow's converter, tf2onnx and ONNX Runtime's quantiser: random weights,
small pictures. `ctest -L ci-zoo` runs every one of them on `medium` with both policies, compares every output with the reference
and the figures with this page, which `tests/zoo/page.py` writes. {count} models; {rtl} of them also run on the RTL, with the same
cycles. Preparing it takes `scripts/zoo-python.sh`.

Equal means: every output byte of `.tflite` models; for `.onnx` models no output is off by more than a step, and the column says how
many are off by one. Each file is rounded as its runtime rounds ([how](operators.md#rounding)).

| model | operators | MACs | on the host | cycles | `best` | ideal | host operations | equal to |
| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | --- |
"""

FOOT = """
What stands in "on the host" is what remains there; reshapes and what rides on other layers cost nothing. Two differences have
a reason: LiteRT's reference kernels lack DEPTH_TO_SPACE, ELU and TILE in the version that the converter writes, so its
built-in kernels are the reference there; and its reference kernel of SUM on int8 is off by up to 78, while its Micro sibling agrees with
us. The figures of `arrangements` are not checked: the converter requantises one or another of its outputs, from run to run. Means of
quantised ONNX models stay on the host where halves can occur, since single precision decides those; `numerics: tflm` leaves them on the array.

Besides these, small models are drawn at random and compared with the runtimes themselves: `tests/zoo/drawn_onnx.py` with ONNX Runtime without
optimisations (no byte off by more than one, one in 2 000 at most off by that), `tests/zoo/drawn_tflite.py` with LiteRT's reference kernels (every byte, and
what LiteRT refuses).

Softmax stays on the host. Its exponentials could go through the store unit's table, but the sum over a row and the division by it
need two more passes over data, and dividing has no unit. The shortest pass of the array, a product of eight features, takes 157 cycles
([here](quantise.md#running-them)); against three of them stand {softmax} operations of the host for the 16 classes of these models.

## Public files

Seven files from other people's collections run whole. Every output byte equals LiteRT's reference kernels; the two keyword spotters
equal ONNX Runtime in every output of four inputs each.

| model | operators | MACs | on the host | cycles | ideal | host operations |
| --- | ---: | ---: | --- | ---: | ---: | ---: |
"""


def read(folder, name):
    with open(os.path.join(folder, name)) as text:
        return {r["name"]: r for r in json.load(text)}


def grouped(number):
    return f"{number:,}".replace(",", " ")


def on_host(run):
    kinds = sorted({layer["op"] for layer in run["layers"] if layer["mode"] == "host"})
    return ", ".join(kinds) or "nothing"


def rows(folder):
    """The page's rows; the last column depends on the processor that ran the reference."""
    first, best = read(folder, "tlm-first-fit.json"), read(folder, "tlm-best.json")
    for name, result in first.items():
        run, about = result["run"], result["about"]
        different, greatest, values = result["counted"]
        says = about["reference"]
        if about["model"].endswith(".onnx"):
            says += f": {grouped(different)} of {grouped(values)} off by {round(greatest)}" \
                if different else ": all"
        totals = run["totals"]
        yield [name, str(len(run["layers"])), grouped(totals["macs"]), on_host(run),
               grouped(totals["cycles"]), grouped(best[name]["run"]["totals"]["cycles"]),
               grouped(totals["ideal_cycles"]), grouped(run["host"]["operations"]), says]


def public_rows(folder):
    for name in ("public.json", "public-onnx.json"):
        for model, result in read(folder, name).items():
            run = result["run"]
            yield [model, str(len(run["layers"])), grouped(run["totals"]["macs"]), on_host(run),
                   grouped(run["totals"]["cycles"]), grouped(run["totals"]["ideal_cycles"]),
                   grouped(run["host"]["operations"])]


def check_rtl(folder):
    for policy in ("first-fit", "best"):
        fast, slow = read(folder, f"tlm-{policy}.json"), read(folder, f"rtl-{policy}.json")
        for name, result in slow.items():
            cycles = [r[name]["run"]["totals"]["cycles"] for r in (fast, slow)]
            if cycles[0] != cycles[1]:
                sys.exit(f"{name}: {cycles[1]} cycles on the RTL, {cycles[0]} on tlm")
        if len(slow) < len(RTL):
            sys.exit(f"{len(slow)} models ran on the RTL, not {len(RTL)}")


def main():
    if sys.argv[1:] == ["--rtl"]:
        print("^(" + "|".join(RTL) + ")$")
        return
    folder, what, page = sys.argv[1:]
    check_rtl(folder)
    table = list(rows(folder))
    if what == "--write":
        softmax = 16 * 45
        with open(page, "w") as out:
            out.write(HEAD.format(count=len(table), rtl=len(RTL)))
            for row in table:
                out.write("| " + " | ".join(row) + " |\n")
            out.write(FOOT.format(softmax=softmax))
            for row in public_rows(folder):
                out.write("| " + " | ".join(row) + " |\n")
        return
    with open(page) as text:
        written = {m.group(1): [c.strip() for c in m.group(0).strip("|\n").split("|")]
                   for m in re.finditer(r"^\| ([a-zA-Z0-9_.]+) \|.*\|$", text.read(), re.M)}
    wrong = [row[0] for row in table if row[0] not in UNSTEADY and
             written.get(row[0], [])[:-1] != row[:-1]]
    known = {row[0] for row in table} | {"model"}
    public = os.path.exists(os.path.join(folder, "public.json"))
    for row in public_rows(folder) if public else []:
        wrong += [row[0]] if written.get(row[0]) != row else []
        known.add(row[0])
    wrong += [name for name in written if public and name not in known]
    if wrong:
        sys.exit(f"{page} says something else about {', '.join(wrong)}; page.py --write mends it")
    print(f"{page}: {len(table)} models have the figures that stand there")


if __name__ == "__main__":
    main()
