"""Networks written in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from .errors import InputError

Pair = Union[int, Sequence[int]]
"""One number for height and width, or two."""

Padding = Union[str, int, Sequence[int]]
"""``"same"``, ``"valid"``, a number, or ``(top, left, bottom, right)``."""

Source = Union[str, Sequence[str]]
"""A layer's name, or several."""


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list, np.ndarray)):
        return [_plain(item) for item in value]
    return value


class Network:
    """A quantised network, layer by layer.

    Each layer reads the one before it unless ``source`` names another one. What is not given comes from
    the seed: weights, biases and scales. Layers and their parameters are those of the
    [layer list](layer-list.md); mistakes are found when the network is used.

    >>> net = Network("example", input=(32, 32, 3))
    >>> _ = net.conv2d(16, 3, padding="same", activation="relu", name="stem").max_pool2d(2).flatten().fully_connected(10)

    Args:
        name: What reports call it.
        input: Height, width and channels of the one input; None: layers say it (``in_shape``), or ``add_input``.
        seed: Of what is not given; None: the run's.
    """

    def __init__(
        self, name: str = "network", input: Optional[Sequence[int]] = None, seed: Optional[int] = None
    ) -> None:
        self.name = name
        self._input = list(input) if input is not None else None
        self._inputs: Dict[str, Dict[str, Any]] = {}
        self._seed = seed
        self._layers: List[Tuple[str, Dict[str, Any]]] = []
        self._outputs: List[str] = []

    # Shape of the whole.

    def add_input(
        self,
        name: str,
        shape: Sequence[int],
        type: str = "int8",
        scale: Optional[float] = None,
        zero_point: Optional[int] = None,
    ) -> "Network":
        """An input by name.

        Args:
            name: What layers call it as a source.
            shape: All extents, such as ``(1, 32, 32, 3)``: NHWC.
            type: int8, int16, int32, int64, float32 or bool.
            scale: Of int8: real value = scale * (stored - zero_point).
            zero_point: The stored value of 0, -128 to 127.
        """
        self._inputs[name] = self._filled(shape=shape, type=type, scale=scale, zero_point=zero_point)
        return self

    def output(self, *names: str) -> "Network":
        """Layers whose outputs are the network's; without a call the last layer's is."""
        self._outputs += names
        return self

    def layer(self, kind: str, /, **parameters: Any) -> "Network":
        """Any layer of the layer list by its type, such as ``layer("resize_nearest", size=(16, 16))``.

        Parameters that are None are left out; arrays are written beside the network.
        """
        parameters = self._filled(**parameters)
        if "source" in parameters:
            parameters["from"] = parameters.pop("source")
        if "in_shape" in parameters:
            parameters["in"] = parameters.pop("in_shape")
        self._layers.append((kind, parameters))
        return self

    @staticmethod
    def _filled(**parameters: Any) -> Dict[str, Any]:
        return {key: value for key, value in parameters.items() if value is not None}

    # Layers with weights.

    def conv2d(
        self,
        out_channels: int,
        kernel: Pair,
        *,
        stride: Pair = 1,
        padding: Padding = "valid",
        dilation: Pair = 1,
        groups: int = 1,
        activation: str = "none",
        name: Optional[str] = None,
        source: Optional[str] = None,
        in_shape: Optional[Sequence[int]] = None,
        weights: Optional[npt.NDArray[np.int8]] = None,
        weight_scales: Optional[Sequence[float]] = None,
        bias: Union[npt.NDArray[np.int32], str, None] = None,
        scale: Optional[float] = None,
        zero_point: Optional[int] = None,
    ) -> "Network":
        """A convolution.

        Args:
            out_channels: Kernels.
            kernel: Its height and width.
            stride: Rows and columns from an output to the next.
            padding: What is added around the input; see `Padding`.
            dilation: Rows and columns from a tap to the next.
            groups: Parts of the channels that see each other.
            activation: none, relu or relu6.
            name: What others call it; a number otherwise.
            source: The layer that it reads.
            in_shape: Height, width, channels of the input: makes a new one for the first layer.
            weights: int8, OHWI: (out_channels, kernel height, kernel width, channels / groups).
            weight_scales: One, or one per kernel.
            bias: int32, (out_channels,); or "none".
            scale: Of the output: real value = scale * (stored - zero_point).
            zero_point: Of the output, -128 to 127.
        """
        return self.layer(
            "conv2d", name=name, source=source, in_shape=in_shape, out_channels=out_channels, kernel=kernel,
            stride=stride, padding=padding, dilation=dilation, groups=groups, activation=activation, weights=weights,
            weight_scales=weight_scales, bias=bias, scale=scale, zero_point=zero_point,
        )

    def depthwise_conv2d(
        self,
        kernel: Pair,
        *,
        multiplier: int = 1,
        stride: Pair = 1,
        padding: Padding = "valid",
        dilation: Pair = 1,
        activation: str = "none",
        name: Optional[str] = None,
        source: Optional[str] = None,
        in_shape: Optional[Sequence[int]] = None,
        weights: Optional[npt.NDArray[np.int8]] = None,
        weight_scales: Optional[Sequence[float]] = None,
        bias: Union[npt.NDArray[np.int32], str, None] = None,
        scale: Optional[float] = None,
        zero_point: Optional[int] = None,
    ) -> "Network":
        """A depthwise convolution: `multiplier` outputs per channel.

        Weights are int8, (1, kernel height, kernel width, channels * multiplier); the rest is as in `conv2d`.
        """
        return self.layer(
            "depthwise_conv2d", name=name, source=source, in_shape=in_shape, multiplier=multiplier, kernel=kernel,
            stride=stride, padding=padding, dilation=dilation, activation=activation, weights=weights,
            weight_scales=weight_scales, bias=bias, scale=scale, zero_point=zero_point,
        )

    def fully_connected(
        self,
        out_features: int,
        *,
        activation: str = "none",
        name: Optional[str] = None,
        source: Optional[str] = None,
        in_shape: Optional[Sequence[int]] = None,
        weights: Optional[npt.NDArray[np.int8]] = None,
        weight_scales: Optional[Sequence[float]] = None,
        bias: Union[npt.NDArray[np.int32], str, None] = None,
        scale: Optional[float] = None,
        zero_point: Optional[int] = None,
    ) -> "Network":
        """A fully connected layer; weights are int8, (out_features, elements of the input)."""
        return self.layer(
            "fully_connected", name=name, source=source, in_shape=in_shape, out_features=out_features,
            activation=activation, weights=weights, weight_scales=weight_scales, bias=bias, scale=scale,
            zero_point=zero_point,
        )

    # Layers without weights.

    def max_pool2d(
        self, kernel: Pair, *, stride: Optional[Pair] = None, padding: Padding = "valid",
        name: Optional[str] = None, source: Optional[str] = None,
    ) -> "Network":
        """The largest value of each window; without a stride windows lie side by side."""
        return self.layer(
            "max_pool2d", name=name, source=source, kernel=kernel, stride=kernel if stride is None else stride,
            padding=padding,
        )

    def avg_pool2d(
        self, kernel: Pair, *, stride: Optional[Pair] = None, padding: Padding = "valid",
        name: Optional[str] = None, source: Optional[str] = None,
    ) -> "Network":
        """The average of each window; without a stride windows lie side by side."""
        return self.layer(
            "avg_pool2d", name=name, source=source, kernel=kernel, stride=kernel if stride is None else stride,
            padding=padding,
        )

    def add(
        self, first: str, second: str, *, activation: str = "none", name: Optional[str] = None,
        scale: Optional[float] = None, zero_point: Optional[int] = None,
    ) -> "Network":
        """The sum of two layers' outputs; shapes broadcast."""
        return self.layer(
            "add", name=name, source=[first, second], activation=activation, scale=scale, zero_point=zero_point
        )

    def mul(
        self, first: str, second: str, *, name: Optional[str] = None,
        scale: Optional[float] = None, zero_point: Optional[int] = None,
    ) -> "Network":
        """The product of two layers' outputs; shapes broadcast."""
        return self.layer("mul", name=name, source=[first, second], scale=scale, zero_point=zero_point)

    def concat(self, sources: Sequence[str], *, axis: int = 3, name: Optional[str] = None) -> "Network":
        """Outputs one behind the other along an axis (3: channels)."""
        return self.layer("concat", name=name, source=list(sources), axis=axis)

    def mean(self, *, name: Optional[str] = None, source: Optional[str] = None) -> "Network":
        """The average over height and width."""
        return self.layer("mean", name=name, source=source)

    def relu(self, *, name: Optional[str] = None, source: Optional[str] = None) -> "Network":
        """Values below the zero point become it."""
        return self.layer("relu", name=name, source=source)

    def flatten(self, *, name: Optional[str] = None, source: Optional[str] = None) -> "Network":
        """One row of all elements: no work."""
        return self.layer("flatten", name=name, source=source)

    def softmax(self, *, name: Optional[str] = None, source: Optional[str] = None) -> "Network":
        """Softmax of the last axis, on the host."""
        return self.layer("softmax", name=name, source=source)

    # Files.

    @property
    def file_stem(self) -> str:
        """The name, as far as a file can have it."""
        return "".join(c if c.isalnum() or c in "-_" else "_" for c in self.name) or "network"

    def layer_at(self, line: int) -> Optional[str]:
        """The layer in that line of `to_yaml`'s text, from 1: its name, or its type and number."""
        first = 2 + sum(part is not None and part != [] and part != {} for part in (self._seed, self._input, self._inputs, self._outputs))
        number = line - first - 1
        if not 0 <= number < len(self._layers):
            return None
        kind, parameters = self._layers[number]
        return str(parameters.get("name", f"{kind} {number}"))

    def to_yaml(self, arrays: Optional[Dict[str, npt.NDArray[Any]]] = None) -> str:
        """The layer list, a layer per line; `arrays` gets what is to stand in files beside it."""
        arrays = {} if arrays is None else arrays
        lines = [f"name: {json.dumps(self.name)}"]
        if self._seed is not None:
            lines.append(f"seed: {self._seed}")
        if self._input is not None:
            lines.append(f"input: {json.dumps(_plain(self._input))}")
        if self._inputs:
            lines.append(f"inputs: {json.dumps({k: self._text(v) for k, v in self._inputs.items()})}")
        if self._outputs:
            lines.append(f"outputs: {json.dumps(self._outputs)}")
        lines.append("layers:" if self._layers else "layers: []")
        for number, (kind, parameters) in enumerate(self._layers):
            entries = {}
            for key, value in parameters.items():
                if key in ("weights", "bias", "values") and isinstance(value, np.ndarray):
                    file = f"{self.file_stem}.{number}.{key}.bin"
                    arrays[file] = self._checked(value, key, str(parameters.get("name", kind)))
                    value = file
                entries[key] = value
            lines.append(f"  - {kind}: {json.dumps(self._text(entries))}")
        return "\n".join(lines) + "\n"

    @staticmethod
    def _text(entries: Mapping[str, Any]) -> Dict[str, Any]:
        return {key: _plain(value) for key, value in entries.items()}

    @staticmethod
    def _checked(array: npt.NDArray[Any], key: str, layer: str) -> npt.NDArray[Any]:
        wanted = {"weights": (np.int8, np.int16), "bias": (np.int32,)}.get(key)
        if wanted and array.dtype not in wanted:
            names = " or ".join(np.dtype(t).name for t in wanted)
            raise InputError(f"layer `{layer}`: {key} are {array.dtype}; allowed is {names}")
        return np.ascontiguousarray(array)

    def save(self, path: Union[str, Path]) -> Path:
        """Writes the layer list, which the command line reads, and its weights beside it."""
        path = Path(path)
        arrays: Dict[str, npt.NDArray[Any]] = {}
        text = self.to_yaml(arrays)
        for file, array in arrays.items():
            (path.parent / file).write_bytes(array.tobytes())
        path.write_text(text, encoding="utf-8")
        return path
