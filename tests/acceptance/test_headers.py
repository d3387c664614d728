# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames leave a device with the headers and payloads of their job, byte by byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from scapy.layers.l2 import Ether

from TesterLibrary.files.headers import load_headers
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.payload import Payload, PayloadKind
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.running.trial import StreamRun
from tests.dissection import STACKS, layers, wrong_checksums

from .capture import captured, frames, sequence, stream_id
from .robots import check_passed, run

OWN = "Ether / FabricTag(id=0xabc) / IP / UDP"
PAYLOADS = [
    Payload(kind, b"text" if kind in (PayloadKind.TEXT, PayloadKind.FILE) else b"") for kind in PayloadKind
]
FRAMES = 10  # of each stream


def test_every_stack_arrives_as_it_was_planned(bed: OpenTestbed, tmp_path: Path) -> None:
    basis = Stream("", tx="p1", rx="p2", frame_size=FrameSize(256), rate=Rate.parse("100 pps"))
    headers = replace(HeaderStack.parse(OWN), types=load_headers("example"))
    streams = [
        *(replace(basis, name=text, headers=HeaderStack.parse(text)) for text in STACKS),
        *(replace(basis, name=payload.kind.value, payload=payload) for payload in PAYLOADS),
        replace(basis, name=OWN, headers=headers),
    ]
    duration = Duration(FRAMES * 10_000_000)
    with (
        captured(bed, "p2", tmp_path / "out.pcap"),
        StreamRun(bed.tester, "headers", streams).loaded() as sent,
    ):
        sent.start(duration)
        bed.tester.target.wait(["headers"], timeout=Duration(10**10))
        trial = sent.finish(duration)
    assert [(s.counters.tx_packets, s.counters.rx_packets) for s in trial.streams] == [
        (FRAMES, FRAMES)
    ] * len(streams)

    arrived: dict[int, list[bytes]] = {}
    for _, frame in frames(tmp_path / "out.pcap"):
        arrived.setdefault(stream_id(frame), []).append(frame)
    for planned in sent.plan.streams:
        headers = arrived[planned.id]
        assert {frame[:-16] for frame in headers} == {planned.frame[:-16]}, planned.name
        assert [sequence(frame) for frame in headers] == list(range(FRAMES)), planned.name
        assert [wrong_checksums(frame) for frame in headers] == [[]] * FRAMES, planned.name
        names = [type(layer).__name__ for layer in layers(Ether(headers[0]))]
        assert " ".join(names) == STACKS.get(planned.name, " ".join(names))


@pytest.mark.long
def test_keywords_for_headers_and_payloads(tmp_path: Path) -> None:
    tests = run("headers.robot", tmp_path)
    assert len(tests) == 6
    check_passed(tests)
