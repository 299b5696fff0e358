"""A part's steps: commands, tests with a label, numbered commands; tests in levels, each of which waits for the one before."""

import json
import re
import shlex
import subprocess
from dataclasses import dataclass

from . import tree
from .plan import numbered
from .problem import Problem


@dataclass(frozen=True)
class Step:
    name: str
    command: str
    level: int = 0
    prepares: bool = False  # compares nothing; without it the others are not run
    is_test: bool = False  # CTest runs it, and says itself what became of it

    @property
    def shown(self):
        return self.name if self.is_test else f"{self.name}: {self.command if len(self.command) < 100 else self.command[:97] + '...'}"


def labelled(regex):
    """Tests with such a label, and those that make what they need first, as CTest lists them."""
    done = subprocess.run(["ctest", "--test-dir", tree.BUILD, "-L", regex, "-N", "--show-only=json-v1"], cwd=tree.TOP,
                          capture_output=True, text=True, check=False, start_new_session=True)
    if done.returncode:
        raise Problem(f"ctest -L '{regex}': {done.stderr.strip()}")
    tests = []
    for test in json.loads(done.stdout)["tests"]:
        tests.append((test["name"], {p["name"]: p["value"] for p in test.get("properties", [])}))
    return tests


def is_labelled(properties, regex):
    return any(re.search(regex, label) for label in properties.get("LABELS", []))


def levels(tests):
    """How many tests have to come before each one, by the fixtures that it requires."""
    makers = {}
    for name, properties in tests:
        for fixture in properties.get("FIXTURES_SETUP", []):
            makers.setdefault(fixture, []).append(name)
    needs = {name: {m for f in properties.get("FIXTURES_REQUIRED", []) for m in makers.get(f, [])} for name, properties in tests}

    def level(name):
        return 1 + max(map(level, needs[name]), default=-1)

    return {name: level(name) for name, _ in tests}


def run_of(name, timeout):
    escaped = re.sub(r"([][.*+?()|^$\\])", r"\\\1", name)
    # What it requires has been made by a step; -V for the reason why it was skipped.
    return (f"ctest --test-dir {tree.BUILD} -R {shlex.quote(f'^{escaped}$')} -FA '.*' --no-tests=error --timeout {timeout} "
            "--output-on-failure -V")


def tests_of(part):
    tests = labelled(part.ctest)
    made = [t for t in tests if is_labelled(t[1], part.ctest)]
    if not made:
        raise Problem(f"{part.name}: ctest: no test has a label {part.ctest}: nothing was compared")
    for name, properties in tests:
        # Steps are processes of CTest that know nothing of each other.
        if part.jobs > 1 and (properties.get("RESOURCE_LOCK") or properties.get("RUN_SERIAL")):
            raise Problem(f"{part.name}: jobs: must be 1, as {name} does not run beside others")
    level = levels(tests)
    found = [Step(name, run_of(name, part.timeout), level[name], not is_labelled(properties, part.ctest), True)
             for name, properties in tests]
    return sorted(found, key=lambda step: step.level)


def steps_of(part):
    found = [Step(f"step-{i}", command) for i, command in enumerate(part.steps, 1)]
    found += [Step(f"run-{i}", numbered(part.step, i)) for i in range(part.count)]
    return found + (tests_of(part) if part.ctest else [])
