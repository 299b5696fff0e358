"""What can go wrong."""

from __future__ import annotations

import re
from typing import Dict, Optional, Type

_PLACE = re.compile(r"^(?P<file>[^\s:][^:\n]*?):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<text>.*)$", re.DOTALL)
_FILE = re.compile(r"^(?P<file>[^\s:`][^:`\n]*\.\w+): (?P<text>.*)$", re.DOTALL)
_KEY = re.compile(r"^(?P<key>[a-z]\w*(?:\.\w+)+) is ")
_SET = re.compile(r"--set (?P<key>[\w.]+)(?P<value>=.*?)?: (?P<text>.*)$", re.DOTALL)


class Error(RuntimeError):
    """The base of all errors here; on its own: the program checker objected, or a process ended."""


class InputError(Error, ValueError):
    """Something that was given is wrong: a file, an argument, a model.

    The text says what was found and what is allowed.

    Attributes:
        file: File that the text is about; None when it is an argument.
        line: Line in it, from 1, where there is one.
        column: Column in it, from 1, where there is one.
        argument: The argument, as a path of keys such as ``hardware.cbuf.size``; None when it is a file.
        message: The text without the place.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text.replace("--set ", ""))
        self.file: Optional[str] = None
        self.line: Optional[int] = None
        self.column: Optional[int] = None
        self.argument: Optional[str] = None
        self.message = text
        if match := _SET.match(text):
            self.argument, self.message = match["key"], match["text"]
        elif match := _PLACE.match(text):
            self.file, self.message = match["file"], match["text"]
            self.line = int(match["line"])
            self.column = int(match["column"]) if match["column"] else None
        elif match := _FILE.match(text):
            self.file, self.message = match["file"], match["text"]
        elif match := _KEY.match(text):
            self.argument = match["key"]


class NoSingleOutput(Error, AttributeError):
    """A run has no output, or several: ask for one of ``outputs`` by name."""


class MissingToolError(Error):
    """A program that the work needs is not installed, such as Verilator for engine ``rtl``."""


class EngineError(Error):
    """The accelerator stopped with an error, or would never have finished."""


class VerificationError(Error):
    """A layer's output differs from the reference kernels. `run` has the results."""

    def __init__(self, text: str, run: object) -> None:
        super().__init__(text)
        self.run = run


def raised(kind: str, text: str) -> Error:
    """The exception for what the engine reports."""
    kinds: Dict[str, Type[Error]] = {"InputError": InputError, "MissingToolError": MissingToolError, "EngineError": EngineError}
    return kinds.get(kind, Error)(text)
