"""A model's operators against a runtime that runs the same file."""

from __future__ import annotations

import html
import json
import os
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

import pandas as pd

from ._calls import Progress, command
from ._request import Model, Question, Setting
from .run import Inputs, _input_path

Path_ = Union[str, "os.PathLike[str]"]


class Comparison:
    """What differs, operator by operator, each on the values that the runtime has there.

    Attributes:
        equal: No operator's output differs, and none of the whole run's.
        operators: A row per operator: ``name``, ``op``, ``known`` (the runtime shows its output), ``values``,
            ``different``, ``greatest`` (in steps of the scale where outputs are bytes), ``whole`` (how many differ in
            our own run from the inputs on) and ``agree`` (other numerics that have no difference there).
        first: The name of the operator that differs first; None.
        steps: Of that one, how often each difference (ours less the runtime's, in steps) occurs.
        alternatives: Values that differ with each other ``numerics``.
        data: All of it, as ``cosim compare --json`` has it.
    """

    def __init__(self, text: str, page: str) -> None:
        self.json = text
        self.data: Dict[str, Any] = json.loads(text)
        self.equal: bool = self.data["equal"]
        operators: List[Dict[str, Any]] = self.data["operators"]
        first: Optional[int] = self.data["first"]
        self.first: Optional[str] = None if first is None else operators[first]["name"]
        steps = [] if first is None else operators[first]["alone"]["steps"]
        self.steps = pd.Series({step: times for step, times in steps}, dtype="int64", name="values")
        self.operators = pd.DataFrame(
            [
                {
                    "name": one["name"],
                    "op": one["op"],
                    "known": one["known"],
                    "values": one["alone"]["values"] if one["known"] else 0,
                    "different": one["alone"]["different"] if one["known"] else 0,
                    "greatest": one["alone"]["greatest"] if one["known"] else 0.0,
                    "whole": one["whole"]["different"] if one["known"] else 0,
                    "agree": one["agree"] if one["known"] else [],
                }
                for one in operators
            ]
        )
        self.alternatives: Dict[str, int] = {a["numerics"]: a["different"] for a in self.data["alternatives"]}
        self._page = page

    def save_report(self, path: Path_) -> Path:
        """Writes the page with pictures of the differences that ``cosim compare --report`` makes."""
        Path(path).write_text(self._page, encoding="utf-8")
        return Path(path)

    def __repr__(self) -> str:
        different = int(self.operators["different"].sum())
        values = int(self.operators["values"].sum())
        what = "equal" if self.equal else f"{different} of {values} values differ, first in `{self.first}`"
        return f"Comparison({self.data['network']}, {self.data['version']}: {what})"

    def _repr_html_(self) -> str:
        """In a notebook: what differs."""
        shown = self.operators[self.operators["different"] > 0].drop(columns=["known"])
        return f"<p>{html.escape(repr(self))}</p>{shown.to_html(index=False)}"


def compare(
    model: Optional[Model] = None,
    *,
    runtime: Optional[str] = None,
    inputs: Optional[Inputs] = None,
    config: Optional[Path_] = None,
    hardware: Optional[Setting] = None,
    numerics: Optional[str] = None,
    seed: Optional[int] = None,
    python: Optional[Path_] = None,
    progress: bool = False,
    **overrides: Setting,
) -> Comparison:
    """Runs a model in its own runtime and here, and compares operator by operator.

    Args:
        model: A .tflite or .onnx file, or a model's bytes.
        runtime: ``"litert"`` (its reference kernels), ``"xnnpack"`` (LiteRT as it is by default), ``"tflm"``,
            ``"onnxruntime"`` (without graph optimisations) or ``"onnxruntime_fused"`` (as it is by default); None: the one that the file is rounded as by default.
        inputs: As in `simulate`.
        config: As in `simulate`.
        hardware: As in `simulate`.
        numerics: Whose rounding ours is; None: by the file.
        seed: Of inputs that are not given.
        python: The interpreter that has the runtime; None: this one.
        progress: Show a bar.
        **overrides: As in `simulate`.

    Raises:
        InputError: Something that was given is wrong, or the runtime refuses the model.
        MissingToolError: The runtime is not installed; the text says how to get it.
    """
    settings: Dict[str, Optional[Setting]] = {"hardware": hardware, "numerics": numerics, "seed": seed}
    with Question(model, config, settings, overrides) as question, Progress(progress, "compare") as bar:
        text, page = question.folder / "comparison.json", question.folder / "comparison.html"
        arguments = ["compare", *question.arguments(), "--quiet", "--json", str(text), "--report", str(page)]
        arguments += ["--python", os.fspath(python) if python is not None else sys.executable]
        if runtime is not None:
            arguments += ["--runtime", runtime]
        if inputs is not None:
            arguments += ["--input", _input_path(inputs, question)]
        command(arguments, bar, question.rename)
        return Comparison(text.read_text(encoding="utf-8"), page.read_text(encoding="utf-8"))
