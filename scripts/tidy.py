#!/usr/bin/env python3
"""clang-tidy over sources: tidy.py [FILE...] [--since COMMIT] (default: all in the compilation database).

--since: what has changed since then, and of a header a few of the sources that include it, which show what is wrong with it.

Most of clang-tidy's time goes into headers that every source includes again. Sources are therefore
written one behind the other into files under build/lint and looked at together, all as main file, so
that no check sees less; findings name the original lines. Sources with the same names in unnamed
namespaces are kept apart; where something else collides, a file is halved until it does not.
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
# Debian's looks at all of the system's headers, too, in four times the time.
TIDY = os.path.join(WORK, "venv", "bin", "clang-tidy")
MOST_TOGETHER = 40
# States that the analyzer looks at in a function. Its own limit, 225 000, takes three times as long for what few functions have.
ANALYZER = ["-Xclang", "-analyzer-config", "-Xclang", "max-nodes=" + os.environ.get("TESSERA_ANALYZER_NODES", "30000")]
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
        # What is compiled together includes its sources.
        together = os.path.basename(os.path.dirname(path)) == "Unity"
        sources = [os.path.relpath(s, TOP) for s in included(entry["file"])] if together else [path]
        for source in sources:
            if not source.startswith("build/"):
                flags.setdefault(source, flags_of(entry))
    return flags


def included(path):
    return re.findall(r'^#include "([^"]+\.cpp)"', text_of(path), re.MULTILINE)


def text_of(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


DECLARED = re.compile(r"(?:struct|class|enum class|enum) (\w+)|(?!using|namespace|template)\w[\w:<>,*& ]*?[ *&](\w+) ?[\[({=;]")
ALIAS = re.compile(r"(?:using|namespace) (\w+) = .*;")


def unnamed(source):
    """What its unnamed namespaces declare, by name and the namespace around it: where, or, as equal aliases do not collide, which."""
    names, around, inside = {}, "", False
    for line in text_of(source).split("\n"):
        if line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif line.startswith(("int main(", "BENCHMARK_MAIN(")):
            names["", "main"] = source
        elif found := re.match(r"namespace ([\w:]+) \{", line):
            around = found.group(1)
        elif inside and (found := ALIAS.match(line)):
            names[around, found.group(1)] = line
        elif inside and (found := DECLARED.match(line)):
            names[around, found.group(1) or found.group(2)] = source
    return names


def apart(sources):
    """Groups of sources whose names do not collide."""
    groups = []
    for source in sources:
        names = unnamed(source)
        for members, taken in groups:
            if len(members) < MOST_TOGETHER and all(taken.get(n, what) == what for n, what in names.items()):
                members.append(source)
                taken.update(names)
                break
        else:
            groups.append(([source], names))
    return [members for members, _ in groups]


def kind_of(source):
    """Looked at alike: tests, those on the RTL with names of their own, tools' folders, which include by names alone, and all else."""
    room, folder = source.split("/")[0], os.path.dirname(source)
    return folder if room == "tools" or folder == "tests/rtl" else "tests" if room in ("tests", "bench") else ""


class Unit:
    """Some sources in one file."""

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
        folders = dict.fromkeys(os.path.dirname(s) for s in sources)
        self.flags += [f for folder in folders for f in ("-I", os.path.join(TOP, folder))]
        self.starts = []
        text = ""
        for source in sources:
            self.starts.append(text.count("\n") + 1)
            text += text_of(source)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def original(self, match):
        line = int(match.group(1))
        at = max(i for i, start in enumerate(self.starts) if start <= line)
        return f"{self.sources[at]}:{line - self.starts[at] + 1}"

    def check(self):
        # Paths through tests are run, with sanitizers; to analyse them takes four times as long as all else.
        fewer = ["--checks=-clang-analyzer-*"] if re.match(r"(tests|bench)/", self.sources[0]) else []
        command = [TIDY, "--quiet", "--warnings-as-errors=*", *fewer, self.path, "--", *self.flags, *ANALYZER]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        text = re.sub(re.escape(self.path) + r":(\d+)", self.original, done.stdout)
        return done.returncode == 0, text if done.returncode == 0 or text else done.stderr


def findings(sources, flags):
    """Of the units that it takes: their sources, whether they are fine, what is said of them."""
    fine, text = Unit(sources, flags).check()
    if fine or len(sources) == 1 or "[clang-diagnostic-error" not in text:
        return [(sources, fine, text)]
    half = len(sources) // 2
    return findings(sources[:half], flags) + findings(sources[half:], flags)


def git(*words):
    return subprocess.run(["git", *words], cwd=TOP, check=True, capture_output=True, text=True).stdout.splitlines()


MOST_READERS = 2


def changed_since(commit):
    changed = git("diff", "--name-only", "--diff-filter=d", commit) + git("ls-files", "--others", "--exclude-standard")
    sources = {f for f in changed if f.endswith(".cpp")}
    for header in (f for f in changed if f.endswith(".hpp")):
        name = header.removeprefix("include/")
        readers = subprocess.run(["git", "grep", "-lF", f'#include "{name}"', "--", "*.cpp"], cwd=TOP, check=False,
                                 capture_output=True, text=True).stdout.splitlines()
        sources |= set(readers[:MOST_READERS])
    return sorted(sources)


def main():
    if not os.path.exists(TIDY):
        sys.exit("tidy.py: no clang-tidy in build/lint/venv: scripts/install.sh lint gets it")
    flags = database()
    if sys.argv[1:2] == ["--since"]:
        wanted = changed_since(sys.argv[2])
    else:
        wanted = [os.path.relpath(os.path.abspath(f), TOP) for f in sys.argv[1:]] or sorted(flags)
    wanted = [f for f in wanted if f in flags]
    os.makedirs(WORK, exist_ok=True)
    kinds = {}
    for source in wanted:
        kinds.setdefault(kind_of(source), []).append(source)
    groups = [group for sources in kinds.values() for group in apart(sources)]
    groups.sort(key=lambda group: -len(group))
    units = failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lambda group: findings(group, flags), groups):
            for sources, fine, text in found:
                units += 1
                if not fine:
                    failed += 1
                    print(f"{', '.join(sources)}\n{text}", flush=True)
    print(f"clang-tidy: {len(wanted)} sources in {units} units")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
