#!/usr/bin/env python3
"""clang-tidy over sources: tidy.py [FILE...] (default: all in the compilation database).

Most of clang-tidy's time goes into headers that every source includes again. Sources of one folder
are therefore written one behind the other into a file under build/lint and looked at together, all
as main file, so that no check sees less; findings name the original lines. Where names in a folder
collide, it is halved until they do not.
"""
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(TOP, "build", "release")
WORK = os.path.join(TOP, "build", "lint")
MOST_TOGETHER = 12
# States that the analyzer looks at in a function. Its own limit, 225 000, takes twice as long for what few functions have.
ANALYZER = ["-Xclang", "-analyzer-config", "-Xclang", "max-nodes=" + os.environ.get("TESSERA_ANALYZER_NODES", "75000")]
FLAG = re.compile(r"-(D|I|isystem|std=)")


def flags_of(entry):
    words = shlex.split(entry["command"])
    flags = []
    for i, word in enumerate(words):
        if word == "-isystem":
            flags += [word, words[i + 1]]
        elif FLAG.match(word):
            flags.append(word)
    return tuple(dict.fromkeys(flags))


def database():
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    flags = {}
    for entry in entries:
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), TOP)
        if not path.startswith("build/"):
            flags.setdefault(path, flags_of(entry))
    return flags


class Unit:
    """Some sources of a folder in one file."""

    def __init__(self, sources, flags):
        self.sources = sources
        name = re.sub(r"\W", "_", sources[0]) + f"_{len(sources)}.cpp"
        self.path = os.path.join(WORK, name)
        merged = dict.fromkeys(f for s in sources for f in flags[s] if f != "-isystem")
        self.flags = []
        for source in sources:
            words = list(flags[source])
            for i, word in enumerate(words):
                if word == "-isystem":
                    self.flags += [word, words[i + 1]]
                elif i == 0 or words[i - 1] != "-isystem":
                    self.flags += [word] if word in merged else []
        # Sources that include headers beside them by name alone.
        self.flags = self.flags + ["-I", os.path.join(TOP, os.path.dirname(sources[0]))]
        self.starts = []
        text = ""
        for source in sources:
            self.starts.append(text.count("\n") + 1)
            with open(os.path.join(TOP, source), encoding="utf-8") as file:
                text += file.read()
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def parses(self):
        command = ["clang++", "-fsyntax-only", "-w", *self.flags, self.path]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def original(self, match):
        line = int(match.group(1))
        at = max(i for i, start in enumerate(self.starts) if start <= line)
        return f"{self.sources[at]}:{line - self.starts[at] + 1}"

    def check(self):
        # Paths through tests are run, with sanitizers; to analyse them takes four times as long as all else.
        fewer = ["--checks=-clang-analyzer-*"] if re.match(r"(tests|bench)/", self.sources[0]) else []
        command = ["clang-tidy", "--quiet", "--warnings-as-errors=*", *fewer, self.path, "--", *self.flags, *ANALYZER]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        text = re.sub(re.escape(self.path) + r":(\d+)", self.original, done.stdout)
        return done.returncode == 0, text if done.returncode == 0 or text else done.stderr


def units_of(sources, flags):
    if len(sources) > MOST_TOGETHER:
        half = len(sources) // 2
        return units_of(sources[:half], flags) + units_of(sources[half:], flags)
    unit = Unit(sources, flags)
    if len(sources) == 1 or unit.parses():
        return [unit]
    half = len(sources) // 2
    return units_of(sources[:half], flags) + units_of(sources[half:], flags)


def main():
    flags = database()
    wanted = [os.path.relpath(os.path.abspath(f), TOP) for f in sys.argv[1:]] or sorted(flags)
    wanted = [f for f in wanted if f in flags]
    os.makedirs(WORK, exist_ok=True)
    folders = {}
    for source in wanted:
        folders.setdefault(os.path.dirname(source), []).append(source)
    failed = False
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        units = [u for us in pool.map(lambda s: units_of(s, flags), folders.values()) for u in us]
        units.sort(key=lambda unit: -len(unit.sources))
        for unit, (fine, text) in zip(units, pool.map(Unit.check, units)):
            if not fine:
                failed = True
                print(f"{', '.join(unit.sources)}\n{text}", flush=True)
    print(f"clang-tidy: {len(wanted)} sources in {len(units)} units")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
