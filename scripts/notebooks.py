#!/usr/bin/env python3
"""Runs the notebooks of docs/tutorial/notebooks: notebooks.py [--write] [--few] [NAME...]

Each runs in a fresh kernel of the Python that runs this, which must have the package. An error in a cell, or a warning
on stderr, is an error here. --write keeps the new outputs, without what differs from run to run. --few runs two of them, which
TESSERA_DRAW chooses.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).resolve().parent.parent / "docs/tutorial/notebooks"
MOST_BYTES = 400_000  # of a notebook with its outputs
SECONDS = 600


def cleaned(notebook):
    for cell in notebook.cells:
        cell.metadata.clear()
        if cell.cell_type != "code":
            continue
        cell.outputs = [o for o in cell.outputs if o.output_type != "stream" or o.name == "stdout"]
        for output in cell.outputs:
            output.pop("metadata", None)
            if output.output_type in ("display_data", "execute_result"):
                output["metadata"] = {}
                if "image/png" in output.data:
                    output.data.pop("text/plain", None)
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def complaints(notebook):
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                yield f"cell {number}: {output.text.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--few", action="store_true")
    arguments = parser.parse_args()
    files = [FOLDER / f"{name}.ipynb" for name in arguments.names] or sorted(FOLDER.glob("*.ipynb"))
    if arguments.few:
        files = sorted(random.Random(int(os.environ.get("TESSERA_DRAW", "1"))).sample(files, min(2, len(files))))
    bad = 0
    for file in files:
        notebook = nbformat.read(file, as_version=4)
        begin = time.monotonic()
        try:
            with tempfile.TemporaryDirectory() as sockets:  # no open port, no file among the sources
                kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/kernel")
                NotebookClient(notebook, km=kernel, timeout=SECONDS, record_timing=False).execute()
            problems = list(complaints(notebook))
        except CellExecutionError as error:
            problems = [str(error)]
        if arguments.write:
            nbformat.write(cleaned(notebook), file)
        if file.stat().st_size > MOST_BYTES:
            problems.append(f"{file.stat().st_size} bytes; allowed are {MOST_BYTES}")
        bad += bool(problems)
        print(f"{file.name}: {'; '.join(problems) or 'runs'} ({time.monotonic() - begin:.0f} s)")
    return bad


if __name__ == "__main__":
    sys.exit(main())
