#!/usr/bin/env python3
"""Breaks RTL and scheduler in one place at a time and counts what the tests do not notice.

mutate.py build WORK [--rtl N] [--scheduler N] [--seed S]   draws, puts all of them into one copy of the sources, builds it
mutate.py run WORK [--slice I/N] [--only ID...] [--jobs J]  tries them, or each Nth of them from the Ith on; what was tried is not again
mutate.py table WORK                                        what was found so far
mutate.py list WORK                                         what is broken

Each mutant stands behind a number that the environment variable TESSERA_MUTANT chooses. First it meets the quickest tests of
scripts/test.sh; what survives those, is not proved to be equal and was not looked at meets the others, and then more random
cases, as parts of scripts/verify.sh have them. Results are in WORK/results, a file each.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from equal_rtl import is_proved_equal

TOP = Path(__file__).resolve().parent.parent

# What one operator or constant becomes.
COMMON = [
    (r"(?<![=!<>])==(?!=)", "!="), (r"!=(?!=)", "=="), (r"&&", "||"), (r"\|\|", "&&"),
    (r"(?<=\s)\+(?=\s)", "-"), (r"(?<=\s)-(?=\s)", "+"), (r"!(?=[A-Za-z_(&|])", ""),
    (r"(?<=\s)<=(?=\s)", "<"), (r"(?<=\s)>=(?=\s)", ">"), (r"(?<=\s)<(?=\s)", "<="), (r"(?<=\s)>(?=\s)", ">="),
]
RTL = [*COMMON, (r"(?<=\s)&(?=\s)", "|"), (r"(?<=\s)\|(?=\s)", "&"), (r"(?<=\s)\^(?=\s)", "|"),
       (r"\b1'b1\b", "1'b0"), (r"\b1'b0\b", "1'b1"), (r"(?<='d)(\d+)\b", "+1")]
CPP = [*COMMON, (r"(?<=\s)\*(?=\s)", "+"), (r"(?<=\s)/(?=\s)", "*"), (r"(?<=\s)%(?=\s)", "/"),
       (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"),
       (r"(?<=[\s(,])([0-9]+)U?(?=[\s),;])", "+1"), (r"\btrue\b", "false"), (r"\bfalse\b", "true")]


def without_comments(text):
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", blank, text, flags=re.DOTALL)


def is_balanced(text):
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            return False
    return depth == 0


def condition_at(text, begin):
    """The end of the parenthesis that opens at `begin`."""
    depth = 0
    for i in range(begin, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    return -1


def rtl_expressions(text):
    """(begin, end, kind) of expressions whose change is a change of the hardware."""
    found = []
    for m in re.finditer(r"\bassign\s+[^=;]*?\s=\s([^;]+);", text):
        found.append((m.start(1), m.end(1), "value"))
    for block in re.finditer(r"\balways_(ff|comb)\b", text):
        end = text.find("\n  end\n", block.start())
        inner = text[block.start():end if end > 0 else len(text)]
        following = re.search(r"\balways_(ff|comb)\b|\bendmodule\b", inner[8:])
        inner = inner[:following.start() + 8] if following else inner
        begin = block.start()
        for m in re.finditer(r"(?:begin|;|\)|else|:)\s+([a-z]\w*(?:\[[^;=]*?\])?(?:\.\w+)?)\s<?=\s([^;]+);", inner):
            found.append((begin + m.start(2), begin + m.end(2), "value"))
        for m in re.finditer(r"\bif\s\(", inner):
            close = condition_at(inner, m.end() - 1)
            # What is generated depends on constants alone.
            if close > 0 and not re.match(r"\)\s*begin\s*:\s*gen_", inner[close:]):
                found.append((begin + m.end(), begin + close, "condition"))
    return sorted(set(f for f in found if is_balanced(text[f[0]:f[1]]) and "'{" not in text[f[0]:f[1]]))


def cpp_expressions(text):
    found = []
    for m in re.finditer(r"\breturn\s([^;{}\[]+);", text):
        found.append((m.start(1), m.end(1), "value"))
    for m in re.finditer(r"(?:^|\n)\s+(?:const\s)?(?:[\w:<>]+[&*]?\s)?[a-z][\w.\->]*\s[+\-]?=\s([^;{}\[]+);", text):
        found.append((m.start(1), m.end(1), "value"))
    for m in re.finditer(r"\b(?:if|while)\s\(", text):
        close = condition_at(text, m.end() - 1)
        if close > 0 and not re.search(r";|[^=!<>]=[^=]|\{|\[", text[m.end():close]):
            found.append((m.end(), close, "condition"))
    return sorted(set(f for f in found if is_balanced(text[f[0]:f[1]])))


def changes(expression, kind, rules):
    """All that one change makes of an expression."""
    made = []
    for pattern, to in rules:
        for m in re.finditer(pattern, expression):
            new = str(int(m[1]) + 1) + ("U" if m[0].endswith("U") else "") if to == "+1" else to
            changed = expression[:m.start()] + new + expression[m.end():]
            made.append((changed, f"{m[0].strip()} -> {new or 'nothing'}"))
    if kind == "condition":
        made.append(("MUTANT_TRUE", "condition dropped"))
    return made


def known():
    """(file, what, expression) of tests/mutation/known.txt, to why nobody notices."""
    reasons = {}
    for line in (TOP / "tests/mutation/known.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            file, what, old, why = re.fullmatch(r"(\S+) \| (.+?) \| (.+) \| (.+?)", line).groups()
            reasons[file, what, old] = why
    return reasons


def find(files, expressions, rules, count, rng, tree):
    """`count` mutants, at most one in an expression, every expression as likely."""
    sites = []
    for file in files:
        text = without_comments((tree / file).read_text())
        for begin, end, kind in expressions(text):
            options = changes(text[begin:end], kind, rules)
            if options:
                sites.append((file, begin, end, kind, options))
    # Expressions within others would be cut twice.
    flat, last = [], {}
    for site in sorted(sites, key=lambda s: (s[0], s[1])):
        if site[1] >= last.get(site[0], -1):
            flat.append(site)
            last[site[0]] = site[2]
    chosen = rng.sample(flat, min(count, len(flat)))
    return [(file, begin, end, kind, *rng.choice(options)) for file, begin, end, kind, options in chosen], len(flat)


def apply(tree, mutants, is_rtl):
    by_file = {}
    for number, mutant in mutants.items():
        by_file.setdefault(mutant["file"], []).append((number, mutant))
    for file, several in by_file.items():
        text = (tree / file).read_text()
        for number, m in sorted(several, key=lambda s: -s[1]["begin"]):
            old = text[m["begin"]:m["end"]]
            if is_rtl:
                new = m["new"].replace("MUTANT_TRUE", "1'b1")
                both = f"((mutant_pkg::number == {number}) ? ({new}) : ({old}))"
            else:
                new = m["new"].replace("MUTANT_TRUE", "true")
                # A condition and its opposite may be of two types, an optional and a bool, whose common type is another.
                of = "static_cast<bool>" if m["kind"] == "condition" else ""
                both = f"(mutant_number() == {number} ? {of}({new}) : {of}({old}))"
            text = text[:m["begin"]] + both + text[m["end"]:]
        if not is_rtl:
            text = '#include "mutant.hpp"\n' + text
        (tree / file).write_text(text)


def copy_sources(tree):
    shutil.rmtree(tree, ignore_errors=True)
    for name in subprocess.run(["git", "ls-files"], cwd=TOP, check=True, capture_output=True,
                               text=True).stdout.splitlines():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(TOP / name, tree / name)


def add_selectors(tree):
    """The number of the mutant, for both languages."""
    (tree / "mutant.hpp").write_text(
        "#pragma once\n#include <cstdlib>\ninline int mutant_number() {\n"
        "  static const int number = [] { const char* n = std::getenv(\"TESSERA_MUTANT\"); "
        "return n == nullptr ? 0 : std::atoi(n); }();\n  return number;\n}\n")
    (tree / "rtl/packages/mutant_pkg.sv").write_text(
        "package mutant_pkg;\n  import \"DPI-C\" function int tessera_mutant();\n"
        "  int number = tessera_mutant();\nendpackage\n")
    for files, package in ((tree / "rtl/files.f", "packages/mutant_pkg.sv"), (tree / "rtl/micro/files.f", "../packages/mutant_pkg.sv")):
        files.write_text(package + "\n" + files.read_text())
    wrapper = tree / "sim/verilated/model.cpp"
    wrapper.write_text(wrapper.read_text() + '\n#include "mutant.hpp"\n'
                       'extern "C" int tessera_mutant() { return mutant_number(); }\n')


TARGETS = ["soak", "rtl_test", "scheduler_test", "programs", "cosim", "variant"]


def numbers_near(text, selector):
    """Of the mutants on lines of sources that a compiler's errors name."""
    bad = set()
    for file, line in re.findall(r"^(?:%Error(?:-\w+)?: )?(/\S+?):(\d+):\d+:(?= error| \w)", text, re.MULTILINE):
        lines = Path(file).read_text().splitlines()
        for at in range(max(0, int(line) - 4), min(len(lines), int(line) + 3)):
            bad |= {int(n) for n in re.findall(selector + r" == (\d+)", lines[at])}
    return bad


