#!/usr/bin/env python3
"""Code that each C kernel of host operators takes on a Cortex-M4: kernel-sizes.py [--write]

Compiles each kernel of rom/kernels alone with arm-none-eabi-gcc -Os and prints the bytes of its code, with all that it calls but
the compiler's and the mathematical library. --write puts them into docs/results/host-runtime.json.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import results

TOP = Path(__file__).resolve().parent.parent
KERNELS = TOP / "rom" / "kernels"
COMPILER = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-std=c99", "-ffreestanding", "-Os"]
# What prints in a row, the file and the function.
ROWS = [
    ("SOFTMAX, int8", "softmax.c", "softmax"),
    ("SOFTMAX as ONNX Runtime has it, int8", "softmax_bytes.c", "softmax_bytes"),
    ("SOFTMAX, float32", "softmax_float.c", "softmax_float"),
    ("LOG_SOFTMAX, int8", "log_softmax.c", "log_softmax"),
    ("functions of one int8 value (LOGISTIC, TANH, HARD_SWISH, QUANTIZE, ...)", "moves.c", "lookup"),
    ("QUANTIZE, float32 to int8", "quantise.c", "quantise"),
    ("DEQUANTIZE", "quantise.c", "dequantise"),
    ("ADD, SUB, int8", "pairs_int8.c", "add_i8"),
    ("MUL, int8", "pairs_int8.c", "mul_i8"),
    ("SQUARED_DIFFERENCE, int8", "pairs_int8.c", "squared_difference_i8"),
    ("PRELU, int8", "pairs_int8.c", "prelu_i8"),
    ("ADD, int32", "pairs_numbers.c", "add_i32"),
    ("ADD, float32", "pairs_numbers.c", "add_f32"),
    ("EXP, float32", "singles_libm.c", "exp_f32"),
    ("CAST, all types", "cast.c", "cast"),
    ("RESHAPE, TRANSPOSE, STRIDED_SLICE, TILE, REVERSE_V2, BROADCAST_TO, CONCATENATION", "moves.c", "move"),
    ("RESIZE_NEAREST_NEIGHBOR", "moves.c", "move_from_places"),
    ("MIRROR_PAD", "mirror_pad.c", "mirror_pad"),
    ("GATHER", "gather.c", "gather"),
    ("GATHER_ND", "gather.c", "gather_nd"),
    ("SELECT", "select.c", "select"),
    ("MEAN, SUM, int8: the sums", "reduce.c", "sums_i8"),
    ("MEAN, SUM, int8: their scale", "rescale.c", "rescale"),
    ("REDUCE_MAX, int8", "reduce.c", "reduce_max_i8"),
    ("ARG_MAX, int8", "arg.c", "arg_max_i8"),
    ("BATCH_MATMUL, int8", "matmul.c", "matmul_i8"),
    ("CONV_2D, int8", "convolution.c", "convolution"),
    ("DEPTHWISE_CONV_2D, int8", "convolution.c", "depthwise"),
    ("TRANSPOSE_CONV, int8", "convolution.c", "transposed_convolution"),
    ("FULLY_CONNECTED, int8", "convolution.c", "fully_connected"),
    ("CONV_2D, float32", "weighted_numbers.c", "weighted_f32"),
    ("CONV_2D, float32 by int8 weights", "hybrid.c", "hybrid"),
    ("AVERAGE_POOL_2D, MAX_POOL_2D, int8", "pools.c", "pool"),
    ("AVERAGE_POOL, float32", "spread_pools.c", "average_pool_f32"),
    ("RESIZE_BILINEAR, int8", "resize.c", "resize"),
    ("RESIZE_BILINEAR, float32", "resize_real.c", "resize_real"),
    ("L2_NORMALIZATION, int8", "norms.c", "l2_i8"),
    ("LAYER_NORMALIZATION, float32", "norms_float.c", "layer_norm"),
    ("TFLite_Detection_PostProcess", "detection.c", "detect"),
]
# The compiler comes without a mathematical library.
MATHS = ["exp", "log", "sin", "cos", "erf", "tanh", "sqrt", "expm1"]
MATH_H = "".join(f"float {name}f(float);\n" for name in MATHS) + "float powf(float, float);\nfloat fmodf(float, float);\ndouble exp(double);\n"


def code_bytes(folder, file, function):
    (folder / "math.h").write_text(MATH_H)
    source = folder / "kernel.c"
    source.write_text(f'#include "{file}"\nextern void (*const entry)(void);\nvoid (*const entry)(void) = (void (*)(void))tessera_{function};\n')
    built = folder / "kernel.o"
    subprocess.run([*COMPILER, "-I", folder, "-I", KERNELS, "-c", source, "-o", built], check=True)
    sizes = subprocess.run(["arm-none-eabi-size", "-A", built], check=True, capture_output=True, text=True).stdout
    return sum(int(size) for size in re.findall(r"^\.(?:text|rodata)\S*\s+(\d+)", sizes, re.M)) - 4  # the pointer to it


def main():
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    version = subprocess.run([COMPILER[0], "-dumpversion"], check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        for label, file, function in ROWS:
            size = code_bytes(Path(folder), file, function)
            print(f"{size:6} {label}")
            if len(sys.argv) > 1:
                results.put("host-runtime", "code-bytes", {"operator": label, "bytes": size}, tools=f"{COMPILER[0]} {version}")


main()
