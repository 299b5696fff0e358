#!/usr/bin/env python3
"""Adds up what Verilated models left behind: rtl-coverage.py FOLDER REPORT [--lines FOLDER].

A line or a bit counts as reached when it was in any instance of any model; of `--lines` only lines and
branches are taken. What tests/coverage/rtl.toml waives is not counted. REPORT lists what was not reached.
"""

import argparse
import collections
import re
import tomllib
from pathlib import Path

WAIVERS = Path(__file__).resolve().parent.parent / "tests/coverage/rtl.toml"
TITLES = {"v_line": "lines", "v_branch": "branches", "v_toggle": "toggles"}


def entries(file):
    for line in file.read_text(errors="replace").splitlines():
        if not line.startswith("C '"):
            continue
        text, count = line[3:].rsplit("' ", 1)
        fields = dict(part.split("\x02", 1) for part in text.split("\x01") if "\x02" in part)
        yield fields, int(count)


def add(reached, folder, pages):
    for file in sorted(folder.glob("*.dat")):
        for fields, count in entries(file):
            page = fields.get("page", "").split("/")[0]
            if page not in pages or "/rtl/" not in fields["f"]:
                continue
            name = re.sub(r".*/rtl/", "rtl/", fields["f"])
            what = fields.get("o", "") if page == "v_toggle" else fields.get("n", "") + fields.get("o", "")
            reached[page][name, int(fields["l"]), what] += count


class Waivers:
    """What cannot happen, each with its reason. One that no longer matches anything is an error."""

    def __init__(self):
        self.entries = tomllib.loads(WAIVERS.read_text())["waiver"]
        self.used = [0] * len(self.entries)

    def take(self, page, name, line, what):
        for i, waiver in enumerate(self.entries):
            if waiver["of"] != TITLES[page] or not re.search(waiver["file"], name):
                continue
            if page == "v_toggle":
                matches = re.fullmatch(waiver["what"], what)
            else:
                text = source_line(name, line)
                matches = re.search(waiver["what"], text)
            if matches:
                self.used[i] += 1
                return True
        return False


def source_line(name, line):
    return (WAIVERS.parents[2] / name).read_text().splitlines()[line - 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("report", type=Path)
    parser.add_argument("--lines", type=Path)
    options = parser.parse_args()
    reached = {page: collections.Counter() for page in TITLES}
    add(reached, options.folder, list(TITLES))
    if options.lines:
        add(reached, options.lines, ["v_line", "v_branch"])
    waivers = Waivers()
    report = []
    for page, title in TITLES.items():
        counts = reached[page]
        missed = [key for key, n in counts.items() if not n]
        waived = {key for key in missed if waivers.take(page, *key)}
        missed = sorted(set(missed) - waived)
        of = len(counts) - len(waived)
        if not of:
            continue
        print(f"{title}: {of - len(missed)} of {of}, {100 * (of - len(missed)) / of:.1f} %; {len(waived)} waived")
        by_file = collections.Counter(name for name, _, _ in missed)
        report.append(f"{title}: {of - len(missed)} of {of}, {len(waived)} waived; not reached, by file: "
                      + ", ".join(f"{name} {n}" for name, n in by_file.most_common()))
        report += [f"  {name}:{line} {what}" for name, line, what in missed]
    report += [f"waived {n}: {w['reason']}" for w, n in zip(waivers.entries, waivers.used)]
    options.report.write_text("\n".join(report) + "\n")
    for waiver, used in zip(waivers.entries, waivers.used):
        if not used:
            raise SystemExit(f"tests/coverage/rtl.toml: waives nothing: {waiver['what']}")


if __name__ == "__main__":
    main()
