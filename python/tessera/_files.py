"""Where the package has its files."""

from __future__ import annotations

import os
from pathlib import Path

_HERE = Path(__file__).resolve().parent
SHARE = Path(os.environ.get("TESSERA_DATA_DIR", _HERE / "share" / "tessera"))
COSIM = str(_HERE / "bin" / "cosim")
DEFAULT_CONFIG = str(SHARE / "configs" / "npu.yaml")