def verilate(tree, out):
    """Builds the presets; the mutants with which that does not work."""
    environment = {**os.environ, "TESSERA_DATA_DIR": str(tree), "TESSERA_CACHE_DIR": str(tree / "cache")}
    done = subprocess.run([out / "variant", "build", "micro", "nano", "tiny", "small", "medium", "large"], env=environment,
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return set()
    bad = numbers_near("\n".join(l for l in done.stderr.splitlines() if l.startswith("%Error")), "mutant_pkg::number")
    if not bad:
        sys.exit("the copy's RTL does not build:\n" + done.stderr[-4000:])
    return bad


def build(tree, out, mutants):
    """Builds; mutants that do not compile are taken out."""
    configure = ["cmake", "-S", tree, "-B", out, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_CXX_FLAGS=-w"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["ninja", "-C", out, "-k", "0", *TARGETS], capture_output=True, text=True,
                          check=False)
    if done.returncode == 0:
        return set()
    bad = numbers_near("\n".join(l for l in done.stdout.splitlines() if ": error" in l), r"mutant_number\(\)")
    if not bad:
        sys.exit("the copy does not build:\n" + done.stdout[-4000:])
    return bad


# Suites of rtl_test in the order in which they notice most in the least time; the last line is all others.
RTL_SUITES = ["*Faults*:Registers*:Presets/StreamChecksum*", "Presets/Streams*-*Far*", "IllegalWords*:Features*-*Multipliers*",
              "*RandomConvolutions*:*RandomOperators*tiny*:*RandomOperators*small*"]
# Of the commands below those that notice nearly all that is noticed: of the scheduler's, and of the RTL's.
QUICK = {False: 2, True: len(RTL_SUITES)}
NOT_USUAL = "*Long*:BuiltIn/*:Topologies/*:*Networks*:*Tables*"


def test_commands(out, mutant):
    """Of scripts/test.sh and of the parts of scripts/verify.sh: who, a command, and the seconds after which it hangs."""
    def suites(program, limit, which, part="test.sh", times=1):
        return part, ["env", f"TESSERA_CASES={times}", out / "tests" / program, "--gtest_fail_fast", "--gtest_brief=1",
                      f"--gtest_filter={which}"], limit

    def soak(engine, cases, first, limit, *more, part="test.sh"):
        return part, [out / "tests/soak", "--engine", engine, "--cases", str(cases), "--from", str(first), "--jobs", "1",
                      *more], limit

    if mutant["rtl"]:
        others = ":".join(s.replace("-", ":") for s in RTL_SUITES[:1])
        return [*[suites("rtl_test", 120, s) for s in RTL_SUITES],
                suites("rtl_test", 600, f"*-{NOT_USUAL}:{others}:Presets/Streams*:IllegalWords*:*RandomConvolutions*"),
                soak("rtl", 340, 0, 240, "--preset", "small", part="soak"),
                soak("rtl", 240, 0, 240, "--preset", "tiny", part="soak"),
                suites("rtl_test", 600, "Presets/Streams*", "random", 4)]
    figures = [sys.executable, TOP / "tests/scheduler/figures.py", out / "cosim"]
    return [suites("scheduler_test", 60, "*RandomFigures*"),
            soak("tlm", 600, 0, 120),
            suites("scheduler_test", 240, "*-*Long*:*RandomFigures*"),
            ("test.sh", figures, 120),
            suites("rtl_test", 240, "DamagedPrograms*:RandomHardware*"),
            soak("tlm", 1500, 1000, 240, part="soak"),
            suites("rtl_test", 400, "DamagedPrograms*", "random", 5),
            suites("scheduler_test", 400, "*Long*", "searches")]


RANDOM_NETWORKS = 2000


def programs_of(number, tree, out):
    """What the scheduler makes of random networks, a line for each; None when it does not come to an end."""
    environment = {**os.environ, "TESSERA_MUTANT": str(number), "TESSERA_DATA_DIR": str(tree)}
    try:
        return subprocess.run([out / "tests/programs", "10000", str(RANDOM_NETWORKS)], env=environment, cwd=out, timeout=300,
                              capture_output=True, text=True, check=True).stdout
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None


def run_one(number, mutant, tree, out, commands):
    """Who noticed, of test.sh and the parts, and with which command; None when nobody did."""
    environment = {**os.environ, "TESSERA_MUTANT": str(number), "TESSERA_DATA_DIR": str(tree), "TESSERA_SEED": "1",
                   "TESSERA_CACHE_DIR": str(tree / "cache"), "TESSERA_SHARED": os.environ.get("TESSERA_SHARED", str(TOP.parent / "shared"))}
    for who, command, limit in commands:
        command = [str(c) for c in command]
        # Of a processor, as other work may run beside it; by the clock for what waits. What tests Verilate is built by the run without a mutant.
        limits = {} if number == 0 else {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)), "timeout": 10 * limit}
        try:
            done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, cwd=out, stderr=subprocess.DEVNULL, check=False, **limits)
        except subprocess.TimeoutExpired:
            return who, "time is over: " + " ".join(command)
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return who, "time is over: " + " ".join(command)
        if done.returncode not in (0, 77):
            return who, " ".join(command)
    return None


