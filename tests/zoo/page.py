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
many are off by one. Each file is rounded as its runtime rounds ([how](../reference/operators.md#rounding)). [Below](#each-operator-against-its-runtimes)
every operator of them is compared with every runtime that has it.

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
optimisations (no byte off by more than one, one in 2 000 at most off by that), `tests/zoo/drawn_tflite.py` with LiteRT's reference kernels, with
TensorFlow Lite Micro (every byte, and what they refuse) and with LiteRT as it is by default (one byte in 100 000 may be off by one).

Softmax stays on the host. Its exponentials could go through the store unit's table, but the sum over a row and the division by it
need two more passes over data, and dividing has no unit. The shortest pass of the array, a product of eight features, takes 157 cycles
([here](../howto/quantise.md#running-them)); against three of them stand {softmax} operations of the host for the 16 classes of these models.

## Public files

Seven files from other people's collections run whole. Every output byte equals LiteRT's reference kernels; the two keyword spotters
equal ONNX Runtime in every output of four inputs each.

| model | operators | MACs | on the host | cycles | ideal | host operations |
| --- | ---: | ---: | --- | ---: | ---: | ---: |
"""


COMPARED = """
## Each operator against its runtimes

`tests/zoo/compare.py` runs `cosim compare` for every model and runtime, with the `numerics` of that name: each operator on the values
that the runtime has there. The figures are values that differ, of all that were compared; "=" where none does. `litert` are
LiteRT's reference kernels, `xnnpack` is LiteRT as it is by default; `onnxruntime` is without graph optimisations, `onnxruntime_fused` as it is by default. XNNPACK and ONNX Runtime multiply sums by factors in single precision, which decides
differently next to a half; no value is off by more than one. Left out: SUM on bytes in LiteRT's reference kernels, which gives one
value everywhere, and four products of `ssd_traffic_uint8` whose scale is 1e-35, where LiteRT's own kernels differ. Empty: the
runtime does not run the model.

| model | values | `litert` | `xnnpack` | `tflm` | `onnxruntime` | `onnxruntime_fused` |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def compared_rows(folder):
    """A row per model, and one of all."""
    with open(os.path.join(folder, "compared.json")) as text:
        results = json.load(text)
    runtimes = ("litert", "xnnpack", "tflm", "onnxruntime", "onnxruntime_fused")
    cells, values, totals = {}, {}, dict.fromkeys(runtimes, (0, 0))
    for one in results:
        row = cells.setdefault(one["model"], dict.fromkeys(runtimes, ""))
        if "different" in one:
            row[one["runtime"]] = grouped(one["different"]) if one["different"] else "="
            values[one["model"]] = max(values.get(one["model"], 0), one["values"])
            sums = totals[one["runtime"]]
            totals[one["runtime"]] = (sums[0] + one["different"], sums[1] + one["values"])
    for model in cells:
        yield [model, grouped(values.get(model, 0)), *cells[model].values()]
    yield ["all", "", *(f"{grouped(d)} of {grouped(v)}" for d, v in totals.values())]


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
            out.write(COMPARED)
            for row in compared_rows(folder):
                out.write("| " + " | ".join(row) + " |\n")
        return
    with open(page) as text:
        # The last table depends on the processor; compare.py judges it.
        figures = text.read().split("## Each operator")[0]
    written = {m.group(1): [c.strip() for c in m.group(0).strip("|\n").split("|")]
               for m in re.finditer(r"^\| ([a-zA-Z0-9_.]+) \|.*\|$", figures, re.M)}
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
