# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps around a device on all testers that have them: the same bytes, the same counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw

from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.targets.engine.process import EngineProcess

from .path_rig import on_wire
from .stamp_rig import (
    ENGINE_PORTS,
    EngineAround,
    StampRig,
    SwitchAround,
    clear,
    counters,
    load_paths,
    load_stamps,
    start,
)

ENDS = IP(src="10.0.0.1", dst="10.0.0.2", flags="DF", id=7)
TIMESTAMP = [("NOP", None), ("NOP", None), ("Timestamp", (5, 1))]
STAMP_LENGTH = 16


def tcp(*, options: Sequence[Any] = (), payload: int = 100) -> Packet:
    header = TCP(sport=4000, dport=80, flags="PA", seq=9, options=list(options))
    return ENDS / header / Raw(bytes(range(payload)))


def udp(payload: int = 100, **fields: Any) -> Packet:
    return ENDS / UDP(sport=4000, dport=53, **fields) / Raw(bytes(range(payload)))


FITTING = {
    "tcp": tcp(),
    "with options": tcp(options=TIMESTAMP),
    "with all options that leave room": tcp(options=[*TIMESTAMP, *TIMESTAMP]),
    "an acknowledgement": tcp(payload=0),
    "one byte": tcp(payload=1),
    "udp": udp(),
    "empty": udp(payload=0),
    "without a checksum": udp(chksum=0),
    "tagged": Dot1Q(vlan=5) / tcp(),
    "longest": ENDS / UDP() / Raw(bytes(1456)),
}
UNFIT = {
    "a fragment": (IP(src="10.0.0.1", dst="10.0.0.2", frag=9, proto=6) / Raw(bytes(80)), "unfit"),
    "a first fragment": (IP(src="10.0.0.1", dst="10.0.0.2", flags="MF") / UDP() / Raw(bytes(80)), "unfit"),
    "another protocol": (ENDS / ICMP(), "unfit"),
    "no packet": (ARP(), "unfit"),
    "a full header": (tcp(options=[*TIMESTAMP, *TIMESTAMP, ("NOP", None)]), "no_room"),
    "a stamp of another clock": (tcp(options=[(0x0F, b"\x55" * 14)]), "occupied"),
    "too long": (ENDS / UDP() / Raw(bytes(1457)), "too_long"),
}


@pytest.fixture(scope="module")
def engine() -> Iterator[EngineProcess]:
    process = EngineProcess.launch(ports=ENGINE_PORTS)
    yield process
    process.stop()


@pytest.fixture(params=["engine", "tofino"])
def rig(request: pytest.FixtureRequest) -> Iterator[StampRig]:
    found: StampRig = (
        SwitchAround() if request.param == "tofino" else EngineAround(request.getfixturevalue("engine"))
    )
    yield found
    clear(found)


def is_right(frame: bytes) -> bool:
    """Whether all checksums and lengths of a frame are right."""
    packet, rebuilt = Ether(frame), Ether(frame)
    for layer in (IP, TCP, UDP):
        if layer in rebuilt:
            rebuilt[layer].delfieldval("chksum")
    if UDP in packet and packet[UDP].chksum == 0:
        rebuilt[UDP].chksum = 0
    return bytes(rebuilt) == frame


