"""A program that stays loaded, for interpreters that look like others'."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _engine
from ._calls import Progress, checked
from ._request import Model, Question, Setting
from .errors import Error, InputError, VerificationError, raised

Array = npt.NDArray[Any]


class Session:
    """An engine with a network, in a process of its own, until it is closed or forgotten.

    Attributes:
        inputs, outputs: What the file has: ``name``, ``index``, ``type``, ``shape``, ``scales``, ``zero_point``.
        cycles: Of the accelerator, in the last inference.
        external_bytes: That it read and wrote in external memory.
    """

    def __init__(
        self,
        model: Optional[Model],
        config: Optional[str],
        settings: Mapping[str, Optional[Setting]],
        overrides: Mapping[str, Setting],
        verify: bool,
    ) -> None:
        for key in ("network", "models", "steps"):
            if key in overrides:
                raise InputError(f"{key} has no place here: an interpreter runs its own model, a step for each call")
        self._question = Question(model, config, settings, overrides)
        self._verify = verify
        try:
            with Progress(False, "open") as progress:
                self._engine: Optional[_engine.Session] = _engine.Session(
                    self._question.config, self._question.sets, progress
                )
        except ValueError as error:
            kind, _, text = str(error).partition("\n")
            raise raised(kind, self._question.rename(text)) from None
        description = json.loads(self._engine.description)
        self.network: str = description["network"]
        self.inputs: List[Dict[str, Any]] = description["inputs"]
        self.outputs: List[Dict[str, Any]] = description["outputs"]
        # Layer lists have no indices of their own.
        tensors = [*self.inputs, *self.outputs]
        if any(tensor["index"] < 0 for tensor in tensors):
            for number, tensor in enumerate(tensors):
                tensor["index"] = number
        self.cycles = 0
        self.external_bytes = 0

    def _ask(self, request: bytes) -> bytes:
        if self._engine is None:
            raise Error("the session is closed")
        with Progress(False, "run") as progress:
            kind, data = self._engine.ask(request, progress)
        if kind:
            checked((kind, data), self._question.rename)
        return bytes(data)

    def run(self, inputs: Sequence[Array]) -> List[Array]:
        """One inference. Arrays have the file's own types and shapes."""
        request = (b"V" if self._verify else b"R") + b"".join(np.ascontiguousarray(array).tobytes() for array in inputs)
        line, _, data = self._ask(request).partition(b"\n")
        told = json.loads(line)
        self.cycles, self.external_bytes = told["cycles"], told["external_bytes"]
        if told["verified"] is False:
            raise VerificationError(f"{self.network}: a layer differs from the reference kernels", self)
        outputs, at = [], 0
        for tensor in self.outputs:
            dtype = np.dtype(tensor["type"])
            count = int(np.prod(tensor["shape"], dtype=np.int64))
            outputs.append(np.frombuffer(data, dtype, count, at).reshape(tensor["shape"]).copy())
            at += count * dtype.itemsize
        return outputs

    def reset(self) -> int:
        """States begin anew: the cycles that takes."""
        return int(json.loads(self._ask(b"Z"))["cycles"])

    def close(self) -> None:
        """Ends the process."""
        self._engine = None
        self._question.__exit__()


def fitting(array: Any, tensor: Mapping[str, Any], what: str) -> Array:
    """The array as the tensor's values. Its type and shape must be the file's."""
    values = np.asarray(array)
    shape = tuple(tensor["shape"])
    if values.dtype != np.dtype(tensor["type"]) or values.shape != shape:
        raise InputError(
            f"{what} is {values.dtype} of shape {values.shape}; the model's is {tensor['type']} of shape {shape}"
        )
    return values
