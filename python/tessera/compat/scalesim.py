"""SCALE-Sim's configuration (.cfg) and topology (.csv)."""

from __future__ import annotations

import configparser
import csv
import os
import re
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

import pandas as pd

from .._request import Setting
from ..errors import InputError
from ..run import Run, simulate

Path_ = Union[str, "os.PathLike[str]"]

_ARRAY = "architecture_presets"
_KIB = 1024
_ACCUMULATOR_BYTES = 4
_MOST_ACCUMULATORS = 4096
_LEAST_ACCUMULATORS = 4
_BANKS = 16
_INTERFACES = 3  # ifmap, filter and ofmap have one each
_WIDEST_BUS = 64
_NARROWEST_BUS = 4
_FASTEST_MEMORY = 1024.0
_RATIO = re.compile(r"^\s*(\d+)\s*:\s*(\d+)\s*$")

# Fields that have no counterpart, and why.
_NO_COUNTERPART = {
    (_ARRAY, "ifmapoffset"): "addresses follow from the memory plan",
    (_ARRAY, "filteroffset"): "addresses follow from the memory plan",
    (_ARRAY, "ofmapoffset"): "addresses follow from the memory plan",
    (_ARRAY, "memorybanks"): "give memory=\"ddr4\", or memory={\"dram\": ...}, for rows and banks",
    (_ARRAY, "readrequestbuffer"): "hardware.read_outstanding counts bursts: a power of two from 2 to 64",
    (_ARRAY, "writerequestbuffer"): "writes are collected to bursts",
    ("layout", ""): "an atom of atomic_c channels is read whole: bank conflicts are counted as they happen",
    ("sparsity", ""): "dense only",
    ("run_presets", "useramulatortrace"): "give memory=\"ddr4\" or \"lpddr4\": rows, banks and refresh are part of the run",
    ("run_presets", "timelinearmodel"): "milliseconds follow from the clock that a placed design reaches",
    ("general", "run_name"): "none needed",
}


class ScaleSim:
    """A SCALE-Sim run in Tessera's terms.

    Attributes:
        topology: The table as `simulate` takes it.
        settings: Arguments of `simulate` that follow from the configuration.
        mapping: A row per field: ``field``, ``value``, ``here`` (the key and value it became; empty: no counterpart),
            ``note``.
    """

    def __init__(self, topology: str, settings: Dict[str, Setting], mapping: pd.DataFrame) -> None:
        self.topology = topology
        self.settings = settings
        self.mapping = mapping

    def simulate(self, **changes: Any) -> Run:
        """Runs it, with engine ``model`` unless `changes` say otherwise; they are as in `tessera.simulate`."""
        return simulate(self.topology, **{"engine": "model", "policy": "best", **self.settings, **changes})

    @staticmethod
    def compute_report(run: Run) -> pd.DataFrame:
        """The columns of SCALE-Sim's COMPUTE_REPORT.csv, as far as they have a counterpart.

        Stalls are cycles in which the array does nothing; utilisation is of the array's multipliers.
        """
        layers = run.layers
        stalls = layers["cycles"] - layers["counters_array_busy"]
        return pd.DataFrame(
            {
                "LayerID": range(len(layers)),
                "Layer": layers["name"],
                "Total Cycles": layers["cycles"],
                "Stall Cycles": stalls,
                "Overall Util %": 100.0 * layers["utilization"],
                "Compute Util %": (100.0 * layers["ideal_cycles"] / layers["counters_array_busy"]).where(
                    layers["counters_array_busy"] > 0, 0.0
                ),
            }
        )


