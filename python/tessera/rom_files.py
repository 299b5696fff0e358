"""Command ROMs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Optional, Union

from ._calls import Progress, command
from ._request import Model, Question, Setting
from .errors import Error


class RomFiles:
    """A folder with a command ROM: image in several formats, SystemVerilog, C for a processor, listing.

    Attributes:
        folder: Where it is.
        memory_map: What lies where, as ``memory_map.json`` says it; addresses and sizes in bytes.
        image: The ROM's bytes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.memory_map: Dict[str, Any] = json.loads((folder / "memory_map.json").read_text(encoding="utf-8"))
        self.image = (folder / "tessera_rom.bin").read_bytes()

    def __repr__(self) -> str:
        return f"RomFiles({self.folder}: {self.memory_map['rom_bytes']} bytes)"


def rom(
    model: Optional[Model] = None,
    out: Union[str, "os.PathLike[str]"] = "rom",
    *,
    config: Optional[Union[str, "os.PathLike[str]"]] = None,
    hardware: Optional[Setting] = None,
    policy: Optional[Setting] = None,
    memory: Optional[Setting] = None,
    seed: Optional[int] = None,
    base: int = 0,
    verify: bool = False,
    progress: bool = False,
    **overrides: Setting,
) -> RomFiles:
    """Writes a network's commands, constants and memory map as a ROM.

    Args:
        model: See `simulate`.
        out: Folder for the files.
        config: See `simulate`.
        hardware: See `simulate`.
        policy: See `simulate`.
        memory: See `simulate`.
        seed: See `simulate`.
        base: Where the memory map begins on the bus, in bytes.
        verify: Boot the files in Verilator and compare the outputs.
        progress: Show what is being done.
        **overrides: See `simulate`.

    Raises:
        InputError: Something that was given is wrong.
        MissingToolError: Verilator is not there, with `verify`.
        Error: With `verify`: the outputs differ.
    """
    settings = {"hardware": hardware, "policy": policy, "memory": memory, "seed": seed}
    with Question(model, config, settings, overrides) as question, Progress(progress, "rom") as bar:
        arguments = ["rom", *question.arguments(), "--out", os.fspath(out), "--base", str(base)]
        if command(arguments + (["--verify"] if verify else []), bar, question.rename) != 0:
            raise Error(f"{os.fspath(out)}: the ROM's outputs differ from the reference kernels")
    return RomFiles(Path(out))
