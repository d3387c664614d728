# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulated devices: what each loses, delays, overtakes and doubles, frame by frame."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.snapshot import Snapshot, StreamCounters
from TesterLibrary.model.departures import Messages, PacketTrain
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.targets.base import part_of
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget
from TesterLibrary.targets.simulated import SimulatedTarget
from TesterLibrary.testbeds.simulated import SimulatedDevice
from tests.contract.rig import Rig

MS, SECOND = 10**6, Duration(10**9)
FRAME_NS = 672  # 64 bytes at 1 Gbps, with preamble and gap


class SimulatedRig(Rig):
    """A simulated tester, whose time passes without waiting for it."""

    def __init__(self, **device: Any) -> None:
        self.simulated = SimulatedTarget(SimulatedDevice.of(device))
        super().__init__(self.simulated)

    def pass_time(self, seconds: float) -> None:
        self.simulated.advance(Duration(int(seconds * 1e9)))

    def sent(self, *, duration: Duration | None = None, packets: int | None = None) -> StreamCounters:
        """The counters of its stream, once all has arrived that will."""
        self.simulated.start(["north"], duration=duration, packets=packets)
        self.simulated.wait(["north"], timeout=SECOND)
        self.pass_time(0.1)
        (counted,) = self.simulated.snapshot(["north"]).streams
        return counted


def sent(offered: str = "10 kpps", **device: Any) -> StreamCounters:
    """The counters of a tenth of a second of one stream through a device."""
    rig = SimulatedRig(**device)
    rig.load(rig.plan("north", rate=offered))
    return rig.sent(duration=Duration(100 * MS))


def burst(frames: int, **device: Any) -> StreamCounters:
    rig = SimulatedRig(**device)
    rig.load(rig.plan("north", rate="100 %"))
    return rig.sent(packets=frames)


def lost(counted: StreamCounters) -> int:
    return counted.tx_packets - counted.rx_packets + (counted.order.duplicated or 0)


def test_a_queue_takes_what_is_not_forwarded_meanwhile() -> None:
    # At half of line rate one of two frames goes on while the burst comes in; 200 wait and one is on its way.
    assert lost(burst(401, rate="50 %", queue=200)) == 0
    first_lost = burst(403, rate="50 %", queue=200)
    assert lost(first_lost) == 1
    assert first_lost.latency.min_ns == 10_000 + 2 * FRAME_NS
    assert first_lost.latency.max_ns == 10_000 + 201 * 2 * FRAME_NS


def test_the_longest_burst_is_that_of_a_queue_worked_out_frame_by_frame() -> None:
    draw = random.Random(16)
    for _ in range(10):
        percent, queue = draw.randint(1, 99), draw.randint(0, 300)
        service = int(FRAME_NS * 100 / Fraction(percent))
        longest = 0
        while _holds(longest + 1, service, queue):
            longest += 1
        about = f"rate {percent} %, queue {queue}: {longest}"
        assert lost(burst(longest, rate=f"{percent} %", queue=queue)) == 0, about
        assert lost(burst(longest + 1, rate=f"{percent} %", queue=queue)) == 1, about


def _holds(frames: int, service_ns: int, queue: int) -> bool:
    """Whether the last of so many frames finds room, those before it having found room."""
    arrives_ns = (frames - 1) * FRAME_NS
    return frames - 1 - arrives_ns // service_ns <= queue


def test_a_breakpoint_loses_from_there_on() -> None:
    assert lost(sent("60 %", rate="60 %", queue=1)) == 0
    over = sent("66 %", rate="60 %", queue=1)
    assert lost(over) == pytest.approx(over.tx_packets * 6 / 66, abs=3)


def test_a_policer_lets_its_rate_pass_and_what_its_bucket_holds() -> None:
    """10,000 frames/s of 64 bytes are 5.12 Mbps. The bucket gets 31,218 bytes until the last one."""
    over = sent("10 kpps", police="2.5 Mbps", bucket=640)
    assert over.rx_packets == (640 + 31_218) // 64
    assert lost(sent("10 kpps", police="5.12 Mbps", bucket=64)) == 0
    assert lost(sent("10 kpps", police="5.1 Mbps", bucket=64)) > 0


def test_a_law_of_loss() -> None:
    device = {"loss": "8 %", "loss_from": "40 %"}
    assert lost(sent("40 %", **device)) == 0
    full, half = sent("100 %", **device), sent("70 %", **device)
    assert lost(full) / full.tx_packets == pytest.approx(0.08, abs=1e-4)
    assert lost(half) / half.tx_packets == pytest.approx(0.04, abs=1e-4)


def test_a_hiccup_delays_and_a_short_queue_loses_in_it() -> None:
    device = {"hiccup_every": "50 ms", "hiccup": "5 ms"}
    patient = sent("10 kpps", queue=60, **device)
    assert lost(patient) == 0
    assert 4 * MS < patient.latency.max_ns <= 5 * MS + 10_000 + 60 * FRAME_NS
    assert lost(sent("10 kpps", queue=10, **device)) == pytest.approx(2 * (50 - 11), abs=2)


def test_the_first_frames_after_a_silence_are_lost() -> None:
    rig = SimulatedRig(warm_up=25, idle="150 ms")
    rig.load(rig.plan("north"))
    for pause_ms, missing in ((0, 25), (0, 0), (200, 25), (10, 0)):
        rig.pass_time(pause_ms / 1000)
        counted = rig.sent(packets=100)
        assert lost(counted) == missing
        assert counted.first_rx_ns - counted.first_tx_ns == missing * 100_000 + 10_000 + FRAME_NS