@pytest.mark.parametrize("name", FITTING)
@pytest.mark.parametrize("back", [False, True])
def test_a_packet_has_a_stamp_in_the_device_and_none_behind_it(rig: StampRig, name: str, back: bool) -> None:
    sent = on_wire(FITTING[name])
    start(rig)
    assert rig.target.capabilities().max_stamps
    (taken,), (arrived,) = rig.pass_frames([sent], back=back)
    assert arrived[: len(sent)] == sent
    assert len(taken) == len(sent) + STAMP_LENGTH
    assert is_right(taken)
    packet = Ether(taken)
    layer = TCP if TCP in packet else UDP
    stamp = bytes(packet[layer])[20:36] if layer is TCP else bytes(packet[layer])[8:24]
    assert stamp[:2].hex() == ("0f10" if layer is TCP else "0f11")
    assert int.from_bytes(stamp[2:8], "big")
    assert int.from_bytes(stamp[10:], "big")  # which packet it is, until it comes back
    found = counters(rig)[int(back)]
    assert (found.heading, found.sent, found.received) == (("forward", "backward")[back], 1, 1)
    assert (found.late, found.unstamped, found.duplicated, found.reordered) == (0, 0, 0, 0)
    assert (found.delay.count, sum(found.delay.buckets.values())) == (1, 1)
    assert found.delay.sum_ns == found.delay.min_ns == found.delay.max_ns
    assert found.last_sent_ns
    assert counters(rig)[int(not back)].sent == 0


@pytest.mark.parametrize("name", UNFIT)
def test_what_gets_no_stamp_is_counted_and_passes_as_it_is(rig: StampRig, name: str) -> None:
    packet, reason = UNFIT[name]
    start(rig)
    taken, arrived = rig.pass_frames([on_wire(packet)])
    assert taken == arrived == [on_wire(packet)]
    (there, _) = counters(rig)
    counts = {each: getattr(there, each) for each in ("unfit", "no_room", "occupied", "too_long")}
    assert counts == {**dict.fromkeys(counts, 0), reason: 1}
    assert (there.sent, there.received, there.unstamped) == (0, 0, 1)


def test_a_wrong_checksum_stays_wrong(rig: StampRig) -> None:
    start(rig)
    for layer in (IP, TCP):
        packet = Ether(on_wire(tcp()))
        packet[layer].chksum ^= 0x1234
        (taken,), (arrived,) = rig.pass_frames([bytes(packet)])
        assert arrived == bytes(packet)
        assert not is_right(taken)


def test_only_packets_with_the_headers_get_a_stamp(rig: StampRig) -> None:
    start(rig, headers=HeaderStack.parse("IP / TCP(dport=80)"), heading=Heading.FORWARD, data_only=True)
    others = [on_wire(udp()), on_wire(tcp(payload=0)), on_wire(ENDS / TCP(dport=81) / Raw(b"data"))]
    taken, arrived = rig.pass_frames([*others, on_wire(tcp())])
    assert arrived == [*others, on_wire(tcp())]
    assert taken[:3] == others
    (there,) = counters(rig)
    assert (there.sent, there.received, there.unstamped, there.unfit) == (1, 1, 0, 0)


def test_nothing_is_stamped_after_a_stop(rig: StampRig) -> None:
    start(rig)
    rig.target.stop(["stamps"])
    assert rig.pass_frames([on_wire(tcp())]) == ([on_wire(tcp())],) * 2
    (there, _) = counters(rig)
    assert (there.sent, there.unstamped) == (0, 1)
    rig.target.start(["stamps"])
    rig.pass_frames([on_wire(tcp())])
    (there, _) = counters(rig)
    assert (there.sent, there.received, there.unstamped) == (1, 1, 0)


def test_what_does_not_come_back_is_lost(rig: StampRig) -> None:
    start(rig)
    rig.pass_frames([on_wire(tcp())])
    rig.target.stop(["behind"])
    rig.pass_frames([on_wire(tcp())])
    rig.target.start(["behind"])
    rig.pass_frames([on_wire(tcp())])
    (there, _) = counters(rig)
    assert (there.sent, there.received) == (3, 2)


def test_a_path_has_one_group_of_stamps(rig: StampRig) -> None:
    start(rig)
    with pytest.raises(Exception, match=r'path "before" has the stamps "load" already'):
        load_stamps(rig, job="more")


def test_a_path_has_to_be_loaded(rig: StampRig) -> None:
    with pytest.raises(Exception, match=r'no path "before" of a job "before"; load it first'):
        load_stamps(rig)
    load_paths(rig)
    load_stamps(rig)