def draw(tree, options):
    rng = random.Random(options.seed)
    rtl_files = [f"rtl/{f}" for f in (TOP / "rtl/files.f").read_text().split()
                 if not f.startswith(("generated/", "packages/"))]
    cpp_files = sorted(str(p.relative_to(TOP)) for p in (TOP / "scheduler").rglob("*.cpp"))
    mutants, number = {}, 0
    for files, expressions, rules, count, is_rtl in (
            (rtl_files, rtl_expressions, RTL, options.rtl, True),
            (cpp_files, cpp_expressions, CPP, options.scheduler, False)):
        chosen, of = find(files, expressions, rules, count, rng, tree)
        print(f"{'RTL' if is_rtl else 'scheduler'}: {len(chosen)} of {of} expressions")
        for file, begin, end, kind, new, what in sorted(chosen):
            number += 1
            text = (TOP / file).read_text()
            mutants[number] = {"file": file, "line": text.count("\n", 0, begin) + 1, "begin": begin, "end": end,
                               "old": " ".join(text[begin:end].split()), "new": new, "what": what, "kind": kind, "rtl": is_rtl}
    return mutants


def sources_now():
    """Of what mutants are drawn from, and of the tests that they meet."""
    digest = hashlib.sha256()
    for name in subprocess.run(["git", "ls-files", "rtl", "scheduler", "timing", "sim", "tests", "scripts/mutate.py"], cwd=TOP, check=True,
                               capture_output=True, text=True).stdout.splitlines():
        digest.update(name.encode() + ((TOP / name).read_bytes() if (TOP / name).exists() else b""))
    return digest.hexdigest()


