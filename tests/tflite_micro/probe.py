"""One model in TensorFlow Lite Micro's interpreter: probe.py MODEL ARENA_BYTES [INPUT].

Writes the SHA-256 of the outputs; what the allocator says goes the same way. Exit code 1: it did not run.
"""

import hashlib
import sys

import numpy as np
from tflite_micro import runtime

try:
    interpreter = runtime.Interpreter.from_file(sys.argv[1], arena_size=int(sys.argv[2]))
except RuntimeError as error:
    print(error)
    sys.exit(1)
rng = np.random.default_rng(1)
position = 0
given = open(sys.argv[3], "rb").read() if len(sys.argv) > 3 else None
for i in range(sys.maxsize):
    try:
        details = interpreter.get_input_details(i)
    except (IndexError, ValueError, RuntimeError):
        break
    shape, dtype = details["shape"], np.dtype(details["dtype"])
    if given is not None:
        data = np.frombuffer(given, dtype).reshape(shape)
    elif dtype.kind == "f":
        data = rng.standard_normal(shape).astype(dtype)
    else:
        data = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    interpreter.set_input(data, i)
interpreter.invoke()
digest = hashlib.sha256()
for i in range(sys.maxsize):
    try:
        digest.update(interpreter.get_output(i).tobytes())
    except (IndexError, ValueError, RuntimeError):
        break
interpreter.print_allocations()
print("outputs", digest.hexdigest(), flush=True)
