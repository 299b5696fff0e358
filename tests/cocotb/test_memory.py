"""The boards' memory behind its port, used by cocotbext-axi's master, several transfers at a time; and by the host link's bytes.

Knows the AXI standard, and that bursts are of whole beats."""

import logging
import os
import random

import cocotb
from bus_models import pauses
from cocotb.clock import Clock
from cocotb.triggers import Combine, FallingEdge, ReadOnly, RisingEdge, Timer, with_timeout
from cocotbext.axi import AxiBus, AxiMaster, AxiResp

BYTES = int(os.environ["MEMORY_BYTES"])
BEYOND = 0x8000_0000
FLASH = 0x0100_0000
FLASH_BYTES = 1 << 24
HAS_FLASH = "HAS_FLASH" in os.environ


class Bench:
    def __init__(self, dut):
        for name in ("cocotb.memory_axi_bench", "cocotb.memory_axi_bench.s_axi"):
            logging.getLogger(name).setLevel(logging.ERROR)
        self.dut = dut
        dut.byte_valid.value = 0
        dut.byte_write.value = 0
        dut.byte_address.value = 0
        dut.byte_data.value = 0
        cocotb.start_soon(Clock(dut.clk, 20, unit="ns").start())
        self.axi = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst_n,
                             reset_active_level=False)

    async def until_ready(self):
        """Powered up by the first test: a memory in use does without refreshes while its controller is reset."""
        if self.dut.ready.value != 1:
            self.dut.rst_n.value = 0
            await Timer(200, "ns")
            await FallingEdge(self.dut.clk)
            self.dut.rst_n.value = 1
            await with_timeout(RisingEdge(self.dut.ready), 1, "ms")
        cocotb.start_soon(self.stable_until_taken())

    def pause(self, rng, percent):
        read, write = self.axi.read_if, self.axi.write_if
        for channel in (read.ar_channel, read.r_channel, write.aw_channel, write.w_channel,
                        write.b_channel):
            channel.set_pause_generator(pauses(rng, percent))

    async def stable_until_taken(self):
        """What is answered stays as it is until it is taken: the rule that the master does not check."""
        dut = self.dut
        channels = {
            "r": (dut.s_axi_rvalid, dut.s_axi_rready,
                  [dut.s_axi_rid, dut.s_axi_rdata, dut.s_axi_rresp, dut.s_axi_rlast]),
            "b": (dut.s_axi_bvalid, dut.s_axi_bready, [dut.s_axi_bid, dut.s_axi_bresp]),
        }
        offered = dict.fromkeys(channels)
        while True:
            await FallingEdge(dut.clk)
            await ReadOnly()
            for name, (valid, ready, payload) in channels.items():
                now = [str(p.value) for p in payload] if valid.value == 1 else None
                assert offered[name] is None or now == offered[name], f"{name} changed"
                offered[name] = now if ready.value == 0 else None

    async def byte(self, address, data=None):
        """Writes a byte as the host link does, or reads one."""
        dut = self.dut
        await FallingEdge(dut.clk)
        dut.byte_valid.value = 1
        dut.byte_write.value = data is not None
        dut.byte_address.value = address
        dut.byte_data.value = data or 0
        answer = None
        taken = False
        while not taken or (data is None and answer is None):
            await RisingEdge(dut.clk)
            taken_now = not taken and dut.byte_ready.value == 1
            if dut.byte_answer_valid.value == 1:
                answer = int(dut.byte_answer.value)
            await FallingEdge(dut.clk)
            taken = taken or taken_now
            dut.byte_valid.value = not taken
        return answer

    def fine(self):
        assert int(self.dut.broken.value) == 0, f"rule {int(self.dut.broken.value)} of the memory"
        assert self.dut.foreign.value == 0


async def traffic(bench, rng, first, size, transfers, used):
    """Writes and reads of all lengths in a region of its own; what comes back was written last."""
    await bench.axi.write(first, bytes(size))
    shadow = bytearray(size)
    for _ in range(transfers):
        length = min(rng.choice((1, 2, 3, 4, 8, 60, 64, 257, 1024, 3000)), size)
        at = rng.randrange(size - length + 1)
        if rng.random() < 0.6:
            data = rng.randbytes(length)
            response = await bench.axi.write(first + at, data)
            assert response.resp == AxiResp.OKAY
            shadow[at:at + length] = data
        else:
            response = await bench.axi.read(first + at, length)
            assert response.resp == AxiResp.OKAY
            assert response.data == shadow[at:at + length], f"bytes from {first + at:#x}"
        used.append(length)
    response = await bench.axi.read(first, size)
    assert response.data == shadow


async def link(bench, rng, first, size, transfers):
    shadow = {}
    for _ in range(transfers):
        at = first + rng.randrange(size)
        if at not in shadow or rng.random() < 0.5:
            shadow[at] = rng.randrange(256)
            await bench.byte(at, shadow[at])
        else:
            assert await bench.byte(at) == shadow[at], f"the byte at {at:#x}"


