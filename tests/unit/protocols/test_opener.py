# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How flows are opened: `responder.proto`, Opening. A flow here ends when it is told to."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from TesterLibrary.model.plan.planned_end import Opening, Series
from TesterLibrary.model.responder import Reopen
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.protocols.interpreter import Interpreter
from TesterLibrary.protocols.opener import Opener

TABLE = """\
version: 1
name: told
headers: Ether / IP / UDP(dport=9)
flow: [[IP.src, IP.dst], [UDP.sport, UDP.dport]]
counters: [opened, well, badly]
failures: [badly]
templates: {hello: {headers: Ether / IP / UDP}}
states: [closed, open]
table:
  - {in: closed, on: start, do: [count: opened, send: hello], to: open}
  - {in: closed, on: packet}
  - {in: open, on: packet, when: {payload.length: {above: 0}}, do: [count: badly], to: closed}
  - {in: open, on: packet, do: [count: well], to: closed}
"""
OURS, PEER = 0xC6120002, 0xC6120003
OPENING = Opening(
    flows=3,
    addresses=(
        Series("IP.src", OURS),
        Series("IP.dst", PEER),
        Series("UDP.sport", 2000, 3),
        Series("UDP.dport", 9),
    ),
    source_mac=b"\2\0\0\0\0\2",
    destination_mac=b"\2\0\0\0\0\3",
    connections=2,
    rate=Fraction(1, 10**6),  # one each millisecond
    reopen=Reopen.ENDED_WELL,
)


class Clients:
    """An opener with its interpreter, in milliseconds."""

    def __init__(self, folder: Path, opening: Opening) -> None:
        path = folder / "told.yaml"
        path.write_text(TABLE.replace("UDP(dport=9)", "UDP"))
        self._machine = Interpreter(load_protocol(str(path)))
        self.opener = Opener(opening, self._machine)
        self._machine.on_end = self.opener.ended

    def at(self, ms: float) -> list[int]:
        """Source ports of the flows that were opened by then."""
        opened = []
        while (due := self.opener.due()) is not None and due <= ms * 1000:
            self._machine.advance(due)
            opened += [Ether(frame)[UDP].sport for frame in self.opener.run()]
        self._machine.advance(round(ms * 1000))
        return opened

    def ends(self, port: int, *, well: bool = True) -> None:
        """The peer ends the flow of a source port."""
        packet = Ether() / IP(src="198.18.0.3", dst="198.18.0.2") / UDP(sport=9, dport=port)
        self._machine.receive(bytes(packet / (b"" if well else b"no")), self._machine.now)


def test_flows_are_opened_at_a_rate_up_to_their_number(tmp_path: Path) -> None:
    clients = Clients(tmp_path, OPENING)
    assert [clients.at(ms) for ms in (0, 0.999, 1, 5)] == [[2000], [], [2001], []]
    assert (clients.opener.openings, clients.opener.put_off, clients.opener.going) == (
        2,
        4,
        True,
    )  # due at 2, 3, 4 and 5 ms


def test_what_had_to_wait_is_opened_at_once_and_not_made_up_for(tmp_path: Path) -> None:
    clients = Clients(tmp_path, OPENING)
    clients.at(5)
    clients.ends(2000)
    assert clients.at(5) == [2002]
    clients.ends(2001)
    assert clients.at(5.999) == []
    assert clients.at(6) == [2000]  # all have been opened, and this one is over for the longest
    assert clients.opener.put_off == 4  # the first one late, three left out


def test_one_that_failed_makes_no_room(tmp_path: Path) -> None:
    clients = Clients(tmp_path, OPENING)
    clients.at(5)
    clients.ends(2000, well=False)
    clients.ends(2001, well=False)
    assert clients.at(100) == []
    assert not clients.opener.going


@pytest.mark.parametrize("well", [True, False])
def test_always_and_never(tmp_path: Path, well: bool) -> None:
    always = Clients(tmp_path, replace(OPENING, reopen=Reopen.ALWAYS))
    never = Clients(tmp_path, replace(OPENING, reopen=Reopen.NEVER))
    for clients in (always, never):
        clients.at(5)
        clients.ends(2000, well=well)
    assert always.at(10) == [2002]
    assert never.at(10) == []
    assert not never.opener.going


def test_a_total_ends_it(tmp_path: Path) -> None:
    clients = Clients(tmp_path, replace(OPENING, total=3))
    clients.at(5)
    clients.ends(2000)
    clients.ends(2001)
    assert clients.at(50) == [2002]
    assert (clients.opener.openings, clients.opener.going) == (3, False)


def test_without_a_rate_all_are_opened_at_once(tmp_path: Path) -> None:
    clients = Clients(tmp_path, replace(OPENING, rate=None))
    assert clients.at(0) == [2000, 2001]
    clients.ends(2001)
    assert clients.at(0) == [2002]
    assert clients.opener.put_off == 0


def test_rates_are_exact(tmp_path: Path) -> None:
    opening = replace(OPENING, rate=Fraction(3, 10**6), connections=1000, flows=1000)
    opening = replace(
        opening,
        addresses=(*OPENING.addresses[:2], Series("UDP.sport", 2000, 1000), OPENING.addresses[3]),
    )
    clients = Clients(tmp_path, opening)
    assert len(clients.at(99.999)) == 300  # due at 0, 1/3, 2/3, 1 … ms
