#!/usr/bin/env python3
"""The figures of docs/results/models.json.

    page.py FOLDER --write      from the results that zoo.sh leaves in FOLDER; then `scripts/results.py --write` renews the page
    page.py FOLDER --check      whether the figures are still these
    page.py --rtl               which models the RTL runs, as a regular expression
"""
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import results

RTL = ["arrangements_int8", "autoencoder_int8", "elementwise_int8", "keyword_spotter_int8",
       "keyword_spotter_qdq_uint8_tensor", "keyword_spotter_1d_int8", "mobilenet_v1_int8",
       "mobilenet_v1_uint8", "mobilenet_v2_int8", "mobilenet_v3_small_int8", "segmentation_int8",
       "squeeze_excite_int8", "squeeze_excite_qdq_int8", "ssd_int8", "unet_int8", "unet_qdq_int8",
       "decoder_int8", "embedded_bert_int8", "keyword_transformer_int8", "vision_transformer_int8"]

# TensorFlow's converter requantises one or another output of these, from run to run.
UNSTEADY = ["arrangements_int8", "arrangements_uint8"]

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


NOT_RUN = "not run"


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
               grouped(totals["cycles"]),
               grouped(best[name]["run"]["totals"]["cycles"]) if name in best else NOT_RUN,
               grouped(totals["ideal_cycles"]), grouped(run["host"]["operations"]), says]


def public_rows(folder):
    for name in ("public.json", "public-onnx.json"):
        for model, result in read(folder, name).items():
            run = result["run"]
            yield [model, str(len(run["layers"])), grouped(run["totals"]["macs"]), on_host(run),
                   grouped(run["totals"]["cycles"]), grouped(run["totals"]["ideal_cycles"]),
                   grouped(run["host"]["operations"])]


def one_of(names):
    return "^(" + "|".join(names) + ")$"


def check_rtl(folder):
    for policy in ("first-fit", "best"):
        fast, slow = read(folder, f"tlm-{policy}.json"), read(folder, f"rtl-{policy}.json")
        for name, result in slow.items():
            cycles = [r[name]["run"]["totals"]["cycles"] for r in (fast, slow)]
            if cycles[0] != cycles[1]:
                sys.exit(f"{name}: {cycles[1]} cycles on the RTL, {cycles[0]} on tlm")
        missing = (set(RTL) if policy == "first-fit" else set(RTL) & set(fast)) - set(slow)
        if missing:
            sys.exit(f"{', '.join(sorted(missing))} did not run on the RTL with policy {policy}")


def table_of(name):
    """Columns and known rows, by their model."""
    table = results.load("models")["tables"][name]
    return table["columns"], {row["values"]["model"]: row["values"] for row in table["rows"]}


def as_values(columns, row):
    return dict(zip(columns, map(results.value_of, row), strict=True))


def write(folder, name, rows):
    columns, _ = table_of(name)
    lines = ["| " + " | ".join(row) + " |" for row in [columns, ["---"] * len(columns), *rows]]
    results.take("models", name, "\n".join(lines), whole=True, machine=results.machine())


def main():
    if sys.argv[1:] == ["--rtl"]:
        print(one_of(RTL))
        return
    folder, what = sys.argv[1:]
    check_rtl(folder)
    table = list(rows(folder))
    has_public = os.path.exists(os.path.join(folder, "public.json"))
    public = list(public_rows(folder)) if has_public else []
    if what == "--write":
        if any(NOT_RUN in row for row in table):
            sys.exit("not all models were run: zoo.sh with --all runs them")
        write(folder, "zoo", table)
        write(folder, "compared", list(compared_rows(folder)))
        if has_public:
            write(folder, "public", public)
        return
    # The comparison with runtimes depends on the processor; compare.py judges it. So does the last column here.
    columns, known = table_of("zoo")
    wrong = []
    for row in table:
        found, written = as_values(columns, row), known.pop(row[0], {})
        if row[0] not in UNSTEADY and any(found[c] not in (NOT_RUN, written.get(c)) for c in columns[:-1]):
            wrong.append(row[0])
    wrong += known
    columns, known = table_of("public")
    for row in public:
        wrong += [row[0]] if known.pop(row[0], None) != as_values(columns, row) else []
    wrong += known if has_public else []
    if wrong:
        sys.exit(f"docs/results/models.json says something else about {', '.join(wrong)}; page.py --write mends it")
    print(f"docs/results/models.json: {len(table)} models have the figures that stand there")


if __name__ == "__main__":
    main()
