# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A header field that a device changes in all frames, in some, or takes away, in frames that Scapy builds."""

from __future__ import annotations

import operator as functions
import random
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet

from TesterLibrary.measurement.capture import CaptureCounters, CapturedFrame
from TesterLibrary.measurement.captured_frames import CapturedFrames
from TesterLibrary.methodology.verdicts.header_field import judge_all_frames
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.expected_field import ExpectedField
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.running.capture import CaptureFile
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.observed import judge_captured_field
from TesterLibrary.targets.fake import FakeDevice, FakePath
from TesterLibrary.targets.fake.changes import FakeChange
from tests.unit.running.testers import fake_tester

from .case import Case, judge

_SIGNS = {"==": functions.eq, "<=": functions.le, ">": functions.gt}
_FIELDS = ("IP.ttl", "IP.tos", "VLAN.vlan", "UDP.dport")


@judge
def header_field(draw: random.Random) -> Case:
    """Each frame has values of its own; the truth is the comparison of the numbers that were given."""
    field = draw.choice(_FIELDS)
    count = draw.randint(1, 12)
    change = draw.choice([0, -1, -2, 1])
    sent = [draw.randint(4, 250) for _ in range(count)]
    arrived: list[int | None] = [value + change for value in sent]
    if draw.random() < 0.3:
        arrived[draw.randrange(count)] = None if field == "VLAN.vlan" else draw.randint(0, 255)
    sees_departures = draw.random() < 0.9
    frames = []
    for number, (left, came) in enumerate(zip(sent, arrived, strict=True)):
        if sees_departures:
            frames.append(_frame(number, _packet(field, left), transmitted=True))
        frames.append(_frame(number, _packet(field, came), transmitted=False))
    sign = draw.choice(list(_SIGNS))
    of_sent, number = draw.random() < 0.7, draw.choice([change, change, 0, -1])
    expected = f"sent {'-' if number < 0 else '+'} {abs(number)}" if of_sent else str(draw.choice(sent) + 1)
    limits = [left + number for left in sent] if of_sent else [int(expected)] * count
    truth = all(
        came is not None and _SIGNS[sign](came, limit) for came, limit in zip(arrived, limits, strict=True)
    )
    captured = CaptureFile(Path("x"), CaptureCounters("all"), (CapturedFrames.of(frames),), {1: "north"})
    verdict = judge_captured_field(
        captured, "north", ExpectedField.of(FieldPath.parse(field), sign, expected)
    )
    lost = all(came is None for came in arrived)
    excuse = "departures were not captured" if not sees_departures and (of_sent or lost) else ""
    return Case("header field", truth, verdict, excuse, f"{field} {sign} {expected}; {sent=} {arrived=}")


@judge
def all_frames(draw: random.Random) -> Case:
    """A device of the fake loses frames and changes the TTL of some; the truth is what is left and right."""
    sent, add = draw.randint(10, 250), draw.choice([0, -1, -2, 1])
    part = draw.choice([Fraction(0), Fraction(1), Fraction(draw.randint(1, 99), 100)])
    lost = draw.choice([Fraction(0), Fraction(0), Fraction(1, 3), Fraction(1)])
    sign, number = draw.choice(list(_SIGNS)), draw.choice([0, -1, 1])
    expected = ExpectedField.of(
        FieldPath("IP", "ttl"),
        sign,
        draw.choice([f"sent {'-' if number < 0 else '+'} {abs(number)}", str(sent + number)]),
    )
    path = FakePath(loss=Ratio(lost), changes=(FakeChange("IP.ttl", add, Ratio(part)),))
    stream = Stream(
        "north",
        "p1",
        "p2",
        FrameSize(64),
        Rate.parse("1 kpps"),
        HeaderStack.parse(f"Ether / IP(ttl={sent}) / UDP"),
    ).expecting(expected)
    with TemporaryDirectory() as folder:
        tester = fake_tester(Path(folder), device=FakeDevice(path))
        trial = TrialMeasurer(tester, [stream]).measure(tester.part_of_line(stream), Duration(10**9))
    left = [sent] * (part < 1) + [sent + add] * (part > 0)
    truth = all(_SIGNS[sign](value, sent + number) for value in left) if trial.received else None
    verdict = judge_all_frames([trial], "north", expected)
    excuse = "" if trial.received else "no frame of north arrived"
    return Case("all frames", truth, verdict, excuse, f"{expected}; {sent=} {add=} {part=} {lost=}")


def _packet(field: str, value: int | None) -> Packet:
    header, _, name = field.partition(".")
    values = {} if value is None else {name: value}
    ip = IP(**(values if header == "IP" else {})) / UDP(**(values if header == "UDP" else {}))
    if header != "VLAN":
        return Ether() / ip
    return Ether() / ip if value is None else Ether() / Dot1Q(vlan=value) / ip


def _frame(number: int, packet: Packet, *, transmitted: bool) -> CapturedFrame:
    octets = bytes(packet) + bytes(10) + number.to_bytes(16, "big")
    return CapturedFrame(number, "p1", transmitted, 1, number, len(octets), octets)
