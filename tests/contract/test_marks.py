# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Version bits that an author chose, and streams without signature."""

from __future__ import annotations

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.delays.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.stream import VersionField

from .rig import Rig

OTHER_PORT = HeaderStack.parse("Ether / IP / UDP(dport=9)")


@pytest.mark.refused_by("tofino", match=r"a switch writes the highest bit of IP\.id")
@pytest.mark.parametrize("signature", [True, False])
@pytest.mark.parametrize(
    ("field", "bit"), [("IP.tos", 2), ("UDP.sport", 0), ("IP.ttl", None), ("Ether.src", 42)]
)
def test_any_bit_tells_versions_apart(rig: Rig, field: str, bit: int | None, signature: bool) -> None:
    version = VersionField(FieldPath.parse(field), bit)
    rig.load(rig.plan("north", version=version, signature=signature))
    counted = _flipped(rig)
    for counters in counted.versions:
        assert counters.rx_packets == counters.tx_packets > 100
    assert not counted.rx_version_rewritten


def test_frames_without_signature_are_counted_by_their_headers(rig: Rig) -> None:
    rig.load(rig.plan("north", signature=False))
    counted = _flipped(rig)
    assert counted.rx_packets == counted.tx_packets == sum(v.rx_packets for v in counted.versions) > 200
    assert counted.rx_bytes == 64 * counted.rx_packets
    assert all(v.rx_packets == v.tx_packets for v in counted.versions)
    assert counted.first_rx_ns > 0
    assert (counted.latency.count, counted.order.next_sequence or 0, counted.rx_corrupted or 0) == (0, 0, 0)


@pytest.mark.timed
def test_their_delay_is_measured_blind(rig: Rig) -> None:
    rig.load(rig.plan("signed"))
    rig.load(rig.plan("north", signature=False, first_id=2))
    signed, blind = rig.run(["signed", "north"], packets=500).streams
    mean = signed.latency.sum_ns / signed.latency.count
    delay = BlindDelay(
        Passages(blind.versions[0].tx_packets, blind.versions[0].tx_time_ns),
        Passages(blind.versions[0].rx_packets, blind.versions[0].rx_time_ns),
        blind.last_tx_ns - blind.first_tx_ns,
    )
    assert delay.bound_ns == 0
    assert delay.mean_ns is not None
    assert 0 < delay.mean_ns < 100 * mean  # of the same path


def test_streams_without_signature_are_told_apart(rig: Rig) -> None:
    rig.load(rig.plan("north", signature=False))
    rig.load(rig.plan("other", signature=False, first_id=2, headers=OTHER_PORT))
    rig.load(rig.plan("back", signature=False, first_id=3, back=True))
    counted = rig.run(["north", "other", "back"], packets=200).streams
    assert [stream.rx_packets for stream in counted] == [200] * 3


def test_one_that_cannot_be_told_apart_is_refused(rig: Rig) -> None:
    rig.load(rig.plan("north", signature=False))
    with pytest.raises(PlanError):
        rig.target.load(rig.plan("same", signature=False, first_id=2))
    rig.load(rig.plan("other", signature=False, first_id=2, headers=OTHER_PORT))


def test_they_are_measured_again_after_an_unload(rig: Rig) -> None:
    rig.target.load(rig.plan("north", signature=False))
    rig.run(["north"], packets=10)
    rig.target.unload(["north"])
    rig.load(rig.plan("same", signature=False, first_id=2))
    (counted,) = rig.run(["same"], packets=10).streams
    assert counted.rx_packets == 10


def test_what_frames_are_known_by_stays_while_they_are_loaded(rig: Rig) -> None:
    rig.load(rig.plan("north", signature=False))
    (changed,) = rig.plan("north", signature=False, headers=OTHER_PORT).streams
    with pytest.raises(PlanError):
        rig.target.update("north", changed)
    (faster,) = rig.plan("north", signature=False, rate="20 kpps").streams
    rig.target.update("north", faster)


def _flipped(rig: Rig) -> StreamCounters:
    """The counters after three flips while it was sending."""
    rig.target.start(["north"])
    for _ in range(3):
        rig.pass_time(0.02)
        rig.target.flip(["north"])
    rig.pass_time(0.02)
    rig.target.stop(["north"])
    return rig.settled(["north"]).streams[0]
