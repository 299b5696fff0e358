"""What a folder of `cosim rom` says: names and numbers of its C header, and its memory map."""

import json
import re
from pathlib import Path


class RomFolder:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.map = json.loads((self.folder / "memory_map.json").read_text())
        header = (self.folder / "tessera_program.h").read_text()
        self.names = {
            name: int(value.rstrip("u"), 0)
            for name, value in re.findall(r"#define TESSERA_(\w+) (0x[0-9a-f]+u|\d+u)\s", header)
        }
        self.rom = (self.folder / "tessera_rom.bin").read_bytes()

    def __getitem__(self, name):
        return self.names[name]

    def parameters(self):
        """The accelerator's, as the folder's own top level gives them."""
        top = (self.folder / "tessera_system.sv").read_text()
        ours = (Path(__file__).parent / "npu_bench.sv").read_text()
        known = set(re.findall(r"parameter int unsigned (\w+)", ours))
        return {n: int(v) for n, v in re.findall(r"\.(\w+)\((\d+)\)", top) if n in known}

    def memory_bytes(self):
        ends = [s["address"] + s["bytes"] for s in self.map["sections"] if s["address"] is not None]
        return max([*ends, self.map["arena"]["address"] + self.map["arena"]["bytes"]])

    def fill(self, memory):
        """Constants and commands to where the accelerator looks for them."""
        for section in self.map["sections"]:
            if section["address"] is not None:
                at = section["rom_offset"]
                memory.write(section["address"], self.rom[at : at + section["bytes"]])
