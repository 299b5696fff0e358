#!/usr/bin/env python3
"""Adds up what Verilated models left behind: rtl-coverage.py FOLDER REPORT.

A line or a bit counts as reached when it was in any instance of any model. REPORT lists what was not.
"""

import collections
import re
import sys
from pathlib import Path


def entries(file):
    for line in file.read_text(errors="replace").splitlines():
        if not line.startswith("C '"):
            continue
        text, count = line[3:].rsplit("' ", 1)
        fields = dict(part.split("\x02", 1) for part in text.split("\x01") if "\x02" in part)
        yield fields, int(count)


def main():
    reached = {"v_line": collections.Counter(), "v_branch": collections.Counter(), "v_toggle": collections.Counter()}
    files = sorted(Path(sys.argv[1]).glob("*.dat"))
    for file in files:
        for fields, count in entries(file):
            page = fields.get("page", "").split("/")[0]
            if page not in reached or "/rtl/" not in fields["f"]:
                continue
            name = re.sub(r".*/rtl/", "rtl/", fields["f"])
            what = fields.get("o", "") if page == "v_toggle" else fields.get("n", "") + fields.get("o", "")
            reached[page][name, int(fields["l"]), what] += count
    report = []
    for page, title in (("v_line", "lines"), ("v_branch", "branches"), ("v_toggle", "toggles")):
        counts = reached[page]
        if not counts:
            continue
        hit = sum(1 for n in counts.values() if n)
        print(f"{title}: {hit} of {len(counts)}, {100 * hit / len(counts):.1f} %")
        by_file = collections.Counter(name for (name, _, _), n in counts.items() if not n)
        report.append(f"{title}: {hit} of {len(counts)}; not reached, by file: "
                      + ", ".join(f"{name} {n}" for name, n in by_file.most_common()))
        report += [f"  {name}:{line} {what}" for (name, line, what), n in sorted(counts.items()) if not n]
    Path(sys.argv[2]).write_text("\n".join(report) + "\n")


if __name__ == "__main__":
    main()
