#!/usr/bin/env python3
"""Figures as data: docs/results/*.json, and the tables that pages have of them.

results.py --write | --check | --repeated | --take FILE/TABLE [--whole] | --same FILE/TABLE
--write     makes each table between "<!-- results: FILE/TABLE -->" and "<!-- end of results -->" anew, in all pages of docs/
--check     says which pages differ from their data; so does a row that is marked though nothing has changed, or the other way round
--take      puts the rows of a Markdown table, which comes on standard input, into the data, as measured now; --whole: no others stay
--same      says which rows of such a table differ from the data
--repeated  says which figures of the data stand in prose, too: numbers of four digits and more

A file is {"schema": "tessera.results/1", "tables": {TABLE: {"what", "command", "sources", "keys", "columns", "rows"}}}. `sources` are what
a figure depends on: files or folders. A row is {"values": {column: value}, "measured": {"commit", "date", "sources", ...}}; `sources` there is
the hash of those files when it was measured. Where it is another one by now the page marks the row. Scripts that measure call put().
"""

import hashlib
import json
import platform
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FOLDER = TOP / "docs" / "results"
SCHEMA = "tessera.results/1"
BLOCK = re.compile(r"(<!-- results: ([\w-]+)/([\w-]+) -->\n).*?(<!-- end of results -->)", re.S)
MARK = "†"
NOTE = f"{MARK}: what the row depends on has changed since; not measured again."


def git(*words):
    return subprocess.run(["git", *words], cwd=TOP, check=True, capture_output=True, text=True).stdout


def within(name, sources):
    return any(name == source or name.startswith(source.rstrip("/") + "/") for source in sources)


def digest(entries):
    return hashlib.sha256("".join(f"{name} {blob}\n" for name, blob in sorted(entries)).encode()).hexdigest()[:16]


def hash_now(sources):
    """Of the files as they are, committed or not."""
    listed = [line.split("\t") for line in git("ls-files", "-s", "--", *sources).splitlines()]
    blobs = {name: head.split()[1] for head, name in listed}
    changed = git("diff", "--name-only", "HEAD", "--", *sources).split("\n")
    changed += git("ls-files", "--others", "--exclude-standard", "--", *sources).split("\n")
    for name in filter(None, changed):
        if (TOP / name).is_file():
            blobs[name] = git("hash-object", "--", name).strip()
        else:
            blobs.pop(name, None)
    return digest(blobs.items())


def hash_at(commit, sources):
    entries = [line.split("\t") for line in git("ls-tree", "-r", commit, "--", *sources).splitlines()]
    return digest((name, head.split()[2]) for head, name in entries)


def load(name):
    data = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    if data.get("schema") != SCHEMA:
        sys.exit(f"docs/results/{name}.json: its schema is {data.get('schema')}; known is {SCHEMA}")
    return data


