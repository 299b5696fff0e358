"""Hardware on FPGAs: what it takes, how fast it is, and which is best for a network."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import pandas as pd

from ._calls import Progress, command
from ._request import Model, Question, Setting

Path_ = Union[str, "os.PathLike[str]"]


class Design:
    """The accelerator on a part.

    Attributes:
        folder: Netlist, placed design, bitstream.
        json: What ``cosim fpga --json`` writes.
        data: The same as a dict: ``luts``, ``luts_available``, ``ffs``, ``brams``, ``dsps``, ``fmax_mhz``,
            ``promised_mhz``, ``critical_path``, ``bitstream``, ``tools``, and with a network ``cycles`` and ``inferences_per_second``.
    """

    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        self.json = text
        self.data: Dict[str, Any] = json.loads(text)

    def __repr__(self) -> str:
        data = self.data
        clock = f", {data['fmax_mhz']} MHz" if data.get("fmax_mhz") else ""
        return f"Design({data['part']}: {data['luts']} of {data['luts_available']} LUTs{clock})"


class Fit:
    """What a search for hardware found.

    Attributes:
        folder: Points, results and ``best.yaml``, a configuration that `simulate` takes.
        json: What ``cosim fit --json`` writes.
        candidates: A row per candidate, best first: ``milliseconds``, ``estimated_*`` and ``placed_*`` figures, ``front``.
        best: The best one's hardware as a configuration has it.
    """

    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        self.json = text
        self.data: Dict[str, Any] = json.loads(text)
        self.candidates = pd.json_normalize(self.data["candidates"], sep="_")
        self.best: Dict[str, Any] = self.data["candidates"][self.data["best"]]["hardware"]

    @property
    def best_config(self) -> Path:
        """The best one as a configuration."""
        return self.folder / "best.yaml"

    def __repr__(self) -> str:
        return f"Fit({self.data['part']}: {self.best})"


def fpga(
    model: Optional[Model] = None,
    out: Path_ = "fpga",
    *,
    part: Optional[str] = None,
    board: Optional[str] = None,
    config: Optional[Path_] = None,
    hardware: Optional[Setting] = None,
    policy: Optional[Setting] = None,
    memory: Optional[Setting] = None,
    seeds: int = 1,
    freq: Optional[float] = None,
    place: bool = True,
    route: bool = True,
    progress: bool = True,
    **overrides: Setting,
) -> Design:
    """Synthesises, places and routes the accelerator, and makes a bitstream.

    Args:
        model: With one, cycles and inferences per second are counted too; see `simulate`.
        out: Folder for the files.
        part: FPGA, such as ``"ecp5-25f"``.
        board: Board in its place, such as ``"ulx3s"``: with pins, memory and host link.
        config: See `simulate`.
        hardware: See `simulate`.
        policy: See `simulate`.
        memory: See `simulate`.
        seeds: Placements to choose the fastest from.
        freq: MHz that the placer aims at, or of the board's clock.
        place: False: only count what it takes.
        route: False: place, but do not route; the clock is then the placer's promise, ``promised_mhz``.
        progress: Show what is being done.
        **overrides: See `simulate`.

    Raises:
        InputError: Something that was given is wrong, or the design does not fit.
        MissingToolError: The FPGA tools are not there.
    """
    settings = {"hardware": hardware, "policy": policy, "memory": memory}
    with Question(model, config, settings, overrides) as question, Progress(progress, "fpga") as bar:
        result = question.folder / "fpga.json"
        arguments = ["fpga", *question.arguments(), "--out", os.fspath(out), "--json", str(result)]
        for option, value in (("--part", part), ("--board", board), ("--freq", freq)):
            if value is not None:
                arguments += [option, str(value)]
        arguments += ["--seeds", str(seeds)] if place else ["--no-place"]
        arguments += ["--no-route"] if place and not route else []
        command(arguments, bar, question.rename)
        return Design(Path(out), result.read_text(encoding="utf-8"))


def fit(
    models: Union[Model, Sequence[Model]],
    out: Path_ = "fit",
    *,
    part: Optional[str] = None,
    board: Optional[str] = None,
    config: Optional[Path_] = None,
    objective: str = "latency",
    fps: Optional[float] = None,
    bandwidth: Optional[float] = None,
    fill: Optional[int] = None,
    points: Optional[int] = None,
    place: int = 3,
    route: bool = True,
    seeds: int = 1,
    jobs: Optional[int] = None,
    memory: Optional[Setting] = None,
    fresh: bool = False,
    progress: bool = True,
    **overrides: Setting,
) -> Fit:
    """Finds the hardware that runs networks best on an FPGA.

    Args:
        models: One model or several, each of which runs alone; see `simulate`.
        out: Folder for points and results; with one that has points the search goes on from there.
        part: FPGA, such as ``"ecp5-25f"``.
        board: Board in its place: its part, memory and clocks.
        config: See `simulate`.
        objective: ``"latency"``, ``"throughput-per-lut"``, or ``"smallest"`` with `fps`.
        fps: Inferences per second of each network to keep.
        bandwidth: Megabytes per second of the board's memory.
        fill: Percent of the part's lookup tables to take at most.
        points: Candidates to look at, at most.
        place: Of the best, place as many at most; 0: estimates only.
        route: False: only place, which takes minutes in the place of an hour where a part is nearly full.
        seeds: Placements of each to choose the fastest from.
        jobs: Candidates at a time.
        memory: See `simulate`.
        fresh: Forget what the folder has.
        progress: Show a bar.
        **overrides: See `simulate`; not the hardware's.

    Raises:
        InputError: Something that was given is wrong.
        MissingToolError: The FPGA tools are not there, to place.
    """
    chosen: List[Any] = list(models) if isinstance(models, (list, tuple)) else [models]
    defaults: Mapping[str, Setting] = {"policy": "best"}
    with Question(None, config, {"memory": memory}, overrides, defaults) as question, Progress(progress, "fit") as bar:
        result = question.folder / "fit.json"
        arguments = ["fit", *question.arguments(), "--out", os.fspath(out), "--json", str(result)]
        for model in chosen:
            arguments += ["--network", question.model_file(model)]
        for option, value in (
            ("--part", part), ("--board", board), ("--fps", fps), ("--bandwidth", bandwidth), ("--fill", fill),
            ("--points", points), ("--jobs", jobs), ("--objective", objective),
        ):
            if value is not None:
                arguments += [option, str(value)]
        arguments += ["--place", str(place), "--seeds", str(seeds)] if place else ["--no-place"]
        arguments += ["--no-route"] if place and not route else []
        arguments += ["--fresh"] if fresh else []
        command(arguments, bar, question.rename)
        return Fit(Path(out), result.read_text(encoding="utf-8"))
