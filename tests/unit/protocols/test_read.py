# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The action `read`: numbers of a payload, and steps that go round as long as something is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.packet import Raw

from TesterLibrary.errors import PlanError
from TesterLibrary.planning.prediction import lower
from TesterLibrary.protocols.checker import load_protocol

from .dialogue import LINK, OURS, PEER, Dialogue

# Adds up what stands behind each length byte of a payload, as numbers of three bytes.
SUMS = """\
version: 1
name: sums
headers: Ether / IP / UDP(dport=9)
variables: {length: 8, item: 24}
counters: [items, sum, tail]
states: [idle]
steps: [next, behind]
table:
  - {in: idle, on: packet, do: [then: next]}
  - {in: idle, on: next, when: {payload.left: {above: 0}}, do: [read: length, then: behind]}
  - {in: idle, on: next}
  - in: idle
    on: behind
    when: {length: 3, payload.left: {at_least: 3}}
    do: [read: item, count: {items: 1, sum: item}, then: next]
  - {in: idle, on: behind, when: {length: {not: 3}}, do: [skip: length, then: next]}
  - {in: idle, on: behind, do: [read: item, count: {tail: item}]}
"""
PACKET = LINK / IP(src=PEER, dst=OURS) / UDP(sport=5, dport=9)


@pytest.fixture
def sums(tmp_path: Path) -> str:
    file = tmp_path / "sums.yaml"
    file.write_text(SUMS)
    return str(file)


def expected(payload: bytes) -> dict[str, int]:
    found = {"items": 0, "sum": 0, "tail": 0}
    while payload:
        length, payload = payload[0], payload[1:]
        if length == 3 and len(payload) < 3:
            found["tail"] = int.from_bytes(payload.ljust(3, b"\0"), "big")
            break
        if length == 3:
            found["items"] += 1
            found["sum"] += int.from_bytes(payload[:3], "big")
        payload = payload[length:]
    return found


@pytest.mark.usefixtures("machine")
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.one_of(st.binary(max_size=3), st.binary(min_size=3, max_size=3).map(lambda item: b"\3" + item)),
        max_size=20,
    )
)
def test_numbers_are_read_as_long_as_there_are_any(sums: str, items: list[bytes]) -> None:
    dialogue = Dialogue(sums)
    payload = b"".join(items)
    dialogue.hears(PACKET / Raw(payload) if payload else PACKET)
    assert {name: dialogue.count(name) for name in ("items", "sum", "tail")} == expected(payload)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("item: 24", "item: 23", "item has 23 bits; a number that is read has whole bytes"),
        ("read: item, count", "read: itm, count", "there is no variable 'itm'"),
        ("when: {payload.left: {above: 0}}, ", "when: {length: 0}, ", "leads back to itself"),
        (
            "- {in: idle, on: packet, do: [then: next]}",
            "- {in: idle, on: packet}\n  - {in: idle, on: start, do: [read: item]}",
            "payload",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SUMS
    file = tmp_path / "own.yaml"
    file.write_text(SUMS.replace(old, new))
    with pytest.raises(PlanError, match=said):
        load_protocol(str(file))


def test_a_switch_refuses_it_by_its_resource(sums: str) -> None:
    with pytest.raises(PlanError, match=r"bytes of payload: .*a payload is cut in lines 10, 15, 16, 17"):
        lower(load_protocol(sums), "tofino")
