#!/usr/bin/env python3
"""Breaks RTL and scheduler in one place at a time and counts what the fast tests do not notice.

mutate.py WORK [--rtl N] [--scheduler N] [--seed S] [--jobs J] [--list] [--only ID...]

All mutants are put into one copy of the sources at once, each behind a number that the environment
variable TESSERA_MUTANT chooses: the copy is built once. The results are in WORK/mutants.json.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
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


def find(files, expressions, rules, count, rng, tree):
    """`count` mutants, at most one in an expression, every expression as likely."""
    sites = []
    for file in files:
        text = without_comments((tree / file).read_text())
        for begin, end, kind in expressions(text):
            options = changes(text[begin:end], kind, rules)
            if options:
                sites.append((file, begin, end, options))
    # Expressions within others would be cut twice.
    flat, last = [], {}
    for site in sorted(sites, key=lambda s: (s[0], s[1])):
        if site[1] >= last.get(site[0], -1):
            flat.append(site)
            last[site[0]] = site[2]
    chosen = rng.sample(flat, min(count, len(flat)))
    return [(file, begin, end, *rng.choice(options)) for file, begin, end, options in chosen], len(flat)


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
                both = f"(mutant_number() == {number} ? ({new}) : ({old}))"
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
    files = tree / "rtl/files.f"
    files.write_text("packages/mutant_pkg.sv\n" + files.read_text())
    wrapper = tree / "sim/verilated/model.cpp"
    wrapper.write_text(wrapper.read_text() + '\n#include "mutant.hpp"\n'
                       'extern "C" int tessera_mutant() { return mutant_number(); }\n')


TARGETS = ["soak", "streams_test", "faults_test", "illegal_words_test", "features_test", "scheduler_test", "random_figures_test",
           "damaged_programs_test", "least_traffic_test", "programs", "cosim"]


def build(tree, out, mutants):
    """Builds; mutants that do not compile are taken out."""
    configure = ["cmake", "-S", tree, "-B", out, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DCMAKE_CXX_FLAGS=-w"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["ninja", "-C", out, "-k", "0", *TARGETS], capture_output=True, text=True,
                          check=False)
    if done.returncode == 0:
        return set()
    bad = set()
    for file, line in re.findall(r"^(/\S+?):(\d+):\d+: error", done.stdout, re.MULTILINE):
        text = Path(file).read_text().splitlines()
        for at in range(max(0, int(line) - 4), min(len(text), int(line) + 3)):
            bad |= {int(n) for n in re.findall(r"mutant_number\(\) == (\d+)", text[at])}
    if not bad:
        sys.exit("the copy does not build:\n" + done.stdout[-4000:])
    return bad


def test_commands(out, mutant):
    """Pairs of a command and the seconds after which it hangs: many times what it takes without a mutant."""
    def test(name, limit, which="*"):
        return [out / "tests" / name, "--gtest_fail_fast", f"--gtest_filter={which}"], limit

    def soak(engine, cases, first, limit, *more):
        return [out / "tests/soak", "--engine", engine, "--cases", str(cases), "--from", str(first), "--jobs", "1",
                *more], limit

    if mutant["rtl"]:
        return [soak("rtl", 40, 0, 30, "--preset", "small"),
                test("faults_test", 30),
                soak("rtl", 40, 0, 30, "--preset", "tiny"),
                test("illegal_words_test", 30),
                test("features_test", 60, "Features.RegistersSay*:Features.Without*"),
                test("streams_test", 60, "-*Far*"),
                soak("rtl", 300, 100, 120, "--preset", "small"),
                soak("rtl", 200, 100, 120, "--preset", "tiny"),
                test("streams_test", 120, "*Far*")]
    return [test("random_figures_test", 60),
            soak("tlm", 150, 0, 60),
            test("scheduler_test", 120),
            ([sys.executable, TOP / "tests/scheduler/figures.py", out / "cosim"], 120),
            soak("tlm", 1500, 1000, 120),
            test("damaged_programs_test", 200),
            test("least_traffic_test", 200)]


RANDOM_NETWORKS = 2000


def programs_of(number, tree, out):
    """What the scheduler makes of random networks, a line for each; None when it does not come to an end."""
    environment = {**os.environ, "TESSERA_MUTANT": str(number), "TESSERA_DATA_DIR": str(tree)}
    try:
        return subprocess.run([out / "tests/programs", "10000", str(RANDOM_NETWORKS)], env=environment, cwd=out, timeout=300,
                              capture_output=True, text=True, check=True).stdout
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None


def run_one(number, mutant, tree, out):
    environment = {**os.environ, "TESSERA_MUTANT": str(number), "TESSERA_DATA_DIR": str(tree)}
    for command, limit in test_commands(out, mutant):
        command = [str(c) for c in command]
        if number == 0:
            limit = None  # what the tests Verilate is built by this run
        try:
            done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, cwd=out,
                                  stderr=subprocess.DEVNULL, timeout=limit, check=False)
            if done.returncode != 0:
                return " ".join([Path(command[0]).name, *command[1:]])
        except subprocess.TimeoutExpired:
            return "time is over: " + Path(command[0]).name
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
        for file, begin, end, new, what in sorted(chosen):
            number += 1
            text = (TOP / file).read_text()
            mutants[number] = {"file": file, "line": text.count("\n", 0, begin) + 1, "begin": begin, "end": end,
                               "old": " ".join(text[begin:end].split()), "new": new, "what": what, "rtl": is_rtl}
    return mutants


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--rtl", type=int, default=250)
    parser.add_argument("--scheduler", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true", help="only what would be broken")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of mutants to run (in a copy that is built)")
    options = parser.parse_args()
    work = options.work.resolve()
    tree, out = work / "tree", work / "build"
    drawn = draw(TOP, options)
    if options.list:
        for number, m in drawn.items():
            print(f"{number} {m['file']}:{m['line']}: {m['what']}: {m['old']}")
        return
    work.mkdir(parents=True, exist_ok=True)
    known = work / "refused.json"
    refused = set(json.loads(known.read_text())) if options.only and known.exists() else set()
    if not options.only:
        while True:
            copy_sources(tree)
            add_selectors(tree)
            left = {n: m for n, m in drawn.items() if n not in refused}
            apply(tree, {n: m for n, m in left.items() if m["rtl"]}, True)
            apply(tree, {n: m for n, m in left.items() if not m["rtl"]}, False)
            bad = build(tree, out, left)
            if not bad:
                break
            print(f"do not compile: {sorted(bad)}", flush=True)
            refused |= bad
        known.write_text(json.dumps(sorted(refused)))
        (tree / "cache").mkdir(exist_ok=True)
        for is_rtl in (True, False):
            failed = run_one(0, {"rtl": is_rtl}, tree, out)
            if failed:
                sys.exit(f"without a mutant: {failed}")
    chosen = {n: m for n, m in drawn.items()
              if n not in refused and (not options.only or n in options.only)}
    results = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(run_one, n, m, tree, out): n for n, m in chosen.items()}
        for future in concurrent.futures.as_completed(futures):
            n = futures[future]
            killed = future.result()
            results[n] = {**chosen[n], "killed_by": killed}
            if not killed:
                m = chosen[n]
                print(f"SURVIVES {n} {m['file']}:{m['line']}: {m['what']}: {m['old']}", flush=True)
            (work / "mutants.json").write_text(json.dumps(dict(sorted(results.items())), indent=1))
    alive = sum(1 for r in results.values() if not r["killed_by"])
    as_written = programs_of(0, tree, out)
    for n, r in sorted(results.items()):
        r["proved_equal"] = r["rtl"] and not r["killed_by"] and is_proved_equal(
            r["file"], r["begin"], r["end"], r["new"].replace("MUTANT_TRUE", "1'b1"), work / "equal")
        r["same_programs"] = not r["rtl"] and not r["killed_by"] and programs_of(n, tree, out) == as_written
        if not r["killed_by"]:
            what = ", changes nothing" if r["proved_equal"] else ", makes the same programs" if r["same_programs"] else ""
            print(f"survives{what}: {n} {r['file']}:{r['line']}: {r['what']}: {r['old']}")
    (work / "mutants.json").write_text(json.dumps(dict(sorted(results.items())), indent=1))
    for is_rtl, name in ((True, "RTL"), (False, "scheduler")):
        of = [r for r in results.values() if r["rtl"] == is_rtl]
        print(f"{name}: {len(of)} mutants, {sum(1 for r in of if not r['killed_by'])} survive, "
              f"{sum(1 for r in of if r['proved_equal'])} of them are proved to change nothing, "
              f"{sum(1 for r in of if r['same_programs'])} make the same programs of {RANDOM_NETWORKS} random networks")
    print(f"{len(results)} mutants, {alive} survive, {len(refused)} did not compile")


if __name__ == "__main__":
    main()
