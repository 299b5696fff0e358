"""What the tests share: the command line to compare with, and models from elsewhere."""

import os
import subprocess
from pathlib import Path

import pytest

import tessera
from tessera import _files

SHARED = Path(os.environ.get("TESSERA_SHARED", Path(__file__).resolve().parents[3] / "shared"))


@pytest.fixture
def cosim():
    """Runs the command line: its output. By default the one in the package; a build tree's with COSIM."""
    program = os.environ.get("COSIM", _files.COSIM)

    def call(*arguments, expect=0):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == expect, done.stderr
        return done.stdout

    return call


@pytest.fixture
def shared():
    """A file beside the project, or a skipped test."""

    def find(name):
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"no {path}")
        return path

    return find


@pytest.fixture
def lenet():
    return tessera.simulate("lenet5", hardware="small")
