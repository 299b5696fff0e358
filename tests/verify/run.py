#!/usr/bin/env python3
"""scripts/verify.sh in a repository made for it, with steps that take no time: run.py. Says what it has checked."""

import concurrent.futures
import importlib
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

ARCHITECTURE = """# Architecture
## The rooms
| room | what |
| --- | --- |
| `ground` | |
| `ground/cellar` | |
| `tower` | |
| `rtl/cells` | |
| `rtl` | |

## Besides
"""
# Steps leave a line in `ran`, which lies beside the repository.
PLAN = r"""
[parts.plain]
what = "steps that pass | or not"
steps = ["echo plain-1 >>../ran", "echo plain-2 >>../ran; test ! -e ../broken || { seq 100; exit 3; }"]
build = []
jobs = 1
rooms = ["ground", "ground/*"]
minutes = 1

[parts.numbered]
what = "numbered steps"
count = 3
step = "n={i*4+1}; echo numbered-{i}-{i+7}-{i*2}-${n} >>../ran"
build = []
rooms = ["tower"]
files = ["*.txt", "data/**.csv"]
minutes = 2.5

[parts.skips]
what = "skipped, all or some"
steps = ["echo no such tool; exit 77", "test -e ../tool || { echo none; exit 77; }"]
build = []
rtl = ["rtl/files.f"]
minutes = 1

[parts.tests]
what = "tests with a label"
ctest = "^verify-tests$"
rooms = ["*"]
files = ["docs/other.md"]
minutes = 20
install = ["some"]
timeout = 5

[parts.slow]
what = "one that is stopped"
steps = ["echo slow-1 >>../ran", "echo slow-2 >>../ran; test ! -e ../wait || { sleep 50 & echo $! >../sleeper; wait; }", "echo slow-3 >>../ran"]
build = []
jobs = 1
files = ["scripts/verify.toml"]
minutes = 1
"""
CTEST = r"""
add_test("maker" "/bin/sh" "-c" "echo maker >>../../../ran")
set_tests_properties("maker" PROPERTIES FIXTURES_SETUP "made" LABELS "other")
add_test("a.b/c+(d)" "/bin/sh" "-c" "echo a >>../../../ran")
set_tests_properties("a.b/c+(d)" PROPERTIES FIXTURES_REQUIRED "made" LABELS "verify-tests")
add_test("aXb/c+(d)" "/bin/sh" "-c" "echo aX >>../../../ran; test ! -e ../../../broken")
set_tests_properties("aXb/c+(d)" PROPERTIES FIXTURES_REQUIRED "made" LABELS "rtl;verify-tests")
add_test("without" "/bin/sh" "-c" "echo no solver; exit 77")
set_tests_properties("without" PROPERTIES SKIP_RETURN_CODE 77 LABELS "verify-tests")
add_test("another" "/bin/sh" "-c" "echo another >>../../../ran")
set_tests_properties("another" PROPERTIES LABELS "verify-tests-too")
"""
INSTALL = """#!/usr/bin/env bash
# Installs: scripts/install.sh [some|more].
echo "install $1" >>../ran
test ! -e ../offline || { echo "no network"; exit 4; }
"""
FILES = {
    "docs/results/verified.json": '{"schema": "tessera.verified/1", "parts": {}}\n',
    "docs/explanation/architecture.md": ARCHITECTURE, "scripts/verify.toml": PLAN, "scripts/install.sh": INSTALL, ".gitignore": "build/\n__pycache__/\n",
    "CONTRIBUTING.md": "# Working\n\n<!-- verify parts -->\n<!-- end of verify parts -->\nmore\n",
    "ground/a.cpp": "a\n", "ground/cellar/b.cpp": "b\n", "ground/loose/c.js": "c\n", "tower/t.cpp": "t\n", "notes.txt": "", "docs/other.md": "",
    "data/deep/d.csv": "", "bench/x.cpp": "", "rtl/files.f": "cells/cell.sv\n../rtl/top.sv\n", "rtl/cells/cell.sv": "", "rtl/top.sv": "",
}


def check(good, what, *more):
    if not good:
        print(f"NOT SO: {what}", *more, sep="\n")
        sys.exit(1)


