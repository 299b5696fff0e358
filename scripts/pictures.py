#!/usr/bin/env python3
"""Takes the pictures of docs/reports.md anew: pictures.py COSIM (wants Chromium and Pillow)."""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

TOP = Path(__file__).resolve().parent.parent
IMAGES = TOP / "docs/images"
WIDTH, HEIGHT = 1200, 3000
COLOURS = 64
# Rows of the page at that width.
PARTS = {"report-page": (0, 1240), "timeline": (2180, 2830)}


def main(cosim):
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        shot = Path(folder) / "page.png"
        subprocess.run([cosim, "--config", TOP / "configs/npu.yaml", "--network", "mobilenet_v2", "--engine", "model", "--set",
                        "hardware=medium", "--set", "policy=best", "--quiet", "--report", page], check=True)
        # Virtual time: until all is drawn.
        subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                        f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}", "--hide-scrollbars",
                        "--virtual-time-budget=8000", f"--screenshot={shot}", page.as_uri()], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        whole = Image.open(shot).convert("RGB")
        for name, (top, bottom) in PARTS.items():
            part = whole.crop((0, top, WIDTH, bottom)).quantize(COLOURS)
            part.save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