class _Reader:
    """The configuration's fields, each asked for once; where they stand, for errors."""

    def __init__(self, path: Path_) -> None:
        self.path = os.fspath(path)
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise InputError(f"{self.path}: not a text file") from None
        self._lines = text.splitlines()
        self._config = configparser.ConfigParser()
        try:
            self._config.read_string(text, self.path)
        except configparser.Error as error:
            line = getattr(error, "lineno", None)
            where = f"{self.path}:{line}" if line else self.path
            raise InputError(f"{where}: {error.message.splitlines()[0]}") from None
        if not self._config.has_section(_ARRAY):
            raise InputError(f"{self.path}: no section [{_ARRAY}]; allowed is a SCALE-Sim configuration")
        self.rows: List[Tuple[str, str, str, str]] = []
        self._seen: Dict[str, List[str]] = {}

    def fail(self, field: str, text: str) -> InputError:
        for number, line in enumerate(self._lines, 1):
            if line.strip().lower().startswith(field.lower()):
                return InputError(f"{self.path}:{number}:{line.lower().index(field.lower()) + 1}: {field} {text}")
        return InputError(f"{self.path}: {field} {text}")

    def text(self, section: str, field: str, fallback: Optional[str] = None) -> str:
        self._seen.setdefault(section, []).append(field.lower())
        if not self._config.has_option(section, field):
            if fallback is None:
                raise self.fail(field, f"is missing in [{section}]")
            return fallback
        return self._config.get(section, field, raw=True).strip()

    def whole(self, section: str, field: str, least: int = 1) -> int:
        text = self.text(section, field)
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise self.fail(field, f"is `{text}`; allowed is a whole number from {least}")
        return value

    def became(self, field: str, value: object, here: str, note: str = "") -> None:
        self.rows.append((field, str(value), here, note))

    def rest(self) -> None:
        for section in self._config.sections():
            for field, value in self._config.items(section, raw=True):
                if field in self._seen.get(section, []):
                    continue
                note = _NO_COUNTERPART.get((section, field), _NO_COUNTERPART.get((section, ""), "not known here"))
                self.became(field, value, "", note)


def _power_of_two_at_most(value: int) -> int:
    return 1 << (value.bit_length() - 1)


def _array(reader: _Reader, settings: Dict[str, Setting]) -> int:
    for field, key in (("ArrayHeight", "atomic_c"), ("ArrayWidth", "atomic_k")):
        value = reader.whole(_ARRAY, field)
        if value < 2 or value > 64 or value % 2:
            raise reader.fail(
                field, f"is {value}; arrays here have an even number of rows and columns from 2 to 64: larger ones are "
                "several accelerators"
            )
        settings[f"hardware__array__{key}"] = value
        what = "input channels" if key == "atomic_c" else "output channels"
        reader.became(field, value, f"hardware.array.{key} = {value}", f"{what} per cycle")
    dataflow = reader.text(_ARRAY, "Dataflow").lower()
    if dataflow not in ("ws", "os", "is"):
        raise reader.fail("Dataflow", f"is `{dataflow}`; allowed is ws, os or is")
    note = "weights stay in the array for a tile" if dataflow == "ws" else "the array is weight stationary: cycles differ"
    reader.became("Dataflow", dataflow, "weight stationary", note)
    rows = settings["hardware__array__atomic_c"]
    assert isinstance(rows, int)
    return rows


