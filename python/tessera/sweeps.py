"""Sweeps over configurations."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import pandas as pd

from ._calls import Progress, command
from ._request import Model, Question, Setting, key_of, value_text
from .errors import InputError
from .network import Network

Path_ = Union[str, "os.PathLike[str]"]

_CBUF = "hardware.cbuf.size"
_SIZE = re.compile(r"^\s*(?P<number>[\d.]+)\s*(?P<unit>[KMG]iB|B)?\s*$")
_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

# What the model engine counts is enough for most points.
_DEFAULTS: Dict[str, Setting] = {"hardware": "medium", "policy": "best", "engine": "model"}


_RANGE = re.compile(r"^\s*(?P<first>[\d.]+\s*\w*)\s*\.\.\s*(?P<last>[\d.]+\s*\w*)\s*(:\s*(?P<step>[\d.]+\s*\w*)\s*)?$")


def _expanded(text: str) -> List[Any]:
    """``"8KiB..64KiB"`` is all doublings, ``"8KiB..64KiB:8KiB"`` every step, as on the command line; else itself."""
    match = _RANGE.match(text)
    if match is None:
        return [text]
    sizes = [match[part] for part in ("first", "last", "step")]
    first, last = _size(sizes[0]), _size(sizes[1])
    step = _size(sizes[2]) if sizes[2] is not None else 0
    if not 0 < first <= last or (sizes[2] is not None and step == 0):
        raise InputError(f"range `{text}`: write first..last with 0 < first <= last, and :step if values are not to double")
    values = []
    while first <= last:
        values.append(first)
        first += step or first
    return values


def _as_list(value: Any) -> List[Any]:
    if isinstance(value, str):
        return _expanded(value)
    if isinstance(value, (str, bytes, bytearray, memoryview, os.PathLike, Mapping, Network)):
        return [value]
    return list(value) if isinstance(value, Iterable) else [value]


def _points(
    grid: Mapping[str, Any], points: Optional[Sequence[Mapping[str, Any]]], models: Sequence[Any]
) -> List[Dict[str, Any]]:
    axes = {key_of(key): _as_list(values) for key, values in grid.items()}
    for key, values in axes.items():
        if not values:
            raise InputError(f"--set {key}: an empty list")
    listed = [{key_of(k): v for k, v in point.items()} for point in points] if points is not None else [{}]
    combined = []
    for model in models or [None]:
        for point in listed:
            for chosen in itertools.product(*axes.values()):
                whole = {**({"network": model} if model is not None else {}), **point, **dict(zip(axes, chosen))}
                combined.append(whole)
    return combined


def _size(value: Any) -> int:
    match = _SIZE.match(str(value))
    return int(float(match["number"]) * _UNITS[match["unit"] or "B"]) if match else 0


def _by_curves(points: Sequence[Mapping[str, Any]]) -> List[int]:
    """Their order as sweeps have it: what differs in the size of the cbuf alone lies side by side, by size."""
    curves: Dict[Tuple[Tuple[str, str], ...], int] = {}
    keys = []
    for number, point in enumerate(points):
        rest = tuple(sorted((k, value_text(v)) for k, v in point.items() if k != _CBUF))
        keys.append((curves.setdefault(rest, len(curves)), _size(point.get(_CBUF, 0)), number))
    return [number for _, _, number in sorted(keys)]


def _kept(model: Any, folder: Path, question: Question) -> str:
    """The model's file; of what is no file, one in the sweep's folder that is named after what it holds."""
    file = Path(question.model_file(model))
    if question.folder not in file.parents:
        return str(file)
    digest = hashlib.sha256(b"".join(f.read_bytes() for f in sorted(question.folder.glob(f"{file.stem}.*"))))
    models = folder / f"models/{digest.hexdigest()[:16]}"
    models.mkdir(parents=True, exist_ok=True)
    for part in question.folder.glob(f"{file.stem}.*"):
        shutil.move(str(part), models / part.name)
    return str((models / file.name).resolve())


def sweep(
    model: Union[Model, Sequence[Model], None] = None,
    points: Optional[Sequence[Mapping[str, Any]]] = None,
    *,
    config: Optional[Path_] = None,
    part: Optional[str] = None,
    limit: bool = False,
    out: Optional[Path_] = None,
    jobs: Optional[int] = None,
    fresh: bool = False,
    retry_failed: bool = False,
    progress: bool = True,
    **grid: Any,
) -> pd.DataFrame:
    """Runs many configurations, as many at a time as there are processors.

    Args:
        model: A model as in `simulate`, or several.
        points: Maps from keys of the configuration to values, each a point; with ``grid``: for each of its combinations.
        config: As in `simulate`; without one the engine is ``model``.
        part: FPGA that area, clock and inferences per second are estimated for.
        limit: Sizes of the cbuf limit what is used of one buffer; else each point's buffer is built of its size.
        out: Folder for the results. With one that has some of these points only the others are run; None: forgotten
            when done.
        jobs: Points at a time.
        fresh: Forget what the folder has.
        retry_failed: Run points again that failed.
        progress: Show a bar.
        **grid: Keys as in `simulate`, with a value or a list of values:
            ``hardware=["small", "medium"], cbuf=["32KiB", "64KiB"]``, or a range as text:
            ``cbuf="8KiB..64KiB"``, ``hardware__accumulators="64..512:64"``. All combinations are points.

    Returns:
        A row per point in the order asked for: the keys, ``network``, ``status`` (ok, wrong, failed), ``error``,
        ``cycles``, ``external_read_bytes``, ``external_write_bytes``, ``arena_bytes``, ``energy_pj``, ``pareto`` and
        more, as ``cosim sweep`` writes them. ``.attrs["json"]`` has curves and the front; `sweep_layers` makes a frame of
        the points' layers.

    Raises:
        InputError: Something that was given is wrong; a single point's trouble is its ``error`` instead.
    """
    models = ([model] if isinstance(model, str) else _as_list(model)) if model is not None else []
    wanted = _points(grid, points, models)
    with Question(None, config, {}, {}, _DEFAULTS) as question:
        folder = Path(out) if out is not None else question.folder / "sweep"
        folder.mkdir(parents=True, exist_ok=True)
        files: Dict[int, str] = {}  # a model is written once
        for point in wanted:
            if "network" in point:
                key = id(point["network"])
                files[key] = files.get(key) or _kept(point["network"], folder, question)
                point["network"] = files[key]
        order = _by_curves(wanted)
        list_file = question.folder / "points.json"
        texts = [{key: value_text(value) for key, value in wanted[number].items()} for number in order]
        list_file.write_text(json.dumps(texts), encoding="utf-8")
        arguments = ["sweep", "--config", question.config, "--points", str(list_file), "--out", str(folder),
                     "--yes"]
        given = {key for point in wanted for key in point}
        for setting in question.sets:
            if setting.split("=", 1)[0] not in given:
                arguments += ["--set", setting]
        for option, value in (("--part", part), ("--jobs", jobs)):
            if value is not None:
                arguments += [option, str(value)]
        arguments += ["--limit"] if limit else []
        arguments += ["--fresh"] if fresh else []
        arguments += ["--retry-failed"] if retry_failed else []
        with Progress(progress, "sweep", " points") as bar:
            command(arguments, bar, question.rename)
        text = (folder / "results.json").read_text(encoding="utf-8")
        layers = _layers_of(folder / "points.sqlite")
    frame = pd.DataFrame(json.loads(text)["points"]).drop(columns="point")
    position = {number: row for row, number in enumerate(order)}
    frame = frame.iloc[[position[number] for number in range(len(order))]].reset_index(drop=True)
    frame.attrs["json"] = text
    frame.attrs["layers"] = json.dumps([[order[point], *rest] for point, *rest in layers])
    return frame


def _layers_of(path: Path) -> List[Tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute(
            "SELECT point, name, op, mode, macs, cycles, external_bytes FROM layers ORDER BY point, layer"
        ).fetchall()


def sweep_layers(frame: pd.DataFrame) -> pd.DataFrame:
    """The layers of all points of a sweep: ``point`` (the row of the sweep's frame), ``name``, ``op``, ``mode``, ``macs``,
    ``cycles``, ``external_bytes``.

    Raises:
        InputError: The frame is no sweep's.
    """
    if "layers" not in frame.attrs:
        raise InputError("sweep_layers: the frame is none that tessera.sweep returned")
    columns = ["point", "name", "op", "mode", "macs", "cycles", "external_bytes"]
    layers = pd.DataFrame(json.loads(frame.attrs["layers"]), columns=columns)
    return layers.sort_values("point", kind="stable", ignore_index=True)
