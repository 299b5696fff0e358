"""From arguments to a configuration and what changes it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._files import DEFAULT_CONFIG
from .errors import InputError
from .network import Network

Model = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, Network]
"""A network's file or built-in name, a model's bytes (TensorFlow Lite or ONNX), or a `Network`."""

Setting = Union[str, int, float, bool, Mapping[str, Any], Sequence[Any]]
"""A value of a configuration: a preset's name, a number, or a map as in YAML."""

# In a network that was written for a call.
_NETWORK_LINE = re.compile(r"^[\w-]+\.yaml:(?P<line>\d+):\d+: ")

# What a call has that no configuration says.
DEFAULTS: Dict[str, Setting] = {"hardware": "medium", "policy": "best", "engine": "tlm"}


def value_text(value: Setting) -> str:
    """As `--set` takes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):  # numpy's scalars
        value = value.item()
    try:
        return json.dumps(value)
    except TypeError as error:
        raise InputError(f"{value!r} cannot stand in a configuration: {error}") from None


def key_of(name: str) -> str:
    """`hardware__cbuf__size` is `hardware.cbuf.size`; `cbuf` is short for it."""
    return "hardware.cbuf.size" if name == "cbuf" else name.replace("__", ".")


def _ending(data: bytes) -> str:
    return ".tflite" if data[4:8] == b"TFL3" else ".onnx"


class Question:
    """A configuration's file and the changes to it, as the command line takes them.

    Models that are no files lie in a folder of their own while it is open.
    """

    def __init__(
        self,
        model: Optional[Model],
        config: Optional[Union[str, "os.PathLike[str]"]],
        settings: Mapping[str, Optional[Setting]],
        overrides: Mapping[str, Setting],
        defaults: Optional[Mapping[str, Setting]] = None,
    ) -> None:
        self._network: Optional[Network] = None
        self._folder = tempfile.TemporaryDirectory(prefix="tessera-")
        self.config = os.fspath(config) if config is not None else DEFAULT_CONFIG
        given: Dict[str, Setting] = {} if config is not None else dict(DEFAULTS if defaults is None else defaults)
        given.update({key_of(k): v for k, v in settings.items() if v is not None})
        late = {key_of(k): v for k, v in overrides.items()}
        for key in late:
            if "." not in key and key in settings:
                raise InputError(f"--set {key}: is given twice")
        given.update(late)
        # Presets before what is said about them.
        ordered = sorted(given.items(), key=lambda item: "." in item[0])
        self.sets: List[str] = [f"{key}={value_text(value)}" for key, value in ordered]
        self.model = self.model_file(model) if model is not None else None
        if self.model is not None:
            self.sets.append(f"network={json.dumps(self.model)}")

    def __enter__(self) -> "Question":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    @property
    def folder(self) -> Path:
        """For what lives as long as this."""
        return Path(self._folder.name)

    def model_file(self, model: Model) -> str:
        """The file, or the name of a built-in network."""
        if isinstance(model, Network):
            self._network = model
            return str(model.save(self.folder / f"{model.file_stem}.yaml"))
        if isinstance(model, (bytes, bytearray, memoryview)):
            data = bytes(model)
            path = self.folder / f"model{_ending(data)}"
            path.write_bytes(data)
            return str(path)
        if not isinstance(model, (str, os.PathLike)):
            raise InputError(
                f"model is {model!r}; allowed are a network's file or built-in name, a model's bytes, or a Network"
            )
        return os.fspath(model)

    def arguments(self) -> List[str]:
        """As options of the command line."""
        options = ["--config", self.config]
        for setting in self.sets:
            options += ["--set", setting]
        return options

    def rename(self, text: str) -> str:
        """Errors speak of arguments, not of files in a folder that is gone by then."""
        text = text.replace(f"{self.folder}{os.sep}", "").replace(f"{DEFAULT_CONFIG}: ", "")
        if self._network is not None:
            text = _NETWORK_LINE.sub(lambda m: self._network_place(int(m["line"])), text)
        return text

    def _network_place(self, line: int) -> str:
        assert self._network is not None
        layer = self._network.layer_at(line)
        return f"network `{self._network.name}`" + (f", layer `{layer}`: " if layer else ": ")