def _buffers(reader: _Reader, atomic_c: int, atomic_k: int, settings: Dict[str, Setting]) -> None:
    ifmap = reader.whole(_ARRAY, "IfmapSramSzkB")
    kernels = reader.whole(_ARRAY, "FilterSramSzkB")
    unit = _BANKS * atomic_c
    size = max((ifmap + kernels) * _KIB // unit, 1) * unit
    settings["hardware__cbuf"] = {"size": size, "banks": _BANKS}
    note = "one buffer for both, divided layer by layer"
    reader.became("IfmapSramSzkB", ifmap, f"hardware.cbuf.size = {size}", note)
    reader.became("FilterSramSzkB", kernels, f"hardware.cbuf.size = {size}", note)
    ofmap = reader.whole(_ARRAY, "OfmapSramSzkB")
    words = _power_of_two_at_most(max(ofmap * _KIB // (atomic_k * _ACCUMULATOR_BYTES), 1))
    words = min(max(words, _LEAST_ACCUMULATORS), _MOST_ACCUMULATORS)
    settings["hardware__accumulators"] = words
    reader.became(
        "OfmapSramSzkB", ofmap, f"hardware.accumulators = {words}",
        f"words of {atomic_k} int32, in two halves; a power of two up to {_MOST_ACCUMULATORS}",
    )


def _memory(reader: _Reader, settings: Dict[str, Setting]) -> None:
    mode = reader.text("run_presets", "InterfaceBandwidth", "CALC").upper()
    if mode not in ("CALC", "USER"):
        raise reader.fail("InterfaceBandwidth", f"is `{mode}`; allowed is CALC or USER")
    if mode == "CALC":
        settings["memory"] = "ideal"
        settings["hardware__bus_bytes"] = _WIDEST_BUS
        reader.became("InterfaceBandwidth", mode, "memory = ideal", "as much as the bus takes: no stalls asked for")
        if bandwidth := reader.text(_ARRAY, "Bandwidth", ""):
            reader.became("Bandwidth", bandwidth, "", "not used with CALC")
        return
    text = reader.text(_ARRAY, "Bandwidth")
    try:
        words = [float(item) for item in text.split(",")]
    except ValueError:
        words = []
    if not words or min(words) <= 0:
        raise reader.fail("Bandwidth", f"is `{text}`; allowed is a number above 0")
    total = sum(words) if len(words) > 1 else _INTERFACES * words[0]
    bus = _NARROWEST_BUS
    while bus < min(total, _WIDEST_BUS):
        bus *= 2
    settings["memory"] = {"bytes_per_cycle": min(total, _FASTEST_MEMORY), "latency": 1}
    settings["hardware__bus_bytes"] = bus
    reader.became("InterfaceBandwidth", mode, "memory", "")
    reader.became(
        "Bandwidth", text, f"memory.bytes_per_cycle = {total:g}, hardware.bus_bytes = {bus}",
        "words of a byte per cycle; ifmap, filter and ofmap share one bus here" + (
            f", of at most {_WIDEST_BUS} bytes" if total > _WIDEST_BUS else ""
        ),
    )


def _topology(path: Path_) -> str:
    """The table as it is: the importer reads it. Sparsity is refused."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: {error.strerror}") from None
    for number, row in enumerate(rows, 1):
        for cell in row:
            if (ratio := _RATIO.match(cell)) and ratio[1] != ratio[2]:
                raise InputError(f"{os.fspath(path)}:{number}: sparsity `{cell}`; allowed is 1:1: dense only")
    return os.fspath(path)


def scalesim(cfg: Path_, topology: Path_) -> ScaleSim:
    """Reads a SCALE-Sim configuration and topology as they are.

    Args:
        cfg: Configuration (.cfg), of version 2 or 3.
        topology: Table of convolutions (.csv).

    Raises:
        InputError: A field is missing, is not what SCALE-Sim allows, or asks for what there is not: arrays beyond
            64 x 64, sparsity.

    >>> from tessera.compat import scalesim
    >>> translated = scalesim("scale.cfg", "alexnet.csv")     # doctest: +SKIP
    >>> translated.simulate().layers[["name", "cycles"]]      # doctest: +SKIP
    """
    reader = _Reader(cfg)
    settings: Dict[str, Setting] = {"hardware": "medium"}
    if reader.text("sparsity", "SparsitySupport", "false").lower() == "true":
        raise reader.fail("SparsitySupport", "is true; there is no sparsity here")
    atomic_c = _array(reader, settings)
    atomic_k = settings["hardware__array__atomic_k"]
    assert isinstance(atomic_k, int)
    lanes = _power_of_two_at_most(min(atomic_k, 16))
    settings["hardware__post_lanes"] = lanes
    _buffers(reader, atomic_c, atomic_k, settings)
    _memory(reader, settings)
    reader.rest()
    mapping = pd.DataFrame(reader.rows, columns=["field", "value", "here", "note"])
    return ScaleSim(_topology(topology), settings, mapping)
