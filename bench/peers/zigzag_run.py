"""One of ZigZag's own workloads on an array of 16 x 16 with 256 KiB: zigzag_run.py WORKLOAD FOLDER. Writes cycles and energy.

The accelerator is ZigZag's `tpu_like` with other sizes: weights stationary, K x C unrolled, 64 bits per cycle from DRAM.
"""

import logging
import sys
from pathlib import Path

import yaml
import zigzag
from zigzag.api import get_hardware_performance_zigzag

inputs = Path(zigzag.__file__).parent / "inputs"
folder = Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
accelerator = yaml.safe_load((inputs / "hardware/tpu_like.yaml").read_text())
accelerator["operational_array"]["sizes"] = [16, 16]
accelerator["memories"]["sram_2MB"]["size"] = 256 * 1024 * 8
(folder / "accelerator.yaml").write_text(yaml.safe_dump(accelerator, sort_keys=False))
mapping = yaml.safe_load((inputs / "mapping/tpu_like.yaml").read_text())[:3]
for entry in mapping:
    for dimension, unrolled in entry["spatial_mapping"].items():
        entry["spatial_mapping"][dimension] = [u.replace("32", "16") for u in unrolled]
(folder / "mapping.yaml").write_text(yaml.safe_dump(mapping, sort_keys=False))
logging.disable(logging.INFO)
energy, latency, _ = get_hardware_performance_zigzag(
    workload=str(inputs / f"workload/{sys.argv[1]}.onnx"), accelerator=str(folder / "accelerator.yaml"),
    mapping=str(folder / "mapping.yaml"), opt="latency", dump_folder=str(folder / "out"),
    loma_show_progress_bar=False)
print(f"result {int(latency)} {energy:.0f}")
