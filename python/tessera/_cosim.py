"""The command line that comes with the package."""

from __future__ import annotations

import os
import sys

from ._files import COSIM


def main() -> None:
    """Hands over to the program."""
    os.execv(COSIM, ["cosim", *sys.argv[1:]])
