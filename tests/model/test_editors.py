# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every way in which a field changes, frame by frame, with the checksums right."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from ipaddress import ip_address

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from TesterLibrary.model.editor import (
    Draw,
    Editor,
    FieldPath,
    FieldValues,
    Mode,
    RandomField,
    RandomMask,
    Sweep,
)
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch

from .jobs import left, loaded, looping
from .running import RunningModel

_COUNT = 60
_PORT, _SOURCE = FieldPath.parse("UDP.dport"), FieldPath.parse("IP.src")


def stream(name: str, port: Mode, source: Mode, **changes: object) -> Stream:
    editors = (Editor(_PORT, port), Editor(_SOURCE, source))
    given = {"rate": Rate.parse("100 kpps"), "frame_size": FrameSize(128), "editors": editors, **changes}
    return Stream(name, "p1", "p2", **given)  # type: ignore[arg-type]


_STREAMS = (
    stream("steps", Sweep("5000", "4990", "-5"), FieldValues(("10.0.0.7", "10.9.9.9", "10.0.1.8"))),
    stream("random", RandomField("6000", "6010"), RandomMask("0.0.15.240")),
    stream("drawn", Draw(("80", "443"), (Fraction(1, 4), Fraction(1))), RandomField("10.1.0.0", "10.1.0.2")),
    stream("cascade", Sweep("1", "4"), Sweep("10.2.0.1", "10.2.0.3"), cascades=((_PORT, _SOURCE),)),
)


def test_fields_change_in_every_way(model: RunningModel, switch: RemoteSwitch) -> None:
    tap = model.tap("p1")
    job = loaded(switch, _STREAMS)
    looping(switch, job)
    switch.write(list(job.starting(_COUNT)))
    frames = tap.frames(len(_STREAMS) * _COUNT, seconds=60)
    tap.close()
    seen: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for frame in frames:
        packet = Ether(frame)
        again = packet.copy()
        del again[IP].chksum, again[UDP].chksum
        assert bytes(again) == frame
        stream_id = int.from_bytes(bytes(packet[UDP].payload)[:2], "big")
        seen[stream_id].append((packet[UDP].dport, int(ip_address(packet[IP].src))))
    assert {number: len(values) for number, values in seen.items()} == dict.fromkeys(range(1, 5), _COUNT)
    for stream_id in (1, 4):
        editors = {editor.name: editor for editor in job.streams[stream_id].planned.editors}
        planned = [
            (editors["UDP.dport"].value(number), editors["IP.src"].value(number)) for number in range(_COUNT)
        ]
        assert seen[stream_id] == planned
    ports, sources = zip(*seen[2], strict=True)
    assert {*ports} <= {*range(6000, 6011)}
    assert len({*ports}) > 5
    base = int(ip_address("198.18.1.2"))
    assert {source & ~0xFF0 for source in sources} == {base & ~0xFF0}
    assert len({*sources}) > _COUNT // 3
    ports, sources = zip(*seen[3], strict=True)
    assert {*ports} == {80, 443}
    assert 3 <= ports.count(80) <= 30  # a quarter of 60 is 15
    assert {*sources} == {int(ip_address("10.1.0.0")) + number for number in range(3)}
    left(switch, job)
