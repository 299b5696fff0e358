"""Simulations."""

from __future__ import annotations

import html
import json
import os
import shlex
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import _engine
from ._calls import Progress, checked, command
from ._request import Model, Question, Setting
from .errors import InputError, NoSingleOutput, VerificationError
from .memory_plan import MemoryPlan

Array = npt.NDArray[Any]

Inputs = Union[str, "os.PathLike[str]", Array, Sequence[Array], Mapping[str, Array]]
"""An input's array, one per input in order or by name, or a file (.npy, .bin, .png, .jpg) or folder of files."""

Path_ = Union[str, "os.PathLike[str]"]


def _flat(values: Mapping[str, Any], before: str = "") -> Dict[str, Any]:
    """Of maps in maps, one: ``counters_array_busy``."""
    flat: Dict[str, Any] = {}
    for name, value in values.items():
        flat.update(_flat(value, f"{before}{name}_") if isinstance(value, Mapping) else {f"{before}{name}": value})
    return flat


class Run:
    """A network as the accelerator ran it.

    Attributes:
        outputs: Arrays by tensor name, in the model's own types, shapes and layouts; of several steps with a dimension
            more in front. Empty with engine ``model``.
        states: What the last step leaves for the next one, by the state's name; ``simulate(states=...)`` goes on from
            there. Empty without states and with engine ``model``.
        layers: A row per layer: ``name``, ``op``, ``mode``, ``macs``, ``cycles``, ``ideal_cycles``, ``utilization``,
            ``external_read_bytes``, ``external_write_bytes``, ``cbuf_peak_bytes``, ``energy_pj``, ``limit`` (what holds
            it up), ``split_*``, ``counters_*`` (the accelerator's own, in cycles and bytes) and more.
        totals: The same sums, by name; ``together_cycles`` are the accelerator's and the host's.
        steps: A row per step: ``cycles`` and ``external_bytes``. ``layers`` and ``totals`` are of the last step.
        memory_plan: Where activations lay.
        verified: All outputs equal the reference kernels'; None with engine ``model``.
        json: What ``cosim --json`` writes, to the byte.
        command: The command line that does the same, where the model is a file.
    """

    def __init__(
        self, texts: Mapping[str, Any], outputs: Dict[str, Array], states: Dict[str, Array], repeat: "_Repeat",
        command_line: str,
    ) -> None:
        self.json: str = texts["run"]
        self.data: Dict[str, Any] = json.loads(self.json)
        self.outputs = outputs
        self.states = states
        self.layers = pd.json_normalize(self.data["layers"], sep="_")
        self.totals: Dict[str, Any] = _flat(self.data["totals"])
        steps = self.data.get("steps", {"cycles": [self.totals["cycles"]], "external_bytes": [self._external_bytes()]})
        self.steps = pd.DataFrame({key: steps[key] for key in ("cycles", "external_bytes")})
        self.memory_plan = MemoryPlan(texts["plan"])
        self.verified: Optional[bool] = self.data["verified"]
        self.command = command_line
        self._explanations: List[str] = texts["explain"]
        self._repeat = repeat
        self._timeline: Optional[pd.DataFrame] = None

    def _external_bytes(self) -> int:
        return int(self.totals["external_read_bytes"] + self.totals["external_write_bytes"])

    @property
    def output(self) -> Array:
        """The one output. Raises NoSingleOutput when there are none or several."""
        if len(self.outputs) != 1:
            raise NoSingleOutput(f"the run has {len(self.outputs)} outputs: {', '.join(self.outputs)}")
        return next(iter(self.outputs.values()))

    @property
    def cycles(self) -> int:
        """Of the accelerator, all layers together."""
        return int(self.data["totals"]["cycles"])

    def explain(self, layer: Union[str, int]) -> str:
        """Every inequality and number behind a layer's mode; the layer by name or index."""
        if isinstance(layer, int):
            return self._explanations[layer]
        names = list(self.layers["name"])
        if layer not in names:
            raise InputError(f"no layer is named `{layer}`; there are {', '.join(names)}")
        return self._explanations[names.index(layer)]

    @property
    def timeline(self) -> pd.DataFrame:
        """What every unit does when, by the cost model: computed when it is first asked for.

        Columns: ``lane`` (load, compute, store, bus read, bus write), ``layer``, ``what``, ``tile``, ``begin`` and
        ``end`` (cycles from the first start on), ``bytes`` on the bus.
        """
        if self._timeline is None:
            with self._repeat.question() as question, Progress(False, "timeline") as progress:
                text = checked(_engine.timeline(question.config, question.sets, progress), question.rename)
            frame = pd.DataFrame(json.loads(text))
            self._timeline = frame.astype({"tile": "Int64", "layer": "string", "what": "string"})
        return self._timeline

    def save_report(self, path: Path_) -> Path:
        """Runs it again and writes the page with charts that ``cosim --report`` makes."""
        return self._save("--report", path)

    def save_trace(self, path: Path_) -> Path:
        """Runs it again and writes the timeline for Perfetto, as ``cosim --trace`` does."""
        return self._save("--trace", path)

    def _save(self, option: str, path: Path_) -> Path:
        with self._repeat.question() as question, Progress(False, option) as progress:
            arguments = [*question.arguments(), "--quiet", option, os.fspath(path)]
            if self.outputs and self._repeat.inputs is not None:
                arguments += ["--input", _input_path(self._repeat.inputs, question)]
            command(arguments, progress, question.rename)
        return Path(path)

    def __repr__(self) -> str:
        totals = self.data["totals"]
        return (
            f"Run({self.data['network']} on {self.data['hardware']['name']}, {self.data['engine']}: "
            f"{totals['cycles']} cycles, array {100 * totals['utilization']:.1f} %)"
        )

    def _repr_html_(self) -> str:
        """In a notebook: the run, and its layers."""
        shown = ["name", "op", "mode", "macs", "cycles", "utilization", "limit"]
        return f"<p>{html.escape(repr(self))}</p>{self.layers[shown].to_html(index=False)}"


