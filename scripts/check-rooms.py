#!/usr/bin/env python3
"""Holds the tree against docs/explanation/architecture.md, "The rooms": check-rooms.py [TOP]

The tables there list the rooms from the ground up. Every folder with sources is in one of them; a
room includes, links and instantiates only what stands above it in its table; what it includes it
also links; include/tessera includes nothing of a room; constants are not borrowed from a source that
happens to be compiled in the same unit; paths that the documentation names exist; and files and types
of the scheduler have the words of docs/reference/glossary.md.
"""
import glob
import os
import re
import sys

TOP = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
# Words that names of the scheduler had, and those that they have: docs/reference/glossary.md.
WORDS = {
    "action": "operation", "across": "interlayer", "embedding": "strided view", "keepable": "residency candidate", "piece": "array pass",
    "relocate": "link", "rolling": "line buffer", "seal": "load checksums", "side by side": "column packing", "walk": "loop order",
    "without window": "block-diagonal",
}
NOT_ROOMS = ("build", "tests", "bench", "docs", "configs", "scripts", "cmake", ".")
MOST_FILES = 24


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def rooms_listed():
    text = read("docs/explanation/architecture.md").split("## The rooms", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `([\w/]+)/?` \|", text, re.M)


def sources():
    found = []
    for folder, folders, files in os.walk(TOP):
        here = os.path.relpath(folder, TOP)
        if here == ".":
            folders[:] = [f for f in folders if not f.startswith(NOT_ROOMS)]
        found += [os.path.join(here, f) for f in files if f.endswith((".cpp", ".hpp", ".sv"))]
    return sorted(found)


def links():
    """Room by target, and the targets that each one links."""
    rooms, linked = {}, {}
    for path in glob.glob(os.path.join(TOP, "**/CMakeLists.txt"), recursive=True):
        folder = os.path.relpath(os.path.dirname(path), TOP)
        if folder.startswith(NOT_ROOMS[:-1]):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name, words in re.findall(r"tessera_room\((\w+)([^)]*)\)", text):
            rooms[name] = folder
            linked[name] = re.findall(r"tessera::(\w+)", words)
        for name, words in re.findall(r"target_link_libraries\(tessera_(\w+)([^)]*)\)", text):
            rooms.setdefault(name, folder)
            linked.setdefault(name, []).extend(re.findall(r"tessera::(\w+)", words))
    return rooms, linked


def closure(target, linked):
    seen, todo = set(), [target]
    while todo:
        for name in linked.get(todo.pop(), []):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return seen


def arrows(files):
    modules = {}
    for path in sorted(files, key=lambda path: path.startswith("rtl/micro/")):
        if path.endswith(".sv"):
            # Families' own forms of a cell come after the cells, as the machine with microcode does.
            modules.setdefault(os.path.basename(path)[:-3], os.path.dirname(path))
    for path in files:
        text = read(path)
        if path.endswith(".sv"):
            text = re.sub(r"//.*", "", text)
            names = re.findall(r"^\s*(\w+)\s*(?:#\s*\(|u_\w+\s*\()", text, re.M) + re.findall(r"(\w+_pkg)::", text)
            for name in names:
                if name in modules and name != os.path.basename(path)[:-3]:
                    yield path, modules[name]
            continue
        for name in re.findall(r'#include "([^"]+)"', text):
            if name.startswith("tessera/"):
                yield path, "include/" + os.path.dirname(name)
            elif "/" in name:
                yield path, os.path.dirname(name)


CONSTANT = r"(?:constexpr|const) [^=;(]*?\b(k[A-Z]\w*)\b"


def borrowed(files):
    """Sources with a constant that another source of their room has for itself."""
    texts = {f: re.sub(r"//.*", "", read(f)) for f in files if f.endswith(".cpp")}
    declared = {f: set(re.findall("^" + CONSTANT, text, re.M)) for f, text in texts.items()}
    for path, text in texts.items():
        own = set(re.findall(CONSTANT, text))
        for other, names in declared.items():
            if os.path.dirname(other) == os.path.dirname(path):
                for name in sorted(names - own):
                    if re.search(rf"(?<!::)\b{name}\b", text):
                        yield path, name


def documented_paths():
    for path in glob.glob(os.path.join(TOP, "docs/**/*.md"), recursive=True) + [os.path.join(TOP, f) for f in ("README.md", "CONTRIBUTING.md")]:
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"```.*?```", "", file.read(), flags=re.S)
        for name in re.findall(r"`([\w.-]+/[\w./*-]+)`", text):
            yield os.path.relpath(path, TOP), name


def other_words(files):
    """(path, what has it, the word, the right one): names of files and types of the scheduler."""
    for path in files:
        if not path.startswith("scheduler/"):
            continue
        names = {"": os.path.splitext(path)[0].split("/", 1)[1]}
        names.update({f" `{name}`:": name for name in re.findall(r"^\s*(?:struct|class|enum class) (\w+)", read(path), re.M)})
        for where, name in names.items():
            words = " " + re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_/]", " ", name).lower() + " "
            for word, right in WORDS.items():
                if f" {word} " in words or f" {word}s " in words:
                    yield path, where, word, right


def main():
    problems = []
    order = rooms_listed()
    level = {room: i for i, room in enumerate(order)}
    files = sources()
    for folder in sorted({os.path.dirname(f) for f in files}):
        if folder not in level:
            problems.append(f"{folder}: docs/explanation/architecture.md lists no such room")
        count = sum(os.path.dirname(f) == folder for f in files)
        if count > MOST_FILES and not folder.startswith("include"):
            problems.append(f"{folder}: {count} files; more than one reason to exist?")
    for room in order:
        if not os.path.isdir(os.path.join(TOP, room)):
            problems.append(f"docs/explanation/architecture.md lists `{room}`, which does not exist")
    rooms, linked = links()
    targets = {}
    for name, folder in rooms.items():
        targets[folder] = name
    for wing in ("memory", "data_path", "machine"):
        targets[f"timing/{wing}"] = "timing"
    for path, to in arrows(files):
        room = os.path.dirname(path)
        if room == to or room not in level:
            continue
        if to not in level:
            problems.append(f"{path}: uses {to}, which is no room")
        elif level[to] > level[room]:
            problems.append(f"{path}: an arrow climbs from {room} to {to}")
        elif room in targets and to in targets and targets[room] != targets[to]:
            if targets[to] not in closure(targets[room], linked):
                problems.append(f"{path}: includes {to} without linking tessera::{targets[to]}")
    for name, folder in rooms.items():
        for other in linked[name]:
            if other not in rooms:
                problems.append(f"{folder}: links tessera::{other}, which is no room")
            elif folder in level and rooms[other] in level and level[rooms[other]] > level[folder]:
                problems.append(f"{folder}: links {rooms[other]}, which stands higher")
    for path, name in borrowed(files):
        problems.append(f"{path}: uses {name}, which another source declares for itself")
    for path, where, word, right in other_words(files):
        problems.append(f"{path}:{where} say {right}, not {word}")
    for path, name in documented_paths():
        if name.split("/")[0] in ("build", "share", "bin", "rom", "sweep", "run") and not os.path.exists(os.path.join(TOP, name)):
            continue
        if os.path.isdir(os.path.join(TOP, name.split("/")[0])) and not glob.glob(os.path.join(TOP, name)):
            problems.append(f"{path}: names {name}, which does not exist")
    for problem in dict.fromkeys(problems):
        print(problem, file=sys.stderr)
    print(f"{len(order)} rooms, {len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
