"""The steps of one part: so many at a time, each result kept as it comes."""

import os
import re
import time

from . import stopping, tree
from .child import Child, end_all

LAST_LINES = 30


def log_of(part, step):
    return tree.WORK / "log" / part / (re.sub(r"[^\w.-]", "_", step) + ".log")


def lines_of(log):
    return [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]


def outcome(step, child):
    """passed, failed or skipped, and why."""
    lines = lines_of(child.log)
    if child.is_late:
        result, why = "failed", f"not done after {child.seconds:.0f} s"
    elif child.code == 77:
        result, why = "skipped", lines[-1] if lines else "says nothing"
    elif child.code:
        result, why = "failed", f"exit code {child.code}"
    elif step.is_test:
        result, why = said_by_ctest(lines)
    else:
        result, why = "passed", ""
    return {"result": result, "why": why, "seconds": round(child.seconds, 1), "processor_seconds": round(child.processor, 1)}


def said_by_ctest(lines):
    """CTest ends well when a test was skipped or not run at all."""
    own = [m[1] for line in lines if (m := re.match(r"\d+: (.*\S)", line))]
    if any("***Skipped" in line for line in lines):
        return "skipped", own[-1] if own else "says nothing"
    if any(re.search(r"\bPassed\s+[\d.]+ sec", line) for line in lines):
        return "passed", ""
    return "failed", "was not run"


class Changed(Exception):
    """Sources are others than when the part began."""


def environment():
    """Random tests draw some of their cases from the commit, as scripts/test.sh lets them."""
    seed = str(int(tree.commit_of("HEAD")[:8], 16) + 1)
    return {**os.environ, "TESSERA_SEED": os.environ.get("TESSERA_SEED") or seed}


def run_alone(command, log):
    """Its exit code."""
    child = Child(command, log, environment())
    try:
        while not child.has_ended():
            stopping.check()
            time.sleep(0.02)
    finally:
        end_all([child] if child.code is None else [])
    return child.code


class Run:
    def __init__(self, part, steps, state, content):
        self.part, self.steps, self.state, self.content = part, steps, state, content
        self.before, self.begin, self.environment = state.seconds, time.monotonic(), environment()
        self.running = []

    def seconds(self):
        return self.before + time.monotonic() - self.begin

    def all(self):
        """Whether every step has been run."""
        left = [step for step in self.steps if not self.state.is_done(step)]
        if len(left) < len(self.steps):
            print(f"{self.part.name}: {len(self.steps) - len(left)} of {len(self.steps)} steps were done before", flush=True)
        # What failed before counts as finished only when it has been run again.
        for step in left:
            self.state.steps.pop(step.name, None)
        try:
            for level in sorted({step.level for step in left}):
                self._level([step for step in left if step.level == level])
                if any(s.prepares and s.level == level and not self.state.is_done(s) for s in self.steps):
                    print(f"{self.part.name}: what the other steps need is not there", flush=True)
                    return False
        finally:
            end_all([child for _, child in self.running])
        return True

    def _level(self, waiting):
        while waiting or self.running:
            stopping.check()
            while waiting and len(self.running) < self.part.jobs:
                step = waiting.pop(0)
                child = Child(step.command, log_of(self.part.name, step.name), self.environment, self.part.timeout)
                self.running.append((step, child))
            for pair in [pair for pair in self.running if pair[1].has_ended()]:
                self.running.remove(pair)
                self._ended(*pair)
            time.sleep(0.02)

    def _ended(self, step, child):
        now = self.content.now()
        if now != self.state.digest:
            raise Changed(", ".join(self.content.differing(self.state.digest, now)))
        said = outcome(step, child)
        self.state.finish(step, said, self.seconds())
        why = f" ({said['why']})" if said["why"] else ""
        print(f"[{len(self.state.steps)}/{len(self.steps)}] {self.part.name} {step.shown}: {said['result']}{why}, "
              f"{said['seconds']:.0f} s", flush=True)
        if said["result"] == "failed":
            print("\n".join("    " + line for line in lines_of(child.log)[-LAST_LINES:]))
            print(f"    all of it: {child.log.relative_to(tree.TOP)}", flush=True)
