"""cocotbext-axi's memory, made unpleasant: delays on every channel, answers out of order, errors."""

from collections import defaultdict

import cocotb
from cocotb.triggers import Event, RisingEdge
from cocotbext.axi import AxiBus, AxiRam, AxiRamRead, AxiRamWrite
from cocotbext.axi.constants import AxiResp


def pauses(rng, percent):
    """Endless: True in so many cycles of a hundred, in streaks."""
    while True:
        paused = rng.randrange(100) < percent
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            yield paused


def pause_all(ram, rng, percent):
    channels = (ram.write_if.aw_channel, ram.write_if.w_channel, ram.write_if.b_channel,
                ram.read_if.ar_channel, ram.read_if.r_channel)
    for channel in channels:
        channel.set_pause_generator(pauses(rng, percent))


class ShuffledReads(AxiRamRead):
    """Beats of reads with different ids come in any order and mixed; those of one id in theirs."""

    def __init__(self, *args, rng, **kwargs):
        self.rng = rng
        self.waiting = defaultdict(list)
        self.arrived = Event()
        self.overtaken = 0
        self.order = []
        super().__init__(*args, **kwargs)

    async def _accept(self):
        while True:
            ar = await self.ar_channel.recv()
            size, length, address = 1 << int(ar.arsize), int(ar.arlen) + 1, int(ar.araddr)
            assert size == self.byte_lanes
            address -= address % size
            assert address % 4096 + size * length <= 4096, "a burst crosses 4 KiB"
            self.order.append((int(ar.arid), object()))
            self.waiting[int(ar.arid)].append([address, length, self.order[-1]])
            self.arrived.set()

    async def _process_read(self):
        accept = cocotb.start_soon(self._accept())
        try:
            while True:
                ready = [i for i, bursts in self.waiting.items() if bursts]
                if not ready:
                    self.arrived.clear()
                    await self.arrived.wait()
                    # Let others come in, so that there is something to choose from.
                    for _ in range(self.rng.randrange(40)):
                        await RisingEdge(self.clock)
                    continue
                chosen = self.rng.choice(ready)
                burst = self.waiting[chosen][0]
                r = self.r_channel._transaction_obj()
                r.rid = chosen
                r.rresp = AxiResp.OKAY
                r.rlast = burst[1] == 1
                r.rdata = int.from_bytes(await self._read(burst[0], self.byte_lanes), "little")
                await self.r_channel.send(r)
                burst[0] += self.byte_lanes
                burst[1] -= 1
                if burst[1] == 0:
                    self.waiting[chosen].pop(0)
                    self.overtaken += self.order[0] is not burst[2]
                    self.order.remove(burst[2])
        finally:
            accept.cancel()


class FailingReads(AxiRamRead):
    """An error in answer to reads of `bad`, a range of addresses."""

    bad = range(0)

    async def _read(self, address, length):
        if any(a in self.bad for a in range(address, address + length)):
            raise ValueError("bad address")
        return await super()._read(address, length)


class FailingWrites(AxiRamWrite):
    bad = range(0)

    async def _write(self, address, data):
        if any(a in self.bad for a in range(address, address + len(data))):
            raise ValueError("bad address")
        return await super()._write(address, data)


class Ram(AxiRam):
    """AxiRam with other halves; both share one memory."""

    def __init__(self, dut, size, reads=FailingReads, writes=FailingWrites, **options):
        bus = AxiBus.from_prefix(dut, "m_axi")
        common = dict(clock=dut.clk, reset=dut.rst_n, reset_active_level=False, size=size)
        self.write_if = writes(bus.write, **common)
        self.read_if = reads(bus.read, mem=self.write_if.mem, **common, **options)
        # As AxiRam does behind its own halves.
        super(AxiRam, self).__init__(size, self.write_if.mem)
