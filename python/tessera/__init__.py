"""Co-design of convolution accelerators: schedule a quantised network, simulate it to the cycle, sweep, build.

>>> import tessera
>>> run = tessera.simulate("lenet5", hardware="small")
>>> run.verified
True
"""

from importlib.metadata import PackageNotFoundError, version

from .comparison import Comparison, compare
from .errors import EngineError, Error, InputError, MissingToolError, NoSingleOutput, VerificationError
from .hardware import Design, Fit, fit, fpga
from .memory_plan import MemoryPlan, plan
from .network import Network
from .rom_files import RomFiles, rom
from .run import Run, inspect, simulate
from .sweeps import sweep, sweep_layers

try:
    __version__ = version("tessera-npu")
except PackageNotFoundError:  # a source tree
    __version__ = "0"

__all__ = [
    "Comparison",
    "Design",
    "EngineError",
    "Error",
    "Fit",
    "InputError",
    "MemoryPlan",
    "MissingToolError",
    "Network",
    "NoSingleOutput",
    "RomFiles",
    "Run",
    "VerificationError",
    "compare",
    "fit",
    "fpga",
    "inspect",
    "plan",
    "rom",
    "simulate",
    "sweep",
    "sweep_layers",
]