class Repository:
    def __init__(self, around):
        self.around, self.top = around, around / "tree"
        for name, text in FILES.items():
            self.write(name, text)
        (self.top / "scripts/install.sh").chmod(0o755)
        for name in ("verify.sh", "verify.py"):
            shutil.copy2(SCRIPTS / name, self.top / "scripts" / name)
        shutil.copytree(SCRIPTS / "verify_lib", self.top / "scripts/verify_lib", ignore=shutil.ignore_patterns("__pycache__"))
        self.write("build/release/CTestTestfile.cmake", CTEST)
        self.write("build/release/build.ninja", "rule make\n  command = echo build >>../../../ran && touch $out\nbuild all: make\n")
        self.git("init", "--quiet")
        self.commit()

    def write(self, name, text):
        (self.top / name).parent.mkdir(parents=True, exist_ok=True)
        (self.top / name).write_text(text)

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *words], cwd=self.top, check=True, capture_output=True,
                              text=True).stdout.strip()

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def command(self, *words):
        return [str(self.top / "scripts/verify.sh"), *words]

    def verify(self, *words, code=0):
        """What it says; and what ran, in `ran`."""
        (self.around / "ran").write_text("")
        done = subprocess.run(self.command(*words), cwd=self.top, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.ran = (self.around / "ran").read_text().split()
        check(done.returncode == code, f"{' '.join(words)} ends with {code}", done.returncode, done.stdout)
        return done.stdout

    def module(self, name):
        """One of those here, to ask it often."""
        if sys.path[0] != str(self.top / "scripts"):
            sys.path.insert(0, str(self.top / "scripts"))
        return importlib.import_module(f"verify_lib.{name}")

    def record(self):
        return json.loads((self.top / "docs/results/verified.json").read_text())["parts"]

    def text(self, name):
        return (self.top / name).read_text()

    def mark(self, name, there=True):
        (self.around / name).touch() if there else (self.around / name).unlink()


def passes_and_is_written_down(repo):
    head = repo.git("rev-parse", "HEAD")
    said = repo.verify("plain")
    check(repo.ran == ["plain-1", "plain-2"], "both steps, in order", repo.ran)
    check("[2/2] plain step-2" in said and re.search(r"plain +passed +2 ", said), "progress and table", said)
    entry = repo.record()["plain"]
    check(entry["commit"] == head == entry["passed_at"] and entry["clean"] and entry["result"] == "passed" and entry["steps"] == 2
          and re.fullmatch(r"\d{4}-\d\d-\d\d", entry["date"]) and {"seconds", "processor_seconds"} < entry.keys(), "the record", entry)
    text = repo.text("docs/results/verified.json")
    check(text == json.dumps(json.loads(text), indent=1, sort_keys=True) + "\n", "its form", text)
    page = repo.text("docs/results/verified.md")
    check(f"`{head[:10]}` | passed |" in page and "steps that pass \\| or not" in page, "the page has it", page)
    check("| numbered | numbered steps | not yet |" in page, "what never ran says so", page)
    table = repo.text("CONTRIBUTING.md")
    check("| any room | tests |\n| `ground`, `ground/cellar` | plain |\n| `tower` | numbered |\n| `rtl/cells`, `rtl` | skips |\n" in table
          and table.endswith("parts -->\nmore\n"), "the table of rooms", table)
    repo.verify("plain")
    check(repo.ran == [], "nothing is run twice", repo.ran)
    repo.commit()
    repo.verify("plain")
    check(repo.ran == [] and repo.record()["plain"]["clean"], "the record itself is no change", repo.record())
    repo.verify("plain", "--again")
    check(len(repo.ran) == 2, "--again forgets", repo.ran)


def pages_are_checked(repo):
    repo.verify("--check-page")
    for name in ("docs/results/verified.md", "CONTRIBUTING.md"):
        repo.write(name, repo.text(name).replace("| plain |", "| pla |"))
        if name == "CONTRIBUTING.md":
            repo.write(name, repo.text(name).replace("| `tower` |", "| `t` |"))
        check(f"{name} is not current" in repo.verify("--check-page", code=1), f"a stale {name} is noticed")
        repo.verify("--page")
        repo.verify("--check-page")
    repo.write("CONTRIBUTING.md", "none\n")
    repo.verify("--page")
    check(repo.text("CONTRIBUTING.md") == "none\n", "no table without its place")
    repo.git("checkout", "CONTRIBUTING.md")
    check(re.search(r"plain +1  passed at \w{10}", repo.verify("--list")), "--list knows the last result")


def failures(repo):
    repo.mark("broken")
    said = repo.verify("plain", "--again", code=1)
    check("    100\n" in said and "    71\n" in said and "    70\n" not in said, "30 lines of the log", said)
    check("failed (exit code 3)" in said and repo.record()["plain"]["result"] == "failed", "a failure is one", said)
    repo.mark("broken", False)
    said = repo.verify("plain")
    check(repo.ran == ["plain-2"] and "1 of 2 steps were done before" in said, "only what failed is run again", repo.ran)
    check("no such part: nowhere" in repo.verify("nowhere", code=1), "unknown parts are told")


def numbers_and_skips(repo):
    repo.verify("numbered")
    check(sorted(repo.ran) == ["numbered-0-7-0-1", "numbered-1-8-2-5", "numbered-2-9-4-9"], "{i} is calculated", repo.ran)
    said = repo.verify("skips")
    check("skipped (no such tool)" in said and repo.record()["skips"]["result"] == "skipped", "why it was skipped", said)
    check("passed_at" not in repo.record()["skips"], "skipped is not passed")
    repo.mark("tool")
    repo.verify("skips", "--again")
    check(repo.record()["skips"]["result"] == "passed, 1 skipped", "some were skipped", repo.record())


def labelled_tests(repo):
    said = repo.verify("tests")
    check(repo.ran[:3] == ["install", "some", "build"], "installed and built first", repo.ran)
    check(repo.ran[3] == "maker" and sorted(repo.ran[4:]) == ["a", "aX"], "what tests require first, once; no others", repo.ran)
    entry = repo.record()["tests"]
    check(entry["result"] == "passed, 1 skipped" and entry["steps"] == 3, "a skipped test counts as such", entry)
    check("tests without: skipped (no solver)" in said, "why a test was skipped", said)
    repo.mark("broken")
    repo.verify("tests", "--again", code=1)
    repo.mark("broken", False)
    repo.verify("tests")
    check(repo.ran[2:] == ["aX"], "the one that failed, without what was made", repo.ran)
    repo.mark("offline")
    check("no network" in repo.verify("tests", code=1) and repo.ran == ["install", "some"], "nothing without what is to be installed")
    repo.mark("offline", False)
    for change, why in ((("verify-tests", "tests-of-verify"), "nothing was compared"), (('"/bin/sh" "-c" "echo a ', '"/no/sh" "-c" "echo a '), "failed"),
                        (('"rtl;verify-tests"', '"verify-tests" RESOURCE_LOCK "one"'), "jobs: must be 1, as aXb/c+(d) does not run beside others"),
                        (('"echo maker', '"exit 1; echo'), "what the other steps need is not there")):
        before = repo.record()
        repo.write("build/release/CTestTestfile.cmake", CTEST.replace(*change))
        said = repo.verify("tests", "--again", code=1)
        check(why in said, f"{why} is told", said)
        check(why == "failed" or repo.record() == before, "what was not run whole is not written down")
    repo.write("build/release/CTestTestfile.cmake", CTEST)


def is_running(number):
    try:
        # One that nobody has waited for yet has ended, too.
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def stops_and_goes_on(repo):
    repo.mark("wait")
    (repo.around / "ran").write_text("")
    call = subprocess.Popen(repo.command("slow"), cwd=repo.top, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until = time.monotonic() + 10
    while not ((repo.around / "sleeper").exists() and (repo.around / "sleeper").read_text()) and time.monotonic() < until:
        time.sleep(0.01)
    check("another scripts/verify.sh runs here" in repo.verify("plain", code=1), "one at a time")
    call.send_signal(signal.SIGTERM)
    said = call.communicate(timeout=10)[0]
    check(call.returncode == 128 + signal.SIGTERM and "stopped" in said, "stopped by a signal", call.returncode, said)
    check(not is_running((repo.around / "sleeper").read_text().strip()), "what a step started ends with it")
    check("slow" not in repo.record(), "a part that was stopped says nothing")
    check("step-1" not in repo.verify("slow", "--plan") and repo.ran == [], "--plan has what is left and runs nothing")
    repo.mark("wait", False)
    repo.verify("slow")
    check(repo.ran == ["slow-2", "slow-3"] and repo.record()["slow"]["result"] == "passed", "goes on where it was", repo.ran)


def sources_decide(repo):
    repo.write("tower/new.cpp", "n\n")
    repo.verify("numbered")
    check(len(repo.ran) == 3 and not repo.record()["numbered"]["clean"], "a file that is not committed counts", repo.ran)
    commit = repo.commit()
    repo.verify("numbered")
    entry = repo.record()["numbered"]
    check(repo.ran == [] and entry["clean"] and entry["commit"] == commit, "committed, it is the same", repo.ran, entry)
    changed = repo.text("scripts/verify.toml").replace("echo plain-1 >>../ran", "echo x >>ground/a.cpp")
    repo.write("scripts/verify.toml", changed)
    before = repo.record()
    said = repo.verify("plain", code=1)
    check("sources changed meanwhile" in said and "ground/a.cpp" in said and repo.record() == before, "a change while it runs", said)
    late = repo.text("scripts/verify.toml").replace("echo x >>ground/a.cpp", "sleep 9").replace("jobs = 1\nrooms", "jobs = 1\ntimeout = 1\nrooms", 1)
    repo.write("scripts/verify.toml", late)
    check("failed (not done after 1 s)" in repo.verify("plain", code=1), "time is over")
    repo.git("checkout", "--", "scripts", "ground")


def last_clean_pass(repo):
    repo.verify("plain", "--again")
    commit = repo.git("rev-parse", "HEAD")
    check(repo.verify("--last", "plain") == commit + "\n", "--last is the commit")
    repo.commit()
    repo.mark("broken")
    repo.write("notes.txt", "other\n")
    repo.verify("plain", code=1)
    check(repo.verify("--last", "plain") == commit + "\n", "also after it failed")
    repo.mark("broken", False)
    repo.verify("plain")
    check(repo.verify("--last", "plain") == commit + "\n", "and passed with changes")
    check(repo.verify("--last", "skips", code=1) == "" == repo.verify("--last", "nowhere", code=1), "nothing when there is none")
    repo.git("stash", "--quiet")
    repo.git("checkout", "--quiet", "--orphan", "elsewhere")
    repo.commit()
    check(repo.verify("--last", "plain", code=1) == "", "nor from another history")
    for name, content in (("docs/results/verified.json", "{"), ("docs/results/verified.json", '{"schema": "other"}')):
        kept = repo.text(name)
        repo.write(name, content)
        check("verify: docs/results/verified.json: " in repo.verify("--list", code=1), "a broken record is told")
        repo.write(name, kept)


def changes_ask_for_parts(repo):
    plan, places, choice = (repo.module(name) for name in ("plan", "places", "choice"))
    where = places.Places(*plan.read())
    for path, wanted in (("ground/a.cpp", ["plain", "tests"]), ("ground/loose/c.js", ["plain", "tests"]), ("tower/fresh.cpp", ["numbered", "tests"]),
                         ("rtl/cells/cell.sv", ["skips", "tests"]), ("rtl/cells/unlisted.sv", ["skips", "tests"]), ("rtl/files.f", ["skips", "tests"]),
                         ("notes.txt", ["numbered"]), ("deep/notes.txt", []), ("data/deep/d.csv", ["numbered"]), ("data/d.csv", ["numbered"]),
                         ("bench/x.cpp", []), ("CONTRIBUTING.md", [])):
        found = choice.touched([path], where)
        check(list(found.parts) == wanted, f"{path} asks for {wanted}", found)
        check(found.alone == ([path] if not wanted and path != "CONTRIBUTING.md" else []), f"whether {path} is for scripts/test.sh alone", found)
    repo.write("tower/fresh.cpp", "x\n")
    repo.git("rm", "--quiet", "bench/x.cpp")
    said = repo.verify("--since", "HEAD", "--plan")
    check("numbered: tower/fresh.cpp\n" in said and "covered by scripts/test.sh alone: bench/x.cpp\n" in said and "plain" not in said
          and repo.ran == [], "what is not committed, new and removed", said)
    repo.git("reset", "--quiet", "--hard")
    repo.git("clean", "--quiet", "--force", "tower")
    check(repo.verify("--since", "HEAD").startswith("no part is touched"), "nothing has changed")
    (repo.top / "rtl/cells/cell.sv").rename(repo.top / "tower/cell.sv")
    check("rtl/files.f names rtl/cells/cell.sv, which does not exist" in repo.verify("--since", "HEAD", code=1), "a list without its file")
    repo.write("rtl/files.f", "top.sv\n")
    said = repo.verify("--since", "HEAD", code=1)
    check("no part names the room rtl/cells" in said, "a room without a part, as its file is listed no more", said)
    repo.git("clean", "--quiet", "--force", "tower")
    repo.git("checkout", "--", ".")
    commit = repo.git("rev-parse", "HEAD")
    repo.write("tower/t.cpp", "more\n")
    repo.commit()
    said = repo.verify("--since", commit, "numbered", "plain")
    check(len(repo.ran) == 3 and "plain" not in said, "those of the named that are asked for", said)
    check("no such commit: nowhere" in repo.verify("--since", "nowhere", code=1), "an unknown commit is told")


def wrong_plans(repo):
    plan, problem = repo.module("plan"), repo.module("problem").Problem
    wrong = [
        ('what = "numbered steps"', "what = 3", "numbered: what: must be one line of text"),
        ('what = "numbered steps"', "", "numbered: what: missing"),
        ("minutes = 2.5", "", "numbered: minutes: missing"),
        ("minutes = 2.5", "minutes = 20.5", "numbered: minutes: must be above 0 and at most 20"),
        ("minutes = 2.5", "minutes = true", "numbered: minutes: must be above 0"),
        ("minutes = 2.5", "minutes = 2\ncolour = 1", "numbered: colour: unknown"),
        ("count = 3", "", "numbered: count: missing"),
        ("count = 3", "count = 0", "numbered: count: must be a whole number above 0"),
        ("{i*2}", "{i-2}", "numbered: step: {i-2} is none of"),
        ('step = "n={i*4+1}; echo numbered-{i}-{i+7}-{i*2}-${n} >>../ran"', 'step = "echo"', "numbered: step: does not use {i}"),
        ('step = "n={i*4+1}; echo numbered-{i}-{i+7}-{i*2}-${n} >>../ran"', "", "numbered: step: missing"),
        ('ctest = "^verify-tests$"', "", "tests: steps: missing"),
        ('ctest = "^verify-tests$"', 'ctest = "("', "tests: ctest: "),
        ('install = ["some"]', 'install = ["other"]', "tests: install: scripts/install.sh knows no other"),
        ('install = ["some"]', 'install = "some"', "tests: install: must be a list of texts"),
        ("timeout = 5", "jobs = 1.5", "tests: jobs: must be a whole number"),
        ('rooms = ["tower"]', 'rooms = ["towers"]', "numbered: rooms: docs/explanation/architecture.md lists no towers"),
        ('rooms = ["tower"]', "", "no part names the room tower"),
        ('"*.txt"', '"*.text"', "numbered: files: there is no *.text"),
        ('rtl = ["rtl/files.f"]', 'rtl = ["rtl/more.f"]', "skips: rtl: there is no file list rtl/more.f"),
        ('rtl = ["rtl/files.f"]', 'rooms = ["rtl", "rtl/cells"]', "no part names the file list rtl/files.f"),
        ('rtl = ["rtl/files.f"]', "", "skips: rooms: missing"),
        ("[parts.skips]", "[parts.Skips_]", "Skips_: names have small letters"),
        ("[parts.skips]", "[part.skips]", "part: unknown; there is only [parts.NAME]"),
        ("[parts.skips]", "[parts.skips", "scripts/verify.toml: "),
        (PLAN, "", "no parts"),
    ]
    text = repo.text("scripts/verify.toml")
    for old, new, said in wrong:
        check(old in text, f"the plan has {old}")
        repo.write("scripts/verify.toml", text.replace(old, new))
        try:
            plan.read()
            check(False, f"noticed: {said}")
        except problem as found:
            check(said in str(found), f"said: {said}", found)
    repo.write("scripts/verify.toml", text.replace("minutes = 2.5", "minutes = 0").replace("timeout = 5", "timeout = 0"))
    said = repo.verify("--list", code=1)
    check("numbered: minutes" in said and "tests: timeout" in said, "all that is wrong at once", said)
    repo.write("scripts/verify.toml", text)
    return len(wrong)


def told(steps):
    """One after another in a repository of their own."""
    with tempfile.TemporaryDirectory() as folder:
        repo = Repository(Path(folder))
        for step in steps:
            begin = time.monotonic()
            count = step(repo)
            print(f"{step.__name__.replace('_', ' ')}{f' ({count})' if count else ''}: {time.monotonic() - begin:.1f} s", flush=True)


def main():
    halves = ((passes_and_is_written_down, pages_are_checked, failures, numbers_and_skips, labelled_tests),
              (stops_and_goes_on, sources_decide, changes_ask_for_parts, wrong_plans, last_clean_pass))
    with concurrent.futures.ThreadPoolExecutor(len(halves)) as pool:
        for half in [pool.submit(told, half) for half in halves]:
            half.result()


if __name__ == "__main__":
    main()