# Changes that a host notices: file, expression, what becomes of it.
CHANGES_SOMETHING = [("rtl/control/register_file.sv", "!aw_held_q", "aw_held_q"), ("rtl/control/register_file.sv", "!w_held_q", "1'b1")]


def check_proofs(work):
    """A proof that proves these equal proves anything; and one that cannot prove an expression equal to itself proves nothing."""
    for i, (file, old, new) in enumerate([*CHANGES_SOMETHING, ("rtl/control/register_file.sv", "!aw_held_q", "!aw_held_q")]):
        begin = (TOP / file).read_text().index(f" = {old};") + 3
        if is_proved_equal(file, begin, begin + len(old), new, work / "equal" / f"check{i}") != (old == new):
            sys.exit(f"{file}: `{new}` in the place of `{old}` is {'not ' if old == new else ''}proved to change nothing")


def make(work, options):
    """The copy of the sources with all mutants that compile, built, and what its tests need."""
    tree, out = work / "tree", work / "build"
    drawn = draw(TOP, options)
    work.mkdir(parents=True, exist_ok=True)
    check_proofs(work)
    refused = set()
    while True:
        copy_sources(tree)
        add_selectors(tree)
        left = {n: m for n, m in drawn.items() if n not in refused}
        apply(tree, {n: m for n, m in left.items() if m["rtl"]}, True)
        apply(tree, {n: m for n, m in left.items() if not m["rtl"]}, False)
        (tree / "cache").mkdir()
        bad = build(tree, out, left) or verilate(tree, out)
        if not bad:
            break
        print(f"do not compile: {sorted(bad)}", flush=True)
        refused |= bad
    for is_rtl in (True, False):
        failed = run_one(0, {"rtl": is_rtl}, tree, out, test_commands(out, {"rtl": is_rtl}))
        if failed:
            sys.exit(f"without a mutant: {failed}")
    shutil.rmtree(work / "results", ignore_errors=True)
    (work / "results").mkdir()
    (work / "sources").write_text(sources_now())
    (work / "drawn.json").write_text(json.dumps(left, indent=1))
    print(f"{len(left)} mutants, {len(refused)} did not compile")


