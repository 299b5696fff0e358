"""``tf.lite.Interpreter``'s interface: an evaluation script changes its import.

>>> from tessera import lite
>>> interpreter = lite.Interpreter(model_path="model.tflite")       # doctest: +SKIP
>>> interpreter.allocate_tensors()                                  # doctest: +SKIP
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np
import numpy.typing as npt

from ._request import Setting
from ._session import Session, fitting
from .errors import Error, InputError

Array = npt.NDArray[Any]

__all__ = ["Interpreter", "OpResolverType", "load_delegate"]


class OpResolverType(Enum):
    """Whose kernels; of no account here, where ``numerics`` says whose results they are."""

    AUTO = 0
    BUILTIN = 1
    BUILTIN_REF = 2
    BUILTIN_WITHOUT_DEFAULT_DELEGATES = 3


def load_delegate(library: str, options: Optional[Any] = None) -> None:
    """Raises InputError: the accelerator takes no delegates."""
    raise InputError(f"delegate {library}: the accelerator takes none")


class Interpreter:
    """Runs a TensorFlow Lite model on the accelerator, with the interface of TensorFlow's and LiteRT's interpreter.

    The model stays loaded in a process of its own; states of streaming models stay between calls. Results are those of
    the runtime that ``numerics`` names; without it TensorFlow Lite Micro's.

    Args:
        model_path: The file, or
        model_content: its bytes.
        num_threads: Of no account: an accelerator has one of itself.
        engine: ``"tlm"`` (SystemC, bit-exact) or ``"rtl"`` (Verilated; needs Verilator).
        hardware: As `tessera.simulate` takes it.
        policy: The same.
        config: A run configuration (YAML), which the other arguments change.
        verify: Compare every layer of every call with the reference kernels; it costs their time.
        **overrides: Any key of the configuration, such as ``numerics="litert"``.

    Attributes:
        cycles: Of the accelerator, in the last `invoke`.
        external_bytes: That it read and wrote in external memory.
    """

    def __init__(
        self,
        model_path: Optional[str] = None,
        model_content: Optional[bytes] = None,
        experimental_delegates: Optional[Sequence[Any]] = None,
        num_threads: Optional[int] = None,
        experimental_op_resolver_type: Optional[Any] = None,
        experimental_preserve_all_tensors: bool = False,
        experimental_disable_delegate_clustering: bool = False,
        experimental_default_delegate_latest_features: bool = False,
        *,
        engine: Optional[str] = None,
        hardware: Optional[Setting] = None,
        policy: Optional[Setting] = None,
        config: Optional[str] = None,
        verify: bool = False,
        **overrides: Setting,
    ) -> None:
        if (model_path is None) == (model_content is None):
            raise InputError("give model_path or model_content, one of the two")
        if experimental_delegates:
            raise InputError("experimental_delegates: the accelerator takes none")
        if experimental_preserve_all_tensors:
            raise InputError("experimental_preserve_all_tensors: inputs and outputs are kept; tessera.compare shows the others")
        if model_content is not None and bytes(model_content[4:8]) != b"TFL3":
            raise InputError("model_content is no TensorFlow Lite model")
        model = model_path if model_content is None else bytes(model_content)
        settings: Dict[str, Optional[Setting]] = {"engine": engine, "hardware": hardware, "policy": policy}
        self._open: Callable[[], Session] = lambda: Session(model, config, settings, overrides, verify)
        self._session: Optional[Session] = None
        self._values: Dict[int, Array] = {}

    @property
    def cycles(self) -> int:
        return self._opened().cycles

    @property
    def external_bytes(self) -> int:
        return self._opened().external_bytes

    def _opened(self) -> Session:
        if self._session is None:
            raise Error("call allocate_tensors() first")
        return self._session

    def allocate_tensors(self) -> None:
        """Schedules the model and loads it; once, however often it is called."""
        if self._session is None:
            self._session = self._open()
            for tensor in self._session.inputs:
                self._values[tensor["index"]] = np.zeros(tensor["shape"], tensor["type"])

    @staticmethod
    def _detail(tensor: Dict[str, Any]) -> Dict[str, Any]:
        scales = np.array(tensor["scales"], np.float32)
        has_one = len(scales) == 1
        return {
            "name": tensor["name"],
            "index": tensor["index"],
            "shape": np.array(tensor["shape"], np.int32),
            "shape_signature": np.array(tensor["shape"], np.int32),
            "dtype": np.dtype(tensor["type"]).type,
            "quantization": (float(scales[0]), int(tensor["zero_point"])) if has_one else (0.0, 0),
            "quantization_parameters": {
                "scales": scales,
                "zero_points": np.full(len(scales), tensor["zero_point"], np.int32),
                "quantized_dimension": 0,
            },
            "sparsity_parameters": {},
        }

    def get_input_details(self) -> List[Dict[str, Any]]:
        """As TensorFlow's: name, index, shape, dtype, quantization."""
        self.allocate_tensors()
        return [self._detail(tensor) for tensor in self._opened().inputs]

    def get_output_details(self) -> List[Dict[str, Any]]:
        """The same of outputs."""
        self.allocate_tensors()
        return [self._detail(tensor) for tensor in self._opened().outputs]

    def get_tensor_details(self) -> List[Dict[str, Any]]:
        """Of inputs and outputs, which are all that can be had."""
        return [*self.get_input_details(), *self.get_output_details()]

    def resize_tensor_input(self, input_index: int, tensor_size: Sequence[int], strict: bool = False) -> None:
        """Raises InputError for another shape than the file's: a program is made for one."""
        tensor = self._input(input_index)
        if list(tensor_size) != list(tensor["shape"]):
            raise InputError(
                f"input `{tensor['name']}` has shape {tensor['shape']}, not {list(tensor_size)}: "
                "a program is made for the file's shapes"
            )

    def _input(self, index: int) -> Dict[str, Any]:
        self.allocate_tensors()
        for tensor in self._opened().inputs:
            if tensor["index"] == index:
                return tensor
        raise InputError(f"tensor {index} is no input; inputs are {[t['index'] for t in self._opened().inputs]}")

    def set_tensor(self, tensor_index: int, value: Any) -> None:
        """An input's values, in the file's own type and shape."""
        tensor = self._input(tensor_index)
        self._values[tensor_index] = fitting(value, tensor, f"input `{tensor['name']}`").copy()

    def invoke(self) -> None:
        """One inference."""
        session = self._opened()
        outputs = session.run([self._values[tensor["index"]] for tensor in session.inputs])
        for tensor, value in zip(session.outputs, outputs):
            self._values[tensor["index"]] = value

    def get_signature_list(self) -> Dict[str, Any]:
        """None: tensors are given and taken by their indices; ``signature=`` chooses the one that runs."""
        return {}

    def get_signature_runner(self, signature_key: Optional[str] = None) -> None:
        """Raises InputError: there is none."""
        raise InputError("signature runners are not there; set_tensor and get_tensor take indices of tensors")

    def get_tensor(self, tensor_index: int, subgraph_index: int = 0) -> Array:
        """A copy of an input's or output's values."""
        if subgraph_index != 0:
            raise InputError(f"subgraph {subgraph_index}: one is run, which is 0 here")
        if tensor_index not in self._values:
            known = sorted(self._values)
            raise InputError(f"tensor {tensor_index} has no values; there are those of {known}, of outputs after invoke()")
        return self._values[tensor_index].copy()

    def tensor(self, tensor_index: int) -> Callable[[], Array]:
        """A function that gives the values without a copy; it is called anew after each `invoke`."""
        return lambda: self._values[tensor_index]

    def reset_all_variables(self) -> None:
        """States begin anew."""
        self._opened().reset()