async def everybody(dut, seed, percent):
    rng = random.Random(seed)
    bench = Bench(dut)
    await bench.until_ready()
    if percent:
        bench.pause(rng, percent)
    used = []
    # Regions that share rows and beats: neighbours end in the middle of one.
    tasks = [cocotb.start_soon(traffic(bench, random.Random(seed + i), 4093 * i + 1, 4093, 30, used))
             for i in range(5)]
    tasks.append(cocotb.start_soon(link(bench, rng, 4093 * 5 + 1, 64, 60)))
    await with_timeout(Combine(*tasks), 20, "ms")
    assert len(used) == 150
    bench.fine()


def flash_bytes(first, length):
    """As flash_bytes.cpp has them."""
    return bytes(((a * 2654435761) >> 24) & 255 for a in range(first, first + length))


@cocotb.test(skip=not HAS_FLASH)
async def flash_is_awake_when_it_is_ready(dut):
    """The first test: later it has been awake for long."""
    bench = Bench(dut)
    await bench.until_ready()
    assert await bench.byte(FLASH + 3) == flash_bytes(3, 1)[0]
    bench.fine()


@cocotb.test()
async def at_once(dut):
    await everybody(dut, 1, 0)


@cocotb.test()
async def with_pauses(dut):
    await everybody(dut, 2, 30)


@cocotb.test()
async def with_long_pauses(dut):
    await everybody(dut, 3, 75)


@cocotb.test()
async def ends_of_the_memory(dut):
    bench = Bench(dut)
    await bench.until_ready()
    for address in (0, BYTES - 4096):
        data = random.Random(address).randbytes(4096)
        assert (await bench.axi.write(address, data)).resp == AxiResp.OKAY
        assert (await bench.axi.read(address, 4096)).data == data
    bench.fine()


@cocotb.test()
async def beyond_the_memory(dut):
    """Errors come back where they belong, among transfers that are right, and nothing is written."""
    rng = random.Random(4)
    bench = Bench(dut)
    await bench.until_ready()
    bench.pause(rng, 30)
    before = rng.randbytes(512)
    await bench.axi.write(0, before)

    async def wrong():
        for _ in range(80):
            length = rng.choice((1, 4, 4, 16, 200))
            assert (await bench.axi.write(BEYOND, bytes(length))).resp == AxiResp.DECERR
            assert (await bench.axi.read(BEYOND, length)).resp == AxiResp.DECERR

    tasks = [*(cocotb.start_soon(wrong()) for _ in range(3)),
             cocotb.start_soon(traffic(bench, random.Random(5), 1024, 2048, 40, []))]
    await with_timeout(Combine(*tasks), 20, "ms")
    assert (await bench.axi.read(0, 512)).data == before
    bench.fine()


@cocotb.test(skip=not HAS_FLASH)
async def flash_is_read_among_everything_else(dut):
    rng = random.Random(6)
    bench = Bench(dut)
    await bench.until_ready()
    bench.pause(rng, 30)
    reads = 0

    async def programs(seed):
        nonlocal reads
        mine = random.Random(seed)
        for _ in range(25):
            length = mine.choice((1, 4, 5, 64, 256))
            at = mine.choice((0, FLASH_BYTES - length, mine.randrange(FLASH_BYTES - length)))
            response = await bench.axi.read(FLASH + at, length)
            assert response.resp == AxiResp.OKAY
            assert response.data == flash_bytes(at, length), f"bytes from {at:#x}"
            reads += 1

    async def compares():
        for _ in range(30):
            at = rng.randrange(FLASH_BYTES)
            assert await bench.byte(FLASH + at) == flash_bytes(at, 1)[0], f"the byte at {at:#x}"

    tasks = [*(cocotb.start_soon(programs(seed)) for seed in (7, 8)), cocotb.start_soon(compares()),
             cocotb.start_soon(traffic(bench, random.Random(9), 1024, 2048, 60, []))]
    await with_timeout(Combine(*tasks), 20, "ms")
    assert reads == 50
    bench.fine()


@cocotb.test(skip=not HAS_FLASH)
async def flash_is_not_written(dut):
    bench = Bench(dut)
    await bench.until_ready()
    before = random.Random(10).randbytes(64)
    await bench.axi.write(0x40, before)
    assert (await bench.axi.write(FLASH + 0x40, bytes(64))).resp == AxiResp.DECERR
    assert (await bench.axi.read(FLASH + 0x40, 64)).data == flash_bytes(0x40, 64)
    assert (await bench.axi.read(0x40, 64)).data == before
    bench.fine()


@cocotb.test(skip=not HAS_FLASH)
async def a_reset_in_the_middle_of_a_read_is_survived(dut):
    bench = Bench(dut)
    await bench.until_ready()
    dut.byte_valid.value = 1
    dut.byte_address.value = FLASH + 5
    for cycles in (3, 9, 20, 33):
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.rst_n.value = 0
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.rst_n.value = 1
        await with_timeout(RisingEdge(dut.ready), 1, "ms")
    dut.byte_valid.value = 0
    await Timer(2, "us")
    assert await bench.byte(FLASH + 6) == flash_bytes(6, 1)[0]
    bench.fine()
