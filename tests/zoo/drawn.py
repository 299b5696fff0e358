"""What drawn_onnx.py and drawn_tflite.py have in common."""
import argparse
import os
import subprocess

import numpy as np


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("cosim")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--keep")
    return parser


def ours(cosim, data, inputs, folder, ending, *more, outputs=1):
    """What the SystemC model makes of a model's bytes, several outputs behind each other; or nothing, and why."""
    path = os.path.join(folder, f"model.{ending}")
    with open(path, "wb") as file:
        file.write(data)
    for i, value in enumerate(inputs):
        np.save(os.path.join(folder, f"input{i}.npy"), value)
    out = os.path.join(folder, "out.npy")
    if os.path.exists(out):
        os.remove(out)
    outs = [os.path.join(folder, f"output{i}.npy") for i in range(outputs)] if outputs > 1 else [out]
    given = folder if len(inputs) > 1 else os.path.join(folder, "input0.npy")
    done = subprocess.run([cosim, path, "--engine", "tlm", "--quiet", *more, "--input", given,
                           "--output", folder if outputs > 1 else out],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
    return np.load(out) if outputs == 1 else np.concatenate([np.load(o).reshape(-1) for o in outs]), ""
