"""``onnxruntime.InferenceSession``'s interface: an evaluation script changes its import.

>>> from tessera import onnx
>>> session = onnx.InferenceSession("model.onnx")      # doctest: +SKIP
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy.typing as npt

from ._request import Setting
from ._session import Session, fitting
from .errors import InputError

Array = npt.NDArray[Any]

__all__ = [
    "ExecutionMode",
    "GraphOptimizationLevel",
    "InferenceSession",
    "NodeArg",
    "RunOptions",
    "SessionOptions",
    "get_available_providers",
]

_PROVIDER = "TesseraExecutionProvider"


class GraphOptimizationLevel(Enum):
    """ONNX Runtime's; of no account here, where ``numerics`` says whose results they are."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_ALL = 99


class ExecutionMode(Enum):
    """ONNX Runtime's, of no account here."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class SessionOptions:
    """Takes what ONNX Runtime's takes; none of it is of account to an accelerator."""


class RunOptions:
    """The same of one call."""


def get_available_providers() -> List[str]:
    """The one there is."""
    return [_PROVIDER]

_TYPES = {"float32": "float", "bool": "bool"}


class NodeArg:
    """An input or output: ``name``, ``shape``, ``type`` as ONNX Runtime writes it, such as ``tensor(float)``."""

    def __init__(self, tensor: Mapping[str, Any]) -> None:
        self.name: str = tensor["name"]
        self.shape: List[int] = list(tensor["shape"])
        self.type = f"tensor({_TYPES.get(tensor['type'], tensor['type'])})"

    def __repr__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape})"


class InferenceSession:
    """Runs an ONNX model on the accelerator, with the interface of ONNX Runtime's session.

    The model stays loaded in a process of its own; what a configuration ties as ``state`` stays between calls.

    Args:
        path_or_bytes: The file, or its bytes.
        sess_options: Of no account, like
        providers: and
        provider_options: the accelerator is the provider. So are
        disabled_optimizers.
        engine: ``"tlm"`` (SystemC, bit-exact) or ``"rtl"`` (Verilated; needs Verilator).
        hardware: As `tessera.simulate` takes it.
        policy: The same.
        config: A run configuration (YAML), which the other arguments change.
        verify: Compare every layer of every call with the reference kernels; it costs their time.
        **overrides: Any key of the configuration, such as ``numerics="onnxruntime_fused"``.

    Attributes:
        cycles: Of the accelerator, in the last `run`.
        external_bytes: That it read and wrote in external memory.
    """

    def __init__(
        self,
        path_or_bytes: Union[str, bytes],
        sess_options: Optional[Any] = None,
        providers: Optional[Sequence[Any]] = None,
        provider_options: Optional[Sequence[Any]] = None,
        disabled_optimizers: Optional[Sequence[str]] = None,
        *,
        engine: Optional[str] = None,
        hardware: Optional[Setting] = None,
        policy: Optional[Setting] = None,
        config: Optional[str] = None,
        verify: bool = False,
        **overrides: Setting,
    ) -> None:
        settings: Dict[str, Optional[Setting]] = {"engine": engine, "hardware": hardware, "policy": policy}
        self._session = Session(path_or_bytes, config, settings, overrides, verify)

    @property
    def cycles(self) -> int:
        return self._session.cycles

    @property
    def external_bytes(self) -> int:
        return self._session.external_bytes

    def get_inputs(self) -> List[NodeArg]:
        """The model's inputs, in its order."""
        return [NodeArg(tensor) for tensor in self._session.inputs]

    def get_outputs(self) -> List[NodeArg]:
        """The same of outputs."""
        return [NodeArg(tensor) for tensor in self._session.outputs]

    def get_providers(self) -> List[str]:
        """The one there is."""
        return [_PROVIDER]

    def run(
        self,
        output_names: Optional[Sequence[str]],
        input_feed: Mapping[str, Any],
        run_options: Optional[Any] = None,
    ) -> List[Array]:
        """One inference: the outputs of these names, or all.

        Raises:
            InputError: A name is not the model's, an input is missing, or has another type or shape.
        """
        inputs = {tensor["name"]: tensor for tensor in self._session.inputs}
        names = [tensor["name"] for tensor in self._session.outputs]
        for given in input_feed:
            if given not in inputs:
                raise InputError(f"`{given}` is no input; inputs are {', '.join(inputs)}")
        for name in inputs:
            if name not in input_feed:
                raise InputError(f"input `{name}` is missing")
        for name in output_names or []:
            if name not in names:
                raise InputError(f"`{name}` is no output; outputs are {', '.join(names)}")
        values = [fitting(input_feed[name], tensor, f"input `{name}`") for name, tensor in inputs.items()]
        outputs = dict(zip(names, self._session.run(values)))
        return [outputs[name] for name in (output_names or names)]

    def reset(self) -> None:
        """States begin anew."""
        self._session.reset()