def test_what_is_held_back_is_overtaken() -> None:
    counted = sent("10 kpps", hold_every=50, hold="3 ms")
    assert (lost(counted), counted.rx_out_of_order, counted.tx_packets) == (0, 19, 1000)
    assert counted.order.extent_max == 29  # the thirtieth comes at the same time
    assert counted.order.behind == 19  # the last of all was overtaken by none


def test_what_leaves_twice_arrives_twice() -> None:
    counted = sent("10 kpps", double_every=100)
    assert (counted.rx_packets, counted.order.duplicated, lost(counted)) == (1010, 10, 0)


def test_a_reset_is_a_silence() -> None:
    rig = SimulatedRig(silence="30 ms")
    rig.load(rig.plan("north"))
    rig.simulated.start(["north"], duration=Duration(200 * MS))
    rig.pass_time(0.05)
    rig.simulated.device.reset()
    rig.simulated.wait(["north"], timeout=SECOND)
    rig.pass_time(0.1)
    (counted,) = rig.simulated.snapshot(["north"]).streams
    assert counted.outages is not None
    assert counted.outages.longest_ns == pytest.approx(30 * MS, abs=100_000)
    assert counted.outages.longest_lost == lost(counted) == 300
    ended_ns = counted.outages.longest_start_ns + counted.outages.longest_ns
    assert counted.outages.last_sequence == (ended_ns - counted.first_rx_ns) // 100_000


def test_after_an_overload_frames_are_lost_for_a_while() -> None:
    rig = SimulatedRig(rate="50 %", queue=10, recovery="20 ms")
    overload = PacketTrain(1000, Duration(0), Duration(FRAME_NS))
    calm = PacketTrain(2000, Duration(50_000), Duration(50_000))
    shaping = Messages((overload, calm), repeat=False)
    plan = rig.plan("north", rate=shaping.average, shaping=shaping)
    rig.load(plan)
    counted = rig.sent()
    assert counted.outages is not None
    last = counted.outages.last_sequence - 1 - 1000
    assert 20 * MS - 150_000 <= (last + 1) * 50_000 <= 20 * MS + 50_000


def test_a_transparent_device_is_that_of_the_fake() -> None:
    """Counters of the fake come from formulas, those of the simulated device from frames."""

    def run(rig: Rig) -> Snapshot:
        target = rig.target
        plans = [
            rig.plan("a", rate="33 kpps"),
            rig.plan("b", rate="7 kpps", frame_size=512, first_id=3, back=True),
            rig.plan("c", rate="100 Mbps", frame_size=1518, first_id=5, signature=False),
        ]
        for plan in plans:
            rig.load(plan)
        target.start(["a", "b"], duration=Duration(20 * MS))
        target.wait(["a", "b"], timeout=SECOND)
        target.start(["c"], packets=50)
        target.flip(["a"])
        target.update("c", replace(plans[2].streams[0]))
        target.wait(["c"], timeout=SECOND)
        target.unload(["b"])
        return target.snapshot()

    fake = FakeTarget(device=FakeDevice(FakePath(delay=Duration(0))))
    formulas, frames = run(_Passing(fake)), run(SimulatedRig(delay="0 s"))
    for one, other in zip(formulas.streams, frames.streams, strict=True):
        for name in (
            "tx_packets",
            "tx_bytes",
            "first_tx_ns",
            "last_tx_ns",
            "rx_packets",
            "rx_bytes",
            "open_version",
        ):
            assert getattr(one, name) == getattr(other, name), name
        assert one.order == other.order
        assert one.latency.count == other.latency.count
    assert formulas.ports == frames.ports


class _Passing(Rig):
    def pass_time(self, seconds: float) -> None:
        assert isinstance(self.target, FakeTarget)
        self.target.advance(Duration(int(seconds * 1e9)))


def test_what_a_simulated_tester_cannot_is_refused_by_name() -> None:
    rig = SimulatedRig()
    with pytest.raises(PlanError, match="captures no frames"):
        part_of(rig.target, "captures")
    (stream,) = rig.plan("north").streams
    with pytest.raises(PlanError, match="'north': a simulated tester does not count flows"):
        rig.target.load(replace(rig.plan("north"), streams=(replace(stream, flows=4),)))
    counts = rig.target.capabilities().counts
    assert "OUTAGES" in {counter.name for counter in counts}
    assert "VARIATION" not in {counter.name for counter in counts}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"rate": "0 %"}, "rate: give more than 0"),
        ({"loss_from": "100 %"}, "loss_from: give 0 to below 100 %"),
        ({"hiccup": "1 s"}, "hiccup: give less than hiccup_every"),
        ({"hold": "1 ms"}, "hold: give it with hold_every"),
        ({"hold_every": 3}, "hold: give it with hold_every"),
    ],
)
def test_a_device_without_sense_is_refused(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        SimulatedDevice.of(options)


def test_options_are_read_with_their_units() -> None:
    device = SimulatedDevice.of({"rate": "60 %", "queue": 3, "silence": "1.5 s"})
    assert (device.rate, device.queue, device.silence) == (Ratio(Fraction(3, 5)), 3, Duration(1500 * MS))
