"""One call: installs, builds and runs parts one after another, keeps what they say, ends with a table."""

import contextlib
import fcntl

from . import pages, record, steps, stopping, tree
from .problem import Problem
from .running import LAST_LINES, Changed, Run, lines_of, log_of, run_alone
from .state import State


def planned(part, state):
    """The steps that are left, and the commands before them."""
    lines = [f"{part.name}: {part.what} ({part.minutes:g} min, {part.jobs} at a time)"]
    lines += [f"  first: {command}" for command in commands_before(part)]
    try:
        made = steps.steps_of(part)
    except Problem as problem:
        return "\n".join([*lines, f"  not known before it is built: {problem}"])
    done = sum(state.is_done(step) for step in made)
    lines += [f"  {step.shown if step.is_test else f'{step.name}: {step.command}'}" for step in made if not state.is_done(step)]
    return "\n".join([*lines, f"  {done} of {len(made)} steps are done"])


def commands_before(part):
    commands = [f"scripts/install.sh {level}" for level in part.install]
    if (part.build or part.ctest) and not (tree.TOP / tree.BUILD / "build.ninja").exists():
        commands.append("cmake --preset release")
    if part.build:
        commands.append(f"ninja -C {tree.BUILD} {' '.join(part.build)}")
    return commands


@contextlib.contextmanager
def alone():
    """Two calls would take each other's steps for their own."""
    tree.WORK.mkdir(parents=True, exist_ok=True)
    with open(tree.WORK / "lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Problem("another scripts/verify.sh runs here") from None
        yield


def result_of(made, state):
    compared = [state.steps[step.name]["result"] for step in made if not step.prepares or state.steps[step.name]["result"] == "failed"]
    skipped = compared.count("skipped")
    if "failed" in compared:
        return "failed"
    if skipped == len(compared):
        return "skipped"
    return f"passed, {skipped} skipped" if skipped else "passed"


class Session:
    def __init__(self, parts, where, content, again):
        self.parts, self.where, self.content, self.again = parts, where, content, again
        self.prepared = set()
        self.rows = []

    def _row(self, part, result, made=(), state=None):
        times = (state.seconds, sum(s["processor_seconds"] for s in state.steps.values())) if state else (0, 0)
        self.rows.append((part.name, result, len(made), *times))

    def _prepare(self, part):
        """The command that failed, or None."""
        for command in commands_before(part):
            if command in self.prepared:
                continue
            print(f"{part.name}: {command}", flush=True)
            log = log_of(part.name, "before")
            code = run_alone(command, log)
            if code:
                print("\n".join("    " + line for line in lines_of(log)[-LAST_LINES:]), flush=True)
                return command
            self.prepared.add(command)
        return None

    def part(self, part):
        failed = self._prepare(part)
        if failed:
            self._row(part, f"failed: {failed}")
            return
        digest = self.content.now()
        state = State(part.name, digest, self.again)
        try:
            made = steps.steps_of(part)
        except Problem as problem:
            print(problem, flush=True)
            self._row(part, "failed: no steps")
            return
        try:
            is_whole = Run(part, made, state, self.content).all()
        except Changed as what:
            print(f"{part.name}: sources changed meanwhile, so that what ran last is not counted: {what}", flush=True)
            self._row(part, "failed: sources changed", made, state)
            return
        if not is_whole:
            self._row(part, "failed: not begun", made, state)
            return
        result = result_of(made, state)
        self._row(part, result, made, state)
        record.write(part, result, sum(not step.prepares for step in made), state, self.content.committed() == digest, self.parts)
        pages.update(self.parts, self.where, write=True)


def run(selected, parts, where, content, again):
    """The exit code."""
    stopping.listen()
    session = Session(parts, where, content, again)
    with alone():
        try:
            for part in selected:
                stopping.check()
                session.part(part)
        except stopping.Stopped as stopped:
            print("stopped; the next call goes on from here", flush=True)
            print(pages.summary(session.rows))
            return 128 + stopped.args[0]
    print(pages.summary(session.rows))
    return 1 if any(row[1].startswith("failed") for row in session.rows) else 0