def save(name, data):
    """A line for each row, so that changes show in review."""
    rows = [json.dumps(row, ensure_ascii=False) for table in data["tables"].values() for row in table["rows"]]
    head = json.loads(json.dumps(data))
    for table in head["tables"].values():
        table["rows"] = [f"@{i}@" for i in range(len(table["rows"]))]
    text = json.dumps(head, indent=1, ensure_ascii=False)
    parts = iter(rows)
    text = re.sub(r'"@\d+@"', lambda _: next(parts), text)
    (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def machine():
    names = re.findall(r"^model name[^:]*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    return names[0] if names else platform.machine()


def measured(sources, **more):
    """Where and when: of what is measured now."""
    commit, date = git("log", "-1", "--format=%H %as").split()
    return {"commit": commit, "date": date, "sources": hash_now(sources), **more}


def key_of(table, values):
    return [str(values[column]) for column in table["keys"]]


def find(name, table_name, *key):
    """A row's values by its key; None if there is none."""
    table = load(name)["tables"][table_name]
    return next((row["values"] for row in table["rows"] if key_of(table, row["values"]) == [str(k) for k in key]), None)


def put(name, table_name, values, **more):
    """Replaces the row with the same key, or adds one, as measured now with the tools and on the machine that `more` names."""
    data = load(name)
    table = data["tables"][table_name]
    if list(values) != table["columns"]:
        sys.exit(f"docs/results/{name}.json: {table_name}: columns are {table['columns']}, not {list(values)}")
    row = {"values": values, "measured": measured(table["sources"], **more)}
    same = [i for i, old in enumerate(table["rows"]) if key_of(table, old["values"]) == key_of(table, values)]
    if same:
        table["rows"][same[0]] = row
    else:
        table["rows"].append(row)
    save(name, data)


def value_of(cell):
    """As a number where that keeps every digit."""
    cell = cell.strip()
    if re.fullmatch(r"-?\d{1,3}( \d{3})+|-?\d+", cell):
        return int(cell.replace(" ", ""))
    return float(cell) if re.fullmatch(r"-?\d+\.\d+", cell) and repr(float(cell)) == cell else cell


def rows_of(markdown):
    """Of the only table, by column; a column without a title is called by its number."""
    lines = [re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in markdown.splitlines() if line.startswith("|")]
    titles = []
    for i, title in enumerate(lines[0] if lines else []):
        title = title.strip()
        titles.append(title if title and title not in titles else f"{title} {i}".strip())
    return [dict(zip(titles, map(value_of, line), strict=True)) for line in lines[2:]]


def take(name, table_name, markdown, whole=False, **more):
    rows = rows_of(markdown)
    if not rows:
        sys.exit(f"docs/results/{name}.json: {table_name}: no rows come in")
    if whole:
        data = load(name)
        keys = [key_of(data["tables"][table_name], values) for values in rows]
        table = data["tables"][table_name]
        table["rows"] = [row for row in table["rows"] if key_of(table, row["values"]) in keys]
        save(name, data)
    for values in rows:
        put(name, table_name, values, **more)


def differences(name, table_name, markdown):
    rows = rows_of(markdown)
    if not rows:
        yield f"docs/results/{name}.json: {table_name}: there is nothing to compare"
    table = load(name)["tables"][table_name]
    for values in rows:
        known = find(name, table_name, *key_of(table, values))
        if known != values:
            yield f"docs/results/{name}.json: {table_name}: measured {values}, known {known}"


def shown(value):
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    return str(value)


def table_of(name, table_name):
    data = load(name)
    table = data["tables"].get(table_name)
    if table is None:
        sys.exit(f"docs/results/{name}.json: has no table `{table_name}`")
    now = hash_now(table["sources"])
    columns = table["columns"]
    is_number = {c: all(re.fullmatch(r"[-+]?[\d., ]*( ?%)?", shown(row["values"][c])) for row in table["rows"]) for c in columns}
    titles = ["" if column.isdigit() else column for column in columns]  # columns without a title
    lines = ["| " + " | ".join([*titles, "measured at"]) + " |",
             "| " + " | ".join([*("---:" if is_number[c] else "---" for c in columns), "---"]) + " |"]
    marked = False
    for row in table["rows"]:
        at = row["measured"]
        is_old = at["sources"] != now
        marked = marked or is_old
        where = f"{at['commit'][:7]}, {at['date']}{' ' + MARK if is_old else ''}"
        lines.append("| " + " | ".join([*(shown(row["values"][c]) for c in columns), where]) + " |")
    return "\n".join(lines) + ("\n\n" + NOTE if marked else "") + "\n"


def pages():
    return sorted((TOP / "docs").rglob("*.md"))


def renewed(text):
    return BLOCK.sub(lambda m: m[1] + table_of(m[2], m[3]) + m[4], text)


def unused():
    """Tables that no page shows."""
    used = {(m[1], m[2]) for page in pages() for m in re.finditer(r"<!-- results: ([\w-]+)/([\w-]+) -->", page.read_text(encoding="utf-8"))}
    for path in sorted(FOLDER.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.get("schema") == SCHEMA:
            yield from (f"{path.stem}/{table}" for table in data["tables"] if (path.stem, table) not in used)


def distinctive(value):
    """How a figure would stand in prose, if it is one that cannot be there by chance. What a part has ("of") is no result."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) < 1000:
        return None
    return shown(value) if isinstance(value, int) else f"{value:g}"


def repeated():
    figures = {}
    for path in sorted(FOLDER.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        for name, table in data.get("tables", {}).items() if data.get("schema") == SCHEMA else ():
            for row in table["rows"]:
                for column, value in row["values"].items():
                    if column not in table["keys"] and not column.startswith("of") and (text := distinctive(value)):
                        figures[text] = f"docs/results/{path.name} ({name}, {column})"
    for page in [*pages(), TOP / "README.md"]:
        if page.is_relative_to(TOP / "docs" / "log"):  # dated: what was, stays
            continue
        text = re.sub(r"```.*?```|^\|[^\n]*$|<!--.*?-->", lambda m: "\n" * m[0].count("\n"), page.read_text(encoding="utf-8"), flags=re.S | re.M)
        for number, line in enumerate(text.split("\n"), 1):
            for found in re.findall(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d.])|(?<![\d.,])\d{4,}(?![\d.])", line):
                plain = shown(int(found.replace(" ", "")))
                if plain in figures:
                    yield f"{page.relative_to(TOP)}:{number}: {found} stands in {figures[plain]}, too"


def main():
    what, *rest = sys.argv[1:] or [""]
    if what in ("--take", "--same") and rest and re.fullmatch(r"[\w-]+/[\w-]+", rest[0]) and rest[1:] in ([], ["--whole"]):
        name, table = rest[0].split("/")
        if what == "--same":
            problems = list(differences(name, table, sys.stdin.read()))
        else:
            take(name, table, sys.stdin.read(), "--whole" in rest, machine=machine())
            problems = []
    elif rest:
        what = ""
    if what in ("--take", "--same"):
        pass
    elif what == "--repeated":
        problems = list(repeated())
    elif what in ("--write", "--check"):
        problems = [f"docs/results: no page shows the table {name}" for name in unused()]
        for page in pages():
            text = page.read_text(encoding="utf-8")
            new = renewed(text)
            if new != text and what == "--write":
                page.write_text(new, encoding="utf-8")
            elif new != text:
                problems.append(f"{page.relative_to(TOP)} is not as its data: scripts/results.py --write")
    else:
        sys.exit("usage: results.py --write | --check | --repeated | --take FILE/TABLE [--whole] | --same FILE/TABLE")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
