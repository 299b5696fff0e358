#!/usr/bin/env python3
"""Which models policy best runs at a landing, and which of these on the RTL, a regular expression each: landing.py FIRST-FIT.json [--seed N]

One of each kind (what wrote it, and its types), one of those with more than a million cycles, and two that the RTL runs. scripts/test.sh runs
those of tests/zoo/small with policy best, so that the kinds are those of all others. FIRST-FIT.json is what run.py says of policy
first-fit.
"""
import argparse
import json
import random
import re
from pathlib import Path

import page

SMALL = Path(__file__).resolve().parent / "small"
MANY_CYCLES = 1_000_000
FEW_ON_RTL = 2


def kind_of(name):
    return re.search(r"(_qdq|_qoperator)?_(u?int8|float32)(_tensor)?$", name)[0]


def drawn(cycles, seed):
    """Of models with their cycles."""
    rng = random.Random(seed)
    groups = {}
    for name in sorted(cycles):
        if cycles[name] > MANY_CYCLES:
            groups.setdefault("large", []).append(name)
        elif not (SMALL / f"{name}.json").exists():
            groups.setdefault(kind_of(name), []).append(name)
    chosen = {rng.choice(names) for names in groups.values()}
    return sorted(chosen | set(rng.sample(page.RTL, FEW_ON_RTL)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("costs")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with open(options.costs) as text:
        cycles = {r["name"]: r["run"]["totals"]["cycles"] for r in json.load(text) if r["run"]}
    chosen = drawn(cycles, options.seed)
    print(page.one_of(chosen))
    print(page.one_of(n for n in chosen if n in page.RTL))


if __name__ == "__main__":
    main()
