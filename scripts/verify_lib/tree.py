"""The repository: its files, what has changed, and a name for what is in it."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from .problem import Problem

TOP = Path(__file__).resolve().parents[2]
BUILD = "build/release"
WORK = TOP / "build" / "verify"
RECORD, PAGE, TABLE = "docs/results/verified.json", "docs/results/verified.md", "CONTRIBUTING.md"
# Written by the runs themselves.
NOT_SOURCES = (RECORD, PAGE, TABLE)


def git(*words, environment=None):
    # Others may work in the same tree: nothing of theirs is locked. A terminal's Ctrl-C is for the steps.
    settings = {**(environment or os.environ), "GIT_OPTIONAL_LOCKS": "0"}
    done = subprocess.run(["git", *words], cwd=TOP, env=settings, check=False, capture_output=True, text=True,
                          start_new_session=True)
    if done.returncode:
        raise Problem(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout


def names(text):
    return [name for name in text.split("\0") if name]


def files():
    """All that is there and not ignored."""
    return [f for f in names(git("ls-files", "-z", "--cached", "--others", "--exclude-standard")) if (TOP / f).is_file()]


def commit_of(text):
    return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}").strip()


def changed_since(text):
    """What differs from a commit, with what is not committed; of a renamed file both names."""
    try:
        commit = commit_of(text)
    except Problem:
        raise Problem(f"no such commit: {text}") from None
    changed = names(git("diff", "--name-only", "--no-renames", "-z", commit))
    changed += names(git("ls-files", "-z", "--others", "--exclude-standard"))
    return sorted(set(changed) - {RECORD, PAGE})


def write_whole(path, text):
    """A file that is read at any time is the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


class Content:
    """Git's own names of what the sources are now, committed or not, and of what the commit has.

    They are made with an index and objects beside the repository's, which stays as it is.
    """

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="verify-"))
        (self.folder / "objects").mkdir()
        path_of = lambda name: str((TOP / git("rev-parse", "--git-path", name).strip()).resolve())
        self.environment = {**os.environ, "GIT_OBJECT_DIRECTORY": str(self.folder / "objects"),
                            "GIT_ALTERNATE_OBJECT_DIRECTORIES": path_of("objects")}
        # The index knows which files have not been touched, so that few are read.
        if os.path.exists(path_of("index")):
            shutil.copy2(path_of("index"), self.folder / "now")
        self._without_not_sources("now")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def _git(self, index, *words):
        return git(*words, environment={**self.environment, "GIT_INDEX_FILE": str(self.folder / index)}).strip()

    def _without_not_sources(self, index):
        self._git(index, "rm", "--cached", "--quiet", "--force", "--ignore-unmatch", "--", *NOT_SOURCES)

    def now(self):
        for left in (2, 1, 0):
            try:
                self._git("now", "add", "--all", "--", ".", *(f":(exclude){name}" for name in NOT_SOURCES))
                break
            except Problem:
                # A file that vanished while it was read, as others' editors and builds have them.
                if left == 0:
                    raise
                time.sleep(0.5)
        return self._git("now", "write-tree")

    def committed(self):
        self._git("committed", "read-tree", "HEAD")
        self._without_not_sources("committed")
        return self._git("committed", "write-tree")

    def differing(self, one, other):
        return names(git("diff-tree", "-r", "-z", "--name-only", one, other, environment=self.environment))
