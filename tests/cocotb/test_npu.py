"""The accelerator on the bus of other people: cocotbext-axi's memory and register master.

Knows the files of `cosim rom`, the outputs that are right, and the AXI standard.
"""

import hashlib
import json
import logging
import os
import random
from pathlib import Path

import cocotb
from bus_models import Ram, ShuffledReads, pause_all, pauses
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from rom_folder import RomFolder

folder = RomFolder(os.environ["ROM"])
cases = json.loads(os.environ["CASES"])  # pairs of an input's file and the output's SHA-256
INPUT = folder.map["inputs"][0]
OUTPUT = [layer for layer in folder.map["layers"] if not layer["on_host"]][-1]["output"]


def average_of_all_pixels(layer, feature):
    """The one operator that `tiny` leaves to its host before the logits."""
    assert layer["op"] == "AVERAGE_POOL_2D"
    channels = layer["output"]["bytes"]
    pixels = len(feature) // channels
    sums = [sum(b - 256 * (b > 127) for b in feature[c::channels]) for c in range(channels)]
    # Halves away from zero, as TensorFlow Lite rounds.
    means = [(abs(s) + pixels // 2) // pixels * (1 if s >= 0 else -1) for s in sums]
    return bytes(m & 255 for m in means)


class Bench:
    def __init__(self, dut, **options):
        for name in ("cocotb.npu_bench", "cocotb.npu_bench.m_axi", "cocotb.npu_bench.s_axil"):
            logging.getLogger(name).setLevel(logging.ERROR)
        self.dut = dut
        dut.rst_n.value = 0
        cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst_n,
                                       reset_active_level=False)
        self.ram = Ram(dut, folder.memory_bytes(), **options)
        folder.fill(self.ram)
        cocotb.start_soon(self.stable_until_taken())

    async def reset(self):
        await ClockCycles(self.dut.clk, 5)
        self.dut.rst_n.value = 1
        await ClockCycles(self.dut.clk, 2)

    async def stable_until_taken(self):
        """What is offered stays as it is until it is taken: the rule that the models do not check."""
        dut = self.dut
        channels = {
            "ar": (dut.m_axi_arvalid, dut.m_axi_arready,
                   [dut.m_axi_araddr, dut.m_axi_arlen, dut.m_axi_arid]),
            "aw": (dut.m_axi_awvalid, dut.m_axi_awready,
                   [dut.m_axi_awaddr, dut.m_axi_awlen, dut.m_axi_awid]),
            "w": (dut.m_axi_wvalid, dut.m_axi_wready,
                  [dut.m_axi_wdata, dut.m_axi_wstrb, dut.m_axi_wlast]),
        }
        offered = dict.fromkeys(channels)
        while True:
            await FallingEdge(dut.clk)
            await ReadOnly()
            if dut.rst_n.value == 0:
                offered = dict.fromkeys(channels)
                continue
            for name, (valid, ready, payload) in channels.items():
                now = [str(p.value) for p in payload] if valid.value == 1 else None
                assert offered[name] is None or now == offered[name], f"{name} changed"
                offered[name] = now if ready.value == 0 else None

    async def read(self, name):
        return await self.registers.read_dword(folder["REG_" + name])

    async def write(self, name, value):
        await self.registers.write_dword(folder["REG_" + name], value)

    async def start(self, run):
        await self.write("CBUF_LIMIT", folder.map["cbuf_limit_atoms"])
        await self.write("WATCHDOG", folder["WATCHDOG_CYCLES"])
        await self.write("COMMAND_ADDRESS", run["address"])
        await self.write("COMMAND_BYTES", run["bytes"])
        await self.write("COMMAND_CHECKSUM", run["crc32"])
        await self.write("IRQ_ENABLE", 1)
        await self.write("CONTROL", folder["CONTROL_START"] | folder["CONTROL_CLEAR"]
                         | folder["CONTROL_CHECK"])

    async def finished(self):
        """The status behind the interrupt, once what was on the bus has come to its end."""
        await with_timeout(RisingEdge(self.dut.irq), 100, "ms")
        while (status := await self.read("STATUS")) & folder["STATUS_BUSY"]:
            pass
        return status

    async def infer(self, case):
        data, expected = Path(case[0]).read_bytes(), case[1]
        self.ram.write(INPUT["address"], data)
        layers = folder.map["layers"]
        at_host = [i for i, layer in enumerate(layers) if layer["on_host"]]
        for number, run in enumerate(folder.map["runs"]):
            await self.start(run)
            assert await self.finished() == folder["STATUS_DONE"]
            if number + 1 < len(folder.map["runs"]):
                before, layer = (layers[at_host[number] + i]["output"] for i in (-1, 0))
                feature = self.ram.read(before["address"], before["bytes"])
                result = average_of_all_pixels(layers[at_host[number]], feature)
                self.ram.write(layer["address"], result)
        output = self.ram.read(OUTPUT["address"], OUTPUT["bytes"])
        assert hashlib.sha256(output).hexdigest() == expected, case[0]


@cocotb.test()
async def identity(dut):
    bench = Bench(dut)
    await bench.reset()
    for name, value in {"ID": folder["ID"], "VERSION": folder["COMMAND_SET_VERSION"],
                        "ATOMIC_C": folder["ATOMIC_C"], "ATOMIC_K": folder["ATOMIC_K"],
                        "BUS_BYTES": folder["BUS_BYTES"], "ACC_WORDS": folder["ACC_WORDS"],
                        "FEATURES": folder["FEATURES"], "STATUS": 0}.items():
        assert await bench.read(name) == value, name


@cocotb.test()
async def registers_refuse_what_they_do_not_know(dut):
    """Parts of words, read-only and unknown registers: an error response, and nothing changes."""
    rng = random.Random(5)
    bench = Bench(dut)
    # Address and data of a write come apart, in either order.
    bench.registers.write_if.aw_channel.set_pause_generator(pauses(rng, 50))
    bench.registers.write_if.w_channel.set_pause_generator(pauses(rng, 50))
    await bench.reset()
    watchdog, limit = folder["REG_WATCHDOG"], folder["REG_CBUF_LIMIT"]
    for value in range(40):
        await bench.registers.write_dword(watchdog, 0x1000 + value)
        assert await bench.registers.read_dword(watchdog) == 0x1000 + value
        part = rng.randrange(1, 4)
        answer = await bench.registers.write(watchdog, b"\xff" * part)
        assert answer.resp == AxiResp.SLVERR
        assert await bench.registers.read_dword(watchdog) == 0x1000 + value
    too_much = folder["CBUF_LIMIT"] + 1
    for offset, value in ((folder["REG_ID"], 0), (folder["REG_STATUS"], 0), (0xFFC, 0), (limit, too_much)):
        before = await bench.registers.read(offset, 4)
        answer = await bench.registers.write(offset, value.to_bytes(4, "little"))
        assert answer.resp == AxiResp.SLVERR, hex(offset)
        assert (await bench.registers.read(offset, 4)).data == before.data
    assert (await bench.registers.read(0xFFC, 4)).resp == AxiResp.SLVERR


@cocotb.test()
async def network_on_a_quick_memory(dut):
    bench = Bench(dut)
    await bench.reset()
    await bench.infer(cases[0])


@cocotb.test()
async def network_with_pauses_on_all_channels(dut):
    rng = random.Random(2)
    bench = Bench(dut)
    pause_all(bench.ram, rng, 40)
    registers = bench.registers
    for channel in (registers.write_if.aw_channel, registers.write_if.w_channel,
                    registers.write_if.b_channel, registers.read_if.ar_channel,
                    registers.read_if.r_channel):
        channel.set_pause_generator(pauses(rng, 30))
    await bench.reset()
    await bench.infer(cases[-1])


@cocotb.test()
async def network_with_answers_out_of_order(dut):
    rng = random.Random(3)
    bench = Bench(dut, reads=ShuffledReads, rng=rng)
    pause_all(bench.ram, rng, 15)
    await bench.reset()
    await bench.infer(cases[0])
    assert bench.ram.read_if.overtaken > 5, "ids never overtook each other"


@cocotb.test()
async def errors_of_the_bus_stop_the_run_and_the_next_one_is_right(dut):
    bench = Bench(dut)
    await bench.reset()
    run = folder.map["runs"][0]
    constants = next(s for s in folder.map["sections"] if s["kind"] == "constants")
    reads, writes = bench.ram.read_if, bench.ram.write_if
    bad_commands = range(run["address"] + run["bytes"] // 2, run["address"] + run["bytes"] // 2 + 4)
    bad_constants = range(constants["address"] + 64, constants["address"] + 128)
    bad_input = range(INPUT["address"] + 100, INPUT["address"] + 101)
    bad_output = range(OUTPUT["address"], OUTPUT["address"] + 1)
    for side, bad, cause in ((reads, bad_commands, "READ_BUS"), (reads, bad_constants, "READ_BUS"),
                             (reads, bad_input, "READ_BUS"), (writes, bad_output, "WRITE_BUS")):
        side.bad = bad
        bench.ram.write(INPUT["address"], Path(cases[0][0]).read_bytes())
        await bench.start(run)
        assert await bench.finished() == folder["STATUS_ERROR"]
        assert await bench.read("ERROR_CAUSE") == folder["ERROR_" + cause]
        side.bad = range(0)
        await bench.write("CONTROL", folder["CONTROL_CLEAR"])
    await bench.infer(cases[0])


@cocotb.test()
async def a_reset_in_the_middle_leaves_nothing_behind(dut):
    bench = Bench(dut)
    await bench.reset()
    for cycles in (700, 3001):
        await bench.start(folder.map["runs"][0])
        await ClockCycles(dut.clk, cycles)
        dut.rst_n.value = 0
        await bench.reset()
        assert await bench.read("STATUS") == 0
    await bench.infer(cases[0])


