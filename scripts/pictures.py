#!/usr/bin/env python3
"""Takes the pictures of docs/reference/reports.md anew: pictures.py COSIM (wants Chromium and Pillow)."""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

TOP = Path(__file__).resolve().parent.parent
IMAGES = TOP / "docs/images"
WIDTH, HEIGHT, EXPLORE_HEIGHT = 1200, 3000, 2320
COLOURS = 64
# Rows of the page at that width.
PARTS = {"report-page": (0, 1240), "timeline": (2180, 2830)}


def shoot(address, height, folder):
    shot = Path(folder) / "page.png"
    # Virtual time: until all is drawn.
    subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{height}", "--hide-scrollbars",
                    "--virtual-time-budget=8000", f"--screenshot={shot}", address], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Image.open(shot).convert("RGB")


def keep(picture, name):
    picture.quantize(COLOURS).save(IMAGES / f"{name}.png", optimize=True)


def run_page(cosim, folder):
    page = Path(folder) / "page.html"
    subprocess.run([cosim, "--config", TOP / "configs/npu.yaml", "--network", "mobilenet_v2", "--engine", "model", "--set",
                    "hardware=medium", "--set", "policy=best", "--quiet", "--report", page], check=True)
    whole = shoot(page.as_uri(), HEIGHT, folder)
    for name, (top, bottom) in PARTS.items():
        keep(whole.crop((0, top, WIDTH, bottom)), name)


def explore_page(cosim, folder):
    subprocess.run([cosim, "sweep", "--config", TOP / "configs/npu.yaml", "--network", "lenet5,resnet18", "--set",
                    "hardware=small,medium", "--set", "policy=best", "--engine", "model", "--cbuf", "32KiB..128KiB", "--quiet",
                    "--out", "sweep"], check=True, cwd=folder)
    with subprocess.Popen([cosim, "explore", "sweep/points.sqlite"], cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().strip()
        keep(shoot(f"{address}#filter.network=resnet18&a=0.6&b=0.11&layer=conv3_1b", EXPLORE_HEIGHT, folder), "explore")
        server.terminate()


def main(cosim):
    with tempfile.TemporaryDirectory() as folder:
        run_page(cosim, folder)
        explore_page(cosim, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