class _Repeat:
    """What it takes to ask the same again."""

    def __init__(
        self,
        model: Optional[Model],
        config: Optional[Path_],
        settings: Mapping[str, Optional[Setting]],
        overrides: Mapping[str, Setting],
        inputs: Optional[Inputs],
    ) -> None:
        self._model, self._config = model, config
        self._settings, self._overrides = dict(settings), dict(overrides)
        self.inputs = inputs

    def question(self) -> Question:
        return Question(self._model, self._config, self._settings, self._overrides)


def _in_order(inputs: Mapping[str, Array], names: Sequence[str], kind: str) -> List[Array]:
    unknown = [name for name in inputs if name not in names]
    missing = [name for name in names if name not in inputs]
    if unknown or missing:
        raise InputError(
            f"{kind} are {', '.join(f'`{n}`' for n in inputs)}; the model's are {', '.join(f'`{n}`' for n in names)}"
        )
    return [inputs[name] for name in names]


def _input_path(inputs: Inputs, question: Question) -> str:
    if isinstance(inputs, (str, os.PathLike)):
        return os.fspath(inputs)
    if isinstance(inputs, Mapping):
        arrays = _in_order(inputs, [tensor["name"] for tensor in _description(question)["inputs"]], "inputs")
    elif isinstance(inputs, np.ndarray):
        arrays = [inputs]
    else:
        arrays = list(inputs)
    folder = question.folder / "inputs"
    folder.mkdir(exist_ok=True)
    if len(arrays) == 1:
        path = folder / "input0.npy"
        np.save(path, np.ascontiguousarray(arrays[0]))
        return str(path)
    count = len(_description(question)["inputs"])
    if len(arrays) != count:
        raise InputError(f"{len(arrays)} inputs; the model has {count}")
    for number, array in enumerate(arrays):
        np.save(folder / f"input{number}.npy", np.ascontiguousarray(array))
    return str(folder)


def _states_path(states: Union[Path_, Mapping[str, Array]], question: Question) -> str:
    if isinstance(states, (str, os.PathLike)):
        return os.fspath(states)
    names = _description(question)["states"]
    folder = question.folder / "states"
    folder.mkdir()
    for number, array in enumerate(_in_order(states, names, "states")):
        np.save(folder / f"state{number}.npy", np.ascontiguousarray(array))
    return str(folder)


def _description(question: Question) -> Dict[str, Any]:
    with Progress(False, "describe") as progress:
        outcome = _engine.describe(question.config, question.sets, progress)
    description: Dict[str, Any] = json.loads(checked(outcome, question.rename))
    return description


def _read_states(folder: Path, names: Sequence[str]) -> Dict[str, Array]:
    return {name: np.load(folder / f"state{number}.npy") for number, name in enumerate(names)}


def _read_outputs(folder: Path, tensors: Sequence[Mapping[str, Any]]) -> Dict[str, Array]:
    outputs: Dict[str, Array] = {}
    for number, tensor in enumerate(tensors):
        name = tensor["name"] if tensor["name"] not in outputs else f"{tensor['name']}#{number}"
        outputs[name] = np.load(folder / f"output{number}.npy")
    return outputs