def try_one(work, number, mutant):
    """A mutant's result, kept in a file of its own."""
    tree, out = work / "tree", work / "build"
    begun = time.monotonic()
    commands = test_commands(out, mutant)
    quick = commands[:QUICK[mutant["rtl"]]]
    found = run_one(number, mutant, tree, out, quick)
    is_known = (mutant["file"], mutant["what"], mutant["old"]) in known()
    equal = not found and not is_known and mutant["rtl"] and is_proved_equal(
        mutant["file"], mutant["begin"], mutant["end"], mutant["new"].replace("MUTANT_TRUE", "1'b1"), work / "equal" / str(number))
    # The others take five times as long, and in what is proved to be equal, or was looked at, they find nothing.
    if not found and not equal and not is_known:
        found = run_one(number, mutant, tree, out, commands[len(quick):])
    result = {**mutant, "killed_by": found[0] if found else None, "command": found[1] if found else None}
    if not found:
        # The program checker has no part in what programs are.
        of_programs = not mutant["rtl"] and not mutant["file"].startswith("scheduler/check/")
        result["changes_nothing"] = equal or of_programs and programs_of(number, tree, out) == programs_of(0, tree, out)
    result["seconds"] = round(time.monotonic() - begun)
    part = work / "results" / f"{number}.part"
    part.write_text(json.dumps(result, indent=1))
    part.rename(work / "results" / f"{number}.json")
    return result


def place_of(number, mutant):
    return f"{number} {mutant['file']}:{mutant['line']}: {mutant['what']}: {mutant['old']}"


def run(work, drawn, options):
    at, of = (int(n) for n in options.slice.split("/"))
    chosen = [n for n in sorted(drawn) if n % of == at % of and (not options.only or n in options.only)
              and not (work / "results" / f"{n}.json").exists()]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(try_one, work, n, drawn[n]): n for n in chosen}
        for future in concurrent.futures.as_completed(futures):
            n, result = futures[future], future.result()
            if result["killed_by"] != "test.sh":
                print(f"{result['killed_by'] or 'SURVIVES'}: {place_of(n, drawn[n])}", flush=True)


def table(work):
    results = [json.loads(p.read_text()) for p in (work / "results").glob("*.json")]
    for is_rtl, name in ((True, "RTL"), (False, "scheduler")):
        of = [r for r in results if r["rtl"] == is_rtl]
        killed = [r for r in of if r["killed_by"]]
        usual = sum(1 for r in killed if r["killed_by"] == "test.sh")
        nothing = sum(1 for r in of if r.get("changes_nothing"))
        looked_at = sum(1 for r in of if not r["killed_by"] and not r.get("changes_nothing") and
                        (r["file"], r["what"], r["old"]) in known())
        share = f" ({100 * usual / len(killed):.1f} %)" if killed else ""
        print(f"{name}: {len(of)} tried, {len(killed)} noticed, {usual} of them by scripts/test.sh{share}, the others by "
              f"{', '.join(sorted({r['killed_by'] for r in killed} - {'test.sh'})) or 'nobody'}; {len(of) - len(killed)} survive, "
              f"{nothing} of these change nothing, {looked_at} were looked at")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "run", "table", "list"])
    parser.add_argument("work", type=Path)
    parser.add_argument("--rtl", type=int, default=250)
    parser.add_argument("--scheduler", type=int, default=192)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--slice", default="0/1")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of mutants")
    options = parser.parse_args()
    work = options.work.resolve()
    if options.what == "build":
        make(work, options)
        return
    if not (work / "drawn.json").exists():
        sys.exit(f"nothing was drawn: mutate.py build {options.work}")
    if options.what == "run" and (work / "sources").read_text() != sources_now():
        sys.exit(f"{options.work} is of other sources: mutate.py build {options.work}")
    drawn = {int(n): m for n, m in json.loads((work / "drawn.json").read_text()).items()}
    if options.what == "run":
        run(work, drawn, options)
        # One that survives, and is not known to change nothing, is a hole in the tests.
        at, of = (int(n) for n in options.slice.split("/"))
        results = [json.loads((work / "results" / f"{n}.json").read_text()) for n in drawn if n % of == at % of]
        looked_at = known()
        sys.exit(0 if all(r["killed_by"] or r["changes_nothing"] or (r["file"], r["what"], r["old"]) in looked_at
                          for r in results) else 1)
    if options.what == "list":
        print("\n".join(place_of(n, drawn[n]) for n in sorted(drawn)))
    else:
        table(work)


if __name__ == "__main__":
    main()