def inspect(
    model: Optional[Model] = None,
    *,
    config: Optional[Path_] = None,
    seed: Optional[int] = None,
    **overrides: Setting,
) -> Dict[str, Any]:
    """What a model has: ``network``, ``inputs`` and ``outputs`` (name, type, shape as its own file has them),
    ``layers`` (name, op, macs, output_shape: NHWC), ``notes`` and ``left_out`` of its reader.

    Raises:
        InputError: The model cannot be read; the text names all that is in the way.
    """
    with Question(model, config, {"seed": seed}, overrides) as question:
        return _description(question)


def simulate(
    model: Optional[Model] = None,
    *,
    config: Optional[Path_] = None,
    hardware: Optional[Setting] = None,
    policy: Optional[Setting] = None,
    engine: Optional[str] = None,
    inputs: Optional[Inputs] = None,
    states: Optional[Union[Path_, Mapping[str, Array]]] = None,
    memory: Optional[Setting] = None,
    seed: Optional[int] = None,
    check_memory: bool = False,
    waves: Optional[Path_] = None,
    progress: bool = False,
    **overrides: Setting,
) -> Run:
    """Schedules a network, runs it, and compares every layer with the reference kernels.

    Args:
        model: A network's file (.tflite, .onnx, .yaml, .csv), the name of a built-in one (``"lenet5"``), a
            model's bytes, or a `Network`. None: the configuration's.
        config: A run configuration (YAML); what follows changes it. None: the package's ``npu.yaml`` with hardware
            ``medium``, policy ``best`` and engine ``tlm``.
        hardware: A preset (``"nano"`` to ``"large"``), or a map such as ``{"preset": "small", "cbuf": {"size": "64KiB"}}``.
        policy: ``"best"``, ``"first-fit"``, or a map such as ``{"name": "best", "objective": "traffic"}``.
        engine: ``"rtl"`` (Verilated; needs Verilator), ``"tlm"`` (SystemC, bit-exact), ``"model"`` (cycles and bytes
            only) or ``"netlist"``.
        inputs: Arrays in the model's own type, shape and layout, or files; with a dimension more in front they are
            steps that follow each other. None: from the seed.
        states: What the first step begins with: another run's ``states``, or the folder of ``--states-out``. None: the
            network's own first values.
        memory: A preset (``"ideal"``, ``"sram"``, ``"lpddr4"``, ``"ddr4"``), or a map such as
            ``{"bytes_per_cycle": 4, "latency": 100}``.
        seed: Of weights and inputs that no file gives.
        check_memory: Poison activations nobody needs any more; reading them is an error.
        waves: Where to write waves (FST), with engine ``rtl``.
        progress: Show a bar.
        **overrides: Any key of the configuration: ``hardware__cbuf__size="32KiB"``,
            ``**{"hardware.array.atomic_c": 32}``, or ``cbuf="32KiB"`` for short.

    Raises:
        InputError: Something that was given is wrong: file, line, column or argument, and what is allowed.
        MissingToolError: Verilator is not there, for engine ``rtl``.
        EngineError: The accelerator stopped with an error.
        VerificationError: An output differs from the reference kernels.

    Work is done in a process of its own: other threads go on, several simulations may run at once, and Ctrl-C ends it
    within a second.
    """
    settings: Dict[str, Optional[Setting]] = {
        "hardware": hardware, "policy": policy, "engine": engine, "memory": memory, "seed": seed,
    }
    repeat = _Repeat(model, config, settings, overrides, inputs)
    with repeat.question() as question, Progress(progress, "simulate") as bar:
        input_path = _input_path(inputs, question) if inputs is not None else ""
        states_path = _states_path(states, question) if states is not None else ""
        outputs, left = question.folder / "outputs", question.folder / "left"
        outputs.mkdir()
        left.mkdir()
        outcome = _engine.simulate(
            question.config, question.sets, input_path, str(outputs), states_path, str(left), check_memory,
            os.fspath(waves) if waves is not None else "", bar,
        )
        texts = json.loads(checked(outcome, question.rename))
        line = shlex.join(["cosim", *question.arguments()])
        run = Run(
            texts, _read_outputs(outputs, texts["outputs"]), _read_states(left, texts["states"]), repeat, line
        )
    if run.verified is False:
        raise VerificationError(f"{run.data['network']}: outputs differ from the reference kernels", run)
    return run
